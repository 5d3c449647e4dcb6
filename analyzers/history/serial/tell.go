package serial

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/ccheck/ccheck/analyzers/internal/graph"
	"github.com/ccheck/ccheck/analyzers/internal/lanes"
	"github.com/ccheck/ccheck/analyzers/internal/mend"
	"github.com/ccheck/ccheck/analyzers/internal/tale"
	"github.com/ccheck/ccheck/analyzers/report"
	"github.com/ccheck/ccheck/probes/history"
)

// keptRows of a broken check go into the finding.
const keptRows = 20

// finding tells a fault.
func (j *judge) finding(f *fault) report.Finding {
	out := report.Finding{
		Rule: name, Severity: report.High, Count: f.count, First: f.first.begin, Last: f.last,
		Repro: report.Repro{Seed: j.pass.Header.Seed, Command: j.command(f)}, Help: "docs/analyzers/serial.md",
	}
	j.story(f, &out)
	if f.claim != nil {
		j.claim(f, &out)
	} else {
		out.Message = fmt.Sprintf("%s end in what no serial order gives: %s", j.share(f), j.sentence(f))
	}
	out.Why = strings.TrimSpace(out.Why + " " + j.whyNot(f))
	return out
}

// share is "12 of 14 schedules".
func (j *judge) share(f *fault) string {
	return fmt.Sprintf("%d of %s", f.count, count(j.all, "schedule"))
}

func (j *judge) claim(f *fault, out *report.Finding) {
	out.Claim = f.claim.Name
	out.Where = where(f.claim.Where)
	out.Columns = f.check.Columns
	for _, row := range f.check.Rows[:min(len(f.check.Rows), keptRows)] {
		var texts []string
		for _, v := range row {
			texts = append(texts, v.String())
		}
		out.Rows = append(out.Rows, texts)
	}
	out.More = f.check.More + max(0, len(f.check.Rows)-keptRows)
	out.Message = fmt.Sprintf("%q is broken in %s", f.claim.Name, j.share(f))
	switch {
	case f.serial != nil:
		out.Anomaly = "no concurrency: a serial order breaks it too"
		out.Message += fmt.Sprintf(", and when the lanes run one after the other (%s): this is no race", j.lanesOf(f.serial.round))
	case f.dropped() != nil:
		out.Message += ": " + j.sentence(f)
	case f.nothing && f.quest.Anomaly == nil:
		out.Anomaly = "no concurrency: a serial order gives the same result"
		out.Message += ", although a serial order gives the same result: look at what the lanes decided on"
	default:
		out.Message += ": " + j.sentence(f)
	}
	for _, text := range f.claim.Fixes {
		out.Fixes = append(out.Fixes, report.Fix{Kind: mend.KindOf(text), Title: text, Note: "from the scenario"})
	}
}

// sentence says what happened.
func (j *judge) sentence(f *fault) string {
	if f.quest.Anomaly != nil {
		return tale.Sentence(j.chance.schema, f.quest.Anomaly)
	}
	if c := f.dropped(); c != nil {
		return fmt.Sprintf("a call of %s was rolled back with %s%s, and nobody started it over", c.Actor, c.End.SQLState, deadlock(c))
	}
	return "the smallest schedule is " + f.first.schedule
}

// story shows the lanes of the smallest schedule.
func (j *judge) story(f *fault, out *report.Finding) {
	txns := f.first.txns()
	if a := f.quest.Anomaly; a != nil && f.serial == nil {
		j.anomaly(f, a, out)
		if len(txns) > 2 {
			out.Why += " The other transactions of the schedule are left out of the lanes."
		}
		return
	}
	s := lanes.Tell(j.chance.schema, txns, nil)
	out.Lanes, out.Steps, out.Repro.Psql = s.Lanes, s.Steps, s.Psql()
	out.Anomaly = "not serializable: no serial order gives this result"
	if f.serial == nil && !f.nothing {
		out.Fixes = mend.General(lanes.LevelOf(j.pass.Header.Target.Isolation))
	}
	if c := f.dropped(); c != nil {
		out.Anomaly = "transaction dropped: " + c.End.SQLState + deadlock(c) + " not retried"
		out.Fixes = []report.Fix{mend.Retry(c.End.SQLState)}
	}
}

