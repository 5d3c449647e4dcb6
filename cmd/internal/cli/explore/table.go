package explore

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ccheck/ccheck/analyzers/report"
	"github.com/ccheck/ccheck/cmd/internal/flags"
	"github.com/ccheck/ccheck/probes/scenario"
)

// table has a row for each version and its lanes, and a column for each level.
type table struct {
	report.Table
	levels   []scenario.Isolation
	rows     map[string]int
	evidence report.Evidence
}

func newTable(cells []*cell) *table {
	t := &table{rows: map[string]int{}}
	for _, level := range flags.Levels {
		if slices.ContainsFunc(cells, func(c *cell) bool { return c.level == level }) {
			t.levels = append(t.levels, level)
		}
	}
	t.Title = cells[0].sc.Name + ": what every interleaving does"
	t.Columns = []string{"version", "lanes"}
	for _, level := range t.levels {
		t.Columns = append(t.Columns, strings.ToUpper(string(level)))
	}
	t.Notes = []string{
		"breaks k/n: after k of n schedules an invariant does not hold, or the outcome is that of no serial order",
		"holds n: all n schedules were run and none breaks; sampled: not all were run; ran n: all were, and they prove nothing",
		"drops n: in n schedules a call ended with an error that nobody answered; where a row has no mark, nothing else is wrong",
		"in brackets: how often a call was refused, or ended with that error; a serialization failure that is retried is not counted",
	}
	return t
}

func (t *table) add(d *done) {
	version := d.sc.Version
	if version == "" {
		version = "as it is"
	}
	if d.fix != nil {
		version = "tried: " + d.fix.name
	}
	key := version + "\x00" + strings.Join(d.actors, ",")
	n, ok := t.rows[key]
	if !ok {
		n = len(t.Rows)
		t.rows[key] = n
		row := make([]string, len(t.Columns))
		row[0], row[1] = version, strings.Join(d.actors, ",")
		t.Rows, t.Bad = append(t.Rows, row), append(t.Bad, false)
	}
	t.Rows[n][2+slices.Index(t.levels, d.level)] = d.word()
	t.Bad[n] = t.Bad[n] || slices.ContainsFunc(d.verdict.Findings, wrong)
	t.count(&d.verdict.Evidence)
}

func (t *table) count(e *report.Evidence) {
	sum := &t.evidence
	sum.Enough = e.Enough && (sum.Enough || sum.Calls == 0)
	sum.Calls += e.Calls
	sum.Transactions += e.Transactions
	sum.Statements += e.Statements
	sum.Tries += e.Tries
	sum.Overlaps += e.Overlaps
	sum.LockWaits += e.LockWaits
	sum.Conflicts += e.Conflicts
	sum.Checks += e.Checks
	if sum.Missing == "" {
		sum.Missing = e.Missing
	}
}

// wrong reports whether the finding is about what the calls left, and not about
// a call alone that its caller saw fail.
func wrong(f report.Finding) bool { return f.Rule != "retry" && f.Rule != "failure" }

// word is the verdict of a cell in one.
func (d *done) word() string {
	text := d.holds()
	if n := d.counts.Dropped; n > 0 {
		text += fmt.Sprintf(", drops %d", n)
	}
	if k := d.broken(); k > 0 {
		text = fmt.Sprintf("breaks %d/%d", k, d.counts.Schedules)
	}
	var ends []string
	for _, e := range d.counts.EndsInOrder() {
		ends = append(ends, fmt.Sprintf("%s %d", e.Name, e.N))
	}
	if len(ends) > 0 {
		text += " (" + strings.Join(ends, ", ") + ")"
	}
	return text
}

// broken is the number of schedules that break.
func (d *done) broken() int {
	k := d.counts.Broken
	for _, f := range d.verdict.Findings {
		if f.Rule == "serial" && f.Claim == "" {
			k += f.Count
		}
	}
	return min(k, d.counts.Schedules)
}

func (d *done) holds() string {
	switch {
	case d.schedule != nil:
		return fmt.Sprintf("holds %d (this schedule)", d.counts.Schedules)
	case !d.counts.Whole:
		return fmt.Sprintf("sampled %d, none breaks", d.counts.Schedules)
	case d.verdict.Verdict == report.Unknown:
		return fmt.Sprintf("ran %d, none breaks", d.counts.Schedules)
	}
	return fmt.Sprintf("holds %d", d.counts.Schedules)
}
