package explore

import (
	"fmt"
	"strings"

	"github.com/ccheck/ccheck/analyzers/report"
	"github.com/ccheck/ccheck/cmd/internal/pairing"
)

// pairTable is what became of each pair of a tape.
type pairTable struct {
	rows  [][]string
	bad   []bool
	none  int  // pairs that touch nothing in common
	fired bool // the requests were sent at one moment, and no order was chosen
}

func (t *pairTable) add(p pairing.Pair, result, why string, bad bool) {
	t.rows = append(t.rows, []string{strings.Join(p.Names(), " beside "), p.Risk.String(), p.Where, result, why})
	t.bad = append(t.bad, bad)
}

func (t *pairTable) unjudged(p pairing.Pair, why string) { t.add(p, "not judged", why, false) }

// apart notes a pair that cannot get in each other's way.
func (t *pairTable) apart(p pairing.Pair, why string) { t.add(p, "apart", why, false) }

// judged notes the verdict of a pair that was explored, from one state or two.
func (t *pairTable) judged(p pairing.Pair, all []*done, found []report.Finding) {
	worst, schedules, broken, states := report.Clean, 0, 0, []string{}
	var reasons []string
	for _, d := range all {
		worst = report.Worse(worst, d.verdict.Verdict)
		schedules += d.counts.Schedules
		broken += d.broken()
		states = append(states, d.sc.Version)
		reasons = append(reasons, d.verdict.Reasons...)
	}
	where := "from " + strings.Join(states, ", and from ")
	switch {
	case len(found) > 0 || worst == report.Faulty:
		t.add(p, "RACE", fmt.Sprintf("%d of %d schedules break, %s", broken, schedules, where), true)
	case worst == report.Clean && len(all) > 0:
		t.add(p, "holds", fmt.Sprintf("all %s, %s", count(schedules, "schedule"), where), false)
	default:
		t.unjudged(p, strings.Join(reasons, "; "))
	}
}

// Table is the whole of it.
func (t *pairTable) Table() report.Table {
	table := report.Table{
		Title: "pairs of requests on the tape", Columns: []string{"requests", "risk", "where they meet", "result", ""}, Rows: t.rows, Bad: t.bad,
		Notes: []string{"risk: what their statements have to get wrong; the result is what every interleaving of them showed"},
	}
	if t.fired {
		table.Notes = []string{fmt.Sprintf("RACE: some of %d rounds, in which they were sent at one moment, were answered as in no serial order; no pair is called safe, since no statement was seen", apartRounds)}
	}
	if t.none > 0 {
		table.Notes = append(table.Notes, fmt.Sprintf("%s of requests touch nothing in common, and were not run", count(t.none, "more pair")))
	}
	return table
}
