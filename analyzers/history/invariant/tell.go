package invariant

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/ccheck/ccheck/analyzers/internal/culprit"
	"github.com/ccheck/ccheck/analyzers/internal/lanes"
	"github.com/ccheck/ccheck/analyzers/internal/mend"
	"github.com/ccheck/ccheck/analyzers/internal/tale"
	"github.com/ccheck/ccheck/analyzers/report"
)

// tell fills in the message and the story of a finding.
func (b *breach) tell(f *report.Finding) {
	head := fmt.Sprintf("%q was broken in %s", b.claim.Name, times(b.count, b.checks))
	switch {
	case b.quest.Anomaly != nil:
		tale.Anomaly(f, b.schema, b.quest.Anomaly, b.quest.Target.Tables()...)
		f.Message = head + ": " + tale.Sentence(b.schema, b.quest.Anomaly)
		f.Fixes = mend.Fixes(b.schema, b.quest.Anomaly, b.unique)
	case b.sequential() != nil:
		b.apart(f, head)
	case b.quest.Aborted != nil:
		b.rolledBack(f, head)
	case b.oneWay() != nil:
		b.serial(f, head)
	default:
		f.Message = head + "; no pair of transactions that accounts for it was found in the record"
		f.Why = "The record was searched up to the first check that failed, for two transactions that wrote what the claim reads and depend on each other in a circle." + b.forgotten()
	}
}

func times(bad, checks int) string {
	if checks == 1 {
		return "the one check that was made"
	}
	return fmt.Sprintf("%d of %d checks", bad, checks)
}

// forgotten admits that the search was cut.
func (b *breach) forgotten() string {
	text := ""
	if b.quest.Cut {
		text = " The search was given up after some hundred thousand pairs."
	}
	if b.quest.Dropped > 0 {
		text += fmt.Sprintf(" %d calls were left out because a much older one was still open.", b.quest.Dropped)
	}
	return text
}

// sequential returns the last writers of the violating rows when there are at
// least two and none of them overlapped another one, else nil.
func (b *breach) sequential() []*lanes.Txn {
	w := slices.Clone(b.quest.Writers)
	if len(w) < 2 || len(w) >= culprit.MaxWriters {
		return nil
	}
	slices.SortFunc(w, func(a, b *lanes.Txn) int { return cmp.Compare(a.Start(), b.Start()) })
	for n := 1; n < len(w); n++ {
		if w[n].Start() < w[n-1].End() {
			return nil
		}
	}
	return w[max(0, len(w)-2):]
}

// apart says that there was no race: the transactions ran one after the other.
func (b *breach) apart(f *report.Finding, head string) {
	txns := b.sequential()
	s := lanes.Tell(b.schema, txns, nil)
	f.Lanes, f.Steps, f.Repro.Psql = s.Lanes, s.Steps, s.Psql()
	f.Anomaly = "no concurrency: broken by transactions that ran one after the other"
	f.Message = head + " although the transactions that wrote the rows ran one after the other: this is no race"
	f.Why = fmt.Sprintf("T1 had ended %s before T2 began, so a serial order gives the same result, and no lock, retry or isolation level changes it. "+
		"Look at what T2 decided on: a clock, a cached value, a rule that was never checked.", (txns[1].Start() - txns[0].End()).Round(time.Microsecond))
}

// oneWay returns the last two writers of the violating rows when all pairs of
// them were looked at and none depends on another one in a circle, else nil.
func (b *breach) oneWay() []*lanes.Txn {
	w := b.quest.Writers
	if len(w) < 2 || len(w) > 8 || b.quest.Cut || b.quest.Dropped > 0 {
		return nil
	}
	return w[len(w)-2:]
}

// serial says that the transactions overlapped and still did what they would
// have done one after the other.
func (b *breach) serial(f *report.Finding, head string) {
	s := lanes.Tell(b.schema, b.oneWay(), nil)
	f.Lanes, f.Steps, f.Repro.Psql = s.Lanes, s.Steps, s.Psql()
	f.Anomaly = "no concurrency: a serial order gives the same result"
	f.Message = head + " although the transactions that wrote the rows depend on each other in one direction only: in the record this is no race"
	f.Why = "The transactions overlapped in time, but as far as the record tells they depend on each other in no circle: run one after the other they break the claim too. " +
		"Look at what they decided on: a clock, a cached value, a rule that was never checked."
}

// rolledBack says that a call was rolled back and not started over.
func (b *breach) rolledBack(f *report.Finding, head string) {
	t := b.quest.Aborted
	s := lanes.Tell(b.schema, []*lanes.Txn{t}, nil)
	f.Lanes, f.Steps = s.Lanes, s.Steps
	state := t.Call.End.SQLState
	f.Anomaly = "transaction dropped: " + state + " not retried"
	f.Message = fmt.Sprintf("%s; no two transactions depend on each other in a circle, but a call of %s was rolled back with %s and nobody started it over", head, actor(t), state)
	f.Why = "What is missing may be the work of the transaction that the server had to roll back." + b.forgotten()
	f.Fixes = []report.Fix{mend.Retry(state)}
}

func actor(t *lanes.Txn) string {
	if t.Call.Actor == "" {
		return fmt.Sprintf("client %d", t.Process)
	}
	return t.Call.Actor
}