// anomaly shows two transactions and how they depend on each other, with the mend.
func (j *judge) anomaly(f *fault, a *graph.Anomaly, out *report.Finding) {
	tale.Anomaly(out, j.chance.schema, a, f.quest.Target.Tables()...)
	var unique mend.Unique
	if f.claim != nil {
		unique = mend.UniqueOf(j.chance.schema.Read(f.claim.SQL), f.claim.SQL)
	}
	out.Fixes = mend.Fixes(j.chance.schema, a, unique)
	apart(out, a)
}

// apart adds to a finding whose lanes are several transactions of a call what
// the fixes need that lock or abort one.
func apart(out *report.Finding, a *graph.Anomaly) {
	if !a.Reader.Joined && !a.Writer.Joined {
		return
	}
	out.Why += " What a request reads and what it writes are in different transactions, so nothing keeps them together."
	for i := range out.Fixes {
		f := &out.Fixes[i]
		if f.Kind == report.Pessimistic || f.Kind == report.Isolation {
			f.Note = strings.TrimSuffix("in one transaction from the read to the write, which there is not now; "+f.Note, "; ")
		}
	}
}

// dropped is a call that the server rolled back for no fault of its own, when
// nothing else explains the fault.
func (f *fault) dropped() *lanes.Call {
	if f.quest.Anomaly != nil || f.serial != nil {
		return nil
	}
	for _, lane := range slices.Sorted(maps.Keys(f.first.calls)) {
		if c := f.first.calls[lane]; outcomeOf(c) == history.Failed && graph.Aborts(c.End) {
			return c
		}
	}
	return nil
}

// deadlock says what 40P01 is.
func deadlock(c *lanes.Call) string {
	if c.End.SQLState == "40P01" {
		return " (deadlock)"
	}
	return ""
}

// whyNot sets what the schedule left beside what the serial orders leave.
func (j *judge) whyNot(f *fault) string {
	var b strings.Builder
	fmt.Fprintf(&b, "The schedule %s leaves %s%s.", f.first.schedule, f.first.describe(), ends(f.first))
	if f.nothing || f.serial != nil {
		return b.String()
	}
	n := 0
	for _, o := range j.orders {
		if !o.whole {
			continue
		}
		if n++; n > 6 {
			b.WriteString(" The other serial orders do not leave it either.")
			break
		}
		fmt.Fprintf(&b, " One after the other, %s: %s%s.", j.lanesOf(o.round), o.describe(), ends(o.round))
	}
	return b.String()
}

// ends tells the calls that did not go through.
func ends(r *round) string {
	var parts []string
	for _, lane := range slices.Sorted(maps.Keys(r.calls)) {
		c := r.calls[lane]
		if outcomeOf(c) == history.Accepted {
			continue
		}
		text := c.Actor + " " + string(outcomeOf(c))
		if c.End != nil && c.End.SQLState != "" {
			text += " with " + c.End.SQLState
		}
		parts = append(parts, text)
	}
	if len(parts) == 0 {
		return ""
	}
	return "; " + strings.Join(parts, ", ")
}

const replay = "@replay" // of the standby, in a schedule

// lanesOf are the lanes of a serial schedule in their order: "a then b".
func (j *judge) lanesOf(r *round) string {
	var names []string
	for _, word := range strings.Fields(r.schedule) {
		if word != replay && (len(names) == 0 || names[len(names)-1] != word) {
			names = append(names, word)
		}
	}
	return strings.Join(names, " then ")
}

// command shows the smallest schedule again.
func (j *judge) command(f *fault) string {
	h := j.pass.Header
	return fmt.Sprintf("ccheck explore %s --lanes %s --isolation %q --seed %d --schedule %q",
		h.Scenario, strings.ReplaceAll(actors(h.Param("lanes")), " ", ","), h.Target.Isolation, h.Seed, f.first.schedule)
}

// actors takes the numbers off the names of lanes.
func actors(names string) string {
	words := strings.Fields(names)
	for i, w := range words {
		words[i], _, _ = strings.Cut(w, "#")
	}
	return strings.Join(words, " ")
}

// where reads "file:line".
func where(s string) report.Location {
	i := strings.LastIndexByte(s, ':')
	if i < 0 {
		return report.Location{File: s}
	}
	n, err := strconv.Atoi(s[i+1:])
	if err != nil {
		return report.Location{File: s}
	}
	return report.Location{File: s[:i], Line: n}
}
