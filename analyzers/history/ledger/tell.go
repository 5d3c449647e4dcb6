package ledger

import (
	"fmt"
	"slices"
	"time"

	"github.com/ccheck/ccheck/analyzers/check"
	"github.com/ccheck/ccheck/analyzers/internal/culprit"
	"github.com/ccheck/ccheck/analyzers/internal/mend"
	"github.com/ccheck/ccheck/analyzers/internal/tale"
	"github.com/ccheck/ccheck/analyzers/report"
	"github.com/ccheck/ccheck/probes/history"
)

// keptRows of the books go into the finding.
const keptRows = 20

// tell reports the accounts that do not balance, each with the earliest
// transactions that account for it.
func tell(pass *check.Pass, b *books) error {
	var quests []*culprit.Quest
	var wrong []*account
	for _, a := range b.accounts {
		if len(a.wrong) > 0 {
			wrong = append(wrong, a)
			quests = append(quests, a.quest())
		}
	}
	if len(wrong) == 0 {
		return nil
	}
	schema, err := culprit.Search(pass.Header, pass.Ops(), quests)
	if err != nil {
		return err
	}
	for i, a := range wrong {
		f := a.finding(pass.Header)
		if q := quests[i]; q.Anomaly != nil {
			tale.Anomaly(&f, schema, q.Anomaly, a.table)
			f.Fixes = mend.Fixes(schema, q.Anomaly, mend.Unique{})
		} else {
			f.Why = "No two transactions of the record that wrote these keys depend on each other in a circle. Look at what a call does between its first statement and its answer, and at effects outside of its transaction."
		}
		pass.Report(f)
	}
	return nil
}

// quest asks who wrote the keys that are off, in the first round that is.
func (a *account) quest() *culprit.Quest {
	first := a.wrong[0]
	place := culprit.Place{Table: a.table}
	for _, d := range a.wrong {
		if d.round == first.round && len(place.Rows) < 1000 {
			place.Rows = append(place.Rows, map[culprit.Spec]string{{Column: a.key}: d.key})
		}
	}
	return &culprit.Quest{Target: culprit.Target{place}, After: first.began, Until: first.ended, Round: first.round}
}

// finding says what is missing and what is too much, in all and key by key.
func (a *account) finding(h *history.Header) report.Finding {
	var lost, gained amount
	last := time.Duration(0)
	for i := range a.wrong {
		off := a.wrong[i].off()
		if off.sign() < 0 {
			lost = lost.minus(off)
		} else {
			gained = gained.plus(off)
		}
		last = max(last, a.wrong[i].ended)
	}
	f := report.Finding{
		Rule: name, Severity: report.High, Claim: claim(h),
		Message: fmt.Sprintf("%s.%s is not what the accepted calls make of it on %s", a.table, a.column, keys(len(a.wrong))),
		Count:   len(a.wrong), First: a.wrong[0].ended, Last: last,
		Columns: []string{a.key, "before", "accepted", "should be", "is", "off by"},
		Books:   &report.Books{Created: gained.String(), Lost: lost.String()},
		Repro:   report.Repro{Seed: h.Seed}, Help: "docs/analyzers/ledger.md",
	}
	f.Message += total(lost, gained)
	f.Rows, f.More = a.rows()
	return f
}

func keys(n int) string {
	if n == 1 {
		return "1 key"
	}
	return fmt.Sprintf("%d keys", n)
}

// total says how much was lost and how much came from nowhere.
func total(lost, gained amount) string {
	switch {
	case gained.sign() == 0:
		return fmt.Sprintf(" (%s lost)", lost)
	case lost.sign() == 0:
		return fmt.Sprintf(" (%s from nowhere)", gained)
	}
	return fmt.Sprintf(" (%s lost, %s from nowhere)", lost, gained)
}

func (a *account) rows() (rows [][]string, more int) {
	shown := a.wrong[:min(len(a.wrong), keptRows)]
	for i := range shown {
		d := &shown[i]
		should := d.before.plus(d.accepted).String()
		if d.low.sign() != 0 || d.high.sign() != 0 {
			should = fmt.Sprintf("%s to %s", d.before.plus(d.accepted).plus(d.low), d.before.plus(d.accepted).plus(d.high))
		}
		rows = append(rows, []string{d.key, d.before.String(), d.accepted.signed(), should, d.now.String(), d.off().signed()})
	}
	return rows, len(a.wrong) - len(shown)
}

// claim is the name of the ledger's claim in the header, if it has one.
func claim(h *history.Header) string {
	i := slices.IndexFunc(h.Claims, func(c history.Claim) bool { return c.Kind == history.Ledger })
	if i < 0 {
		return ""
	}
	return h.Claims[i].Name
}
