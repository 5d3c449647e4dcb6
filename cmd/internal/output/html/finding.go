package html

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ccheck/ccheck/analyzers/report"
	"github.com/ccheck/ccheck/tui/story"
)

// lanesShown is how many lanes stand side by side; the steps of a finding with
// more of them are one list.
const lanesShown = 6

// finding is one article of the page.
type finding struct {
	report.Finding
	ID     string // "f1"
	Number int
	Name   string
	Tone   string
	Place  string
	Open   bool
	Seen   string
	Breaks []string
	States []fact // before, after, expected, books
	Lanes  []lane
	Side   bool // the lanes stand side by side
	Steps  []step
	Proof  *table // the rows that prove it
	Growth *table // what grows
	Counts *chart
	Mends  []mend
	Psql   []fact
	Text   string // what a search looks at
	Raced  bool   // its steps are of source: the result of one is what goes wrong
}

type lane struct {
	report.Lane
	Class string // lane-1 …
}

// step is one row of the lanes.
type step struct {
	ID     string // "f1s3"
	Number int
	Lane   lane
	Before []struct{} // empty cells left of the one of the lane
	After  []struct{}
	Text   string
	Read   string
	Wrote  string
	Wait   string
	Result string
	Tone   string // of the result
	Since  string
	Place  string
	Deps   []dep
}

type dep struct {
	From int // number of the step
	Kind string
	Text string
}

type mend struct {
	report.Fix
	Number int
	Edits  []edit
}

type edit struct{ Place, Text string }

func newFinding(i int, f report.Finding) finding {
	raced := len(f.Lanes) == 0
	f = story.InLanes(f)
	raced = raced && len(f.Lanes) > 0
	all := finding{
		Finding: f, Raced: raced, ID: fmt.Sprintf("f%d", i+1), Number: i + 1, Name: story.Name(f), Tone: tone(story.SeverityRole(f.Severity)),
		Place: story.Where(f.Where), Open: i < open, Seen: story.Seen(f, words), States: states(f),
	}
	if f.Claim != "" {
		all.Breaks = append([]string{f.Claim}, f.Also...)
	}
	if len(f.Rows) > 0 {
		t := newTable(report.Table{Columns: f.Columns, Rows: f.Rows})
		all.Proof = &t
	}
	all.steps()
	all.growth()
	for n, x := range f.Fixes {
		m := mend{Fix: x, Number: n + 1}
		for _, e := range x.Edits {
			m.Edits = append(m.Edits, edit{story.Where(e.Location), e.NewText})
		}
		all.Mends = append(all.Mends, m)
	}
	for n, script := range f.Repro.Psql {
		all.Psql = append(all.Psql, fact{fmt.Sprintf("psql %d", n+1), script})
	}
	all.Text = strings.ToLower(strings.Join(append([]string{f.Rule, f.Anomaly, f.Claim, f.Message, f.Where.File}, texts(f.Steps)...), " "))
	return all
}

func states(f report.Finding) []fact {
	all := []fact{{"before", f.Before}, {"after", f.After}, {"expected", f.Expected}, {"books", ""}}
	if f.Books != nil {
		all[3].Value = fmt.Sprintf("%s created from nothing, %s lost", f.Books.Created, f.Books.Lost)
	}
	return filled(all)
}

func texts(steps []report.Step) []string {
	var all []string
	for _, s := range steps {
		all = append(all, s.Text)
	}
	return all
}

// steps lays the story out. A stored finding may name a lane that it does not
// describe.
func (f *finding) steps() {
	n := len(f.Finding.Lanes)
	for _, s := range f.Finding.Steps {
		n = max(n, s.Lane+1)
	}
	for i := range n {
		l := lane{report.Lane{Name: fmt.Sprintf("T%d", i+1)}, fmt.Sprintf("lane-%d", i%4+1)}
		if i < len(f.Finding.Lanes) {
			l.Lane = f.Finding.Lanes[i]
		}
		f.Lanes = append(f.Lanes, l)
	}
	f.Side = n > 1 && n <= lanesShown
	for i, s := range f.Finding.Steps {
		f.Steps = append(f.Steps, f.step(i, s))
	}
}

func (f *finding) step(i int, s report.Step) step {
	at := max(0, s.Lane)
	all := step{
		ID: fmt.Sprintf("%ss%d", f.ID, i+1), Number: i + 1, Lane: f.Lanes[at],
		Text: s.Text, Read: s.Read, Wrote: s.Wrote, Wait: s.Wait, Result: s.Result, Tone: "good", Place: story.Where(s.Where),
	}
	if f.Raced || strings.HasPrefix(s.Result, "ERROR") || strings.HasPrefix(s.Result, "FATAL") || strings.Contains(s.Result, "lost") {
		all.Tone = "bad"
	}
	if s.Result != "" && len(s.Text) <= len(s.Result) && strings.EqualFold(s.Result[:len(s.Text)], s.Text) {
		all.Text = "" // the result says it
	}
	if first := f.Finding.Steps[0].Start; s.End > first {
		all.Since = "+" + words.Dur(s.End-first)
	}
	if f.Side {
		all.Before, all.After = make([]struct{}, at), make([]struct{}, len(f.Lanes)-1-at)
	}
	for _, d := range s.Deps {
		if d.From >= 0 && d.From < len(f.Finding.Steps) {
			all.Deps = append(all.Deps, dep{d.From + 1, d.Kind, f.dep(d)})
		}
	}
	return all
}

// dep says a dependency in words, see report.Dep.
func (f *finding) dep(d report.Dep) string {
	who := f.Lanes[max(0, f.Finding.Steps[d.From].Lane)].Name
	switch d.Kind {
	case "rw":
		return fmt.Sprintf("overwrites what %s read at %d", who, d.From+1)
	case "ww":
		return fmt.Sprintf("overwrites what %s wrote at %d", who, d.From+1)
	case "wr":
		return fmt.Sprintf("reads what %s wrote at %d", who, d.From+1)
	}
	return fmt.Sprintf("depends on %s at %d", who, d.From+1)
}

func (f *finding) growth() {
	if f.Finding.Growth == nil {
		return
	}
	t := newTable(story.GrowthTable(*f.Finding.Growth))
	f.Growth = &t
	counts := make([]float64, len(f.Finding.Growth.Counts))
	for i, c := range f.Finding.Growth.Counts {
		counts[i] = float64(c)
	}
	if len(counts) > 1 {
		c := line(f.Finding.Growth.Unit+" in each snapshot", counts, func(v float64) string { return words.Count(int64(v)) })
		c.From, c.To = "first snapshot", "last"
		c.Label = fmt.Sprintf("%s: %s over %d snapshots, highest %v", c.Title, story.Counted(*f.Finding.Growth), len(counts), slices.Max(f.Finding.Growth.Counts))
		f.Counts = &c
	}
}
