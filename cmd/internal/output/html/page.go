package html

import (
	"cmp"
	"fmt"
	"html/template"
	"slices"
	"strings"

	"github.com/ccheck/ccheck/analyzers/report"
	"github.com/ccheck/ccheck/tui/story"
)

// words are the options under which values are written out.
var words = story.Options{Width: 110, Verbose: true}

// open is how many findings are unfolded when the page is opened.
const open = 3

// page is what the template shows.
type page struct {
	Policy string
	Style  template.CSS
	Script template.JS

	Title    string // of the window
	Head     string
	Facts    []fact
	Verdict  string // in words
	Tone     string // class: good, bad, warn
	Sign     string
	Reasons  []string
	Notes    []string
	Line     string
	Claims   []claim
	Counts   []fact
	Charts   []chart
	Timeline *timeline
	Heap     []heapRow
	Tables   []table
	Rules    []share
	Findings []finding
}

type fact struct{ Name, Value string }

type claim struct {
	report.ClaimState
	Tone, Sign string
	Looks      string // "412 checks, 2 bad, first at 1.21 s"
}

// share is how many findings a rule has, and the width of its bar in percent.
type share struct {
	Rule  string
	Count int
	Width int
}

// table is a result in rows.
type table struct {
	Title   string
	Columns []cell
	Rows    []row
	Notes   []string
}

type row struct {
	Cells []cell
	Bad   bool
}

// cell is a text; a number is aligned to the right.
type cell struct {
	Text   string
	Number bool
}

// newTable takes a stored table as it is: it may mark fewer rows than it has.
func newTable(t report.Table) table {
	all := table{Title: t.Title, Columns: newCells(t, t.Columns), Notes: t.Notes}
	for i, cells := range t.Rows {
		all.Rows = append(all.Rows, row{newCells(t, cells), i < len(t.Bad) && t.Bad[i]})
	}
	return all
}

func newCells(t report.Table, texts []string) []cell {
	all := make([]cell, len(texts))
	for i, text := range texts {
		all[i] = cell{text, story.Numeric(t, i)}
	}
	return all
}

// heapRow is one snapshot of a heap.
type heapRow struct{ Name, At, Requests, Bytes, Objects, RSS string }

func newPage(r report.Run, sum report.Summary, findings []report.Finding) page {
	role := story.VerdictRole(sum.Verdict)
	p := page{
		Head: strings.TrimSpace("ccheck " + r.Probe + " " + r.Scenario), Facts: facts(r, sum),
		Verdict: words.Verdict(sum, len(findings)), Tone: tone(role), Sign: words.Sign(role),
		Reasons: sum.Reasons, Notes: sum.Notes, Line: sum.Line,
		Counts: counts(sum), Charts: charts(sum), Timeline: newTimeline(sum.Timeline), Rules: rules(findings),
	}
	p.Title = p.Head + ": " + string(sum.Verdict)
	for _, c := range sum.Final.Claims {
		p.Claims = append(p.Claims, newClaim(c))
	}
	for _, t := range sum.Tables {
		p.Tables = append(p.Tables, newTable(t))
	}
	if sum.Heap != nil {
		p.Heap = heapRows(*sum.Heap)
	}
	for i, f := range findings {
		p.Findings = append(p.Findings, newFinding(i, f))
	}
	return p
}

func facts(r report.Run, sum report.Summary) []fact {
	all := []fact{
		{"scenario", r.Title}, {"target", r.Target}, {"server", r.Server}, {"isolation", r.Isolation},
		{"clients", number(int64(r.Clients))}, {"calls each", number(r.Limit)}, {"duration", ""}, {"seed", number(int64(r.Seed))},
		{"started", ""}, {"tool", r.Tool}, {"run", r.ID}, {"history", sum.History},
	}
	if r.Duration > 0 {
		all[6].Value = words.Dur(r.Duration)
	}
	if !r.Started.IsZero() {
		all[8].Value = r.Started.UTC().Format("2006-01-02 15:04:05 UTC")
	}
	return filled(all)
}

func number(n int64) string {
	if n == 0 {
		return ""
	}
	return words.Count(n)
}

func filled(all []fact) []fact {
	return slices.DeleteFunc(all, func(f fact) bool { return f.Value == "" })
}

func counts(sum report.Summary) []fact {
	p := sum.Final
	all := []fact{{"calls", ""}, {"errors", words.Counts(p.Errors)}, {"latency", ""}, {"evidence", ""}}
	if p.Accepted+p.Refused+p.Failed+p.Unknown > 0 {
		all[0].Value = words.Calls(p)
	}
	if p.P99 > 0 {
		all[2].Value = fmt.Sprintf("p50 %s, p99 %s, max %s", words.Dur(p.P50), words.Dur(p.P99), words.Dur(p.Max))
	}
	if sum.Evidence != (report.Evidence{}) {
		all[3].Value = words.Evidence(sum)
	}
	return filled(all)
}

func newClaim(c report.ClaimState) claim {
	role := story.Warn
	switch c.State {
	case "ok":
		role = story.Good
	case "bad":
		role = story.Bad
	}
	all := claim{ClaimState: c, Tone: tone(role), Sign: words.Sign(role)}
	if c.Checks > 0 {
		all.Looks = counted(c.Checks, "check")
	}
	if c.Bad > 0 {
		all.Looks += fmt.Sprintf(", %d bad", c.Bad)
	}
	if c.FirstBad > 0 {
		all.Looks += ", first at " + words.Dur(c.FirstBad)
	}
	return all
}

func counted(n int, one string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %ss", n, one)
}

func tone(r story.Role) string {
	switch r {
	case story.Good:
		return "good"
	case story.Bad:
		return "bad"
	}
	return "warn"
}

// rules counts the findings by rule, most first.
func rules(findings []report.Finding) []share {
	var all []share
	for _, f := range findings {
		i := slices.IndexFunc(all, func(s share) bool { return s.Rule == f.Rule })
		if i < 0 {
			all = append(all, share{Rule: f.Rule})
			i = len(all) - 1
		}
		all[i].Count++
	}
	slices.SortStableFunc(all, func(a, b share) int { return cmp.Compare(b.Count, a.Count) })
	for i := range all {
		all[i].Width = max(1, 100*all[i].Count/all[0].Count)
	}
	return all
}

func heapRows(h report.Heap) []heapRow {
	var all []heapRow
	for _, p := range h.Points {
		row := heapRow{Name: p.Name, Requests: number(p.Requests), Bytes: story.Bytes(p.Bytes), Objects: number(p.Objects)}
		if p.At > 0 {
			row.At = words.Dur(p.At)
		}
		if p.RSS > 0 {
			row.RSS = story.Bytes(p.RSS)
		}
		all = append(all, row)
	}
	return all
}
