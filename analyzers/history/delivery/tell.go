package delivery

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/ccheck/ccheck/analyzers/internal/lanes"
	"github.com/ccheck/ccheck/analyzers/internal/sqlread"
	"github.com/ccheck/ccheck/analyzers/report"
	"github.com/ccheck/ccheck/probes/history"
)

const help = "docs/analyzers/delivery.md"

// shown bounds the rows of evidence.
const shown = 10

func (j *judge) findTwice(h *history.Header, list []*record) report.Finding {
	f := report.Finding{
		Rule: name, Severity: report.High, Claim: once, Anomaly: "job done twice", Count: len(list),
		Message: fmt.Sprintf("%d of %s were done more than once, and no worker had died after the first time", len(list), count(j.accepted(), "job")),
		Columns: []string{"job", "effects", "workers"}, Repro: report.Repro{Seed: h.Seed}, Help: help,
		Why: "Two workers had the same job: the second one chose it before what the first one did to claim it could be seen, or after that claim had run out.",
	}
	for n, r := range list {
		if n == shown {
			f.More = len(list) - n
			break
		}
		f.Rows = append(f.Rows, []string{r.key, strconv.Itoa(len(r.effects)), workers(r)})
	}
	r := list[0]
	f.First, f.Last = r.effects[1].call.Finish(), list[len(list)-1].effects[1].call.Finish()
	j.tell(&f, r.effects[0].call, r.effects[1].call)
	f.Fixes = append(j.claims(r.effects[1].call), report.Fix{
		Kind: report.Constraint, Title: "Give the effect the key of its job, and let the receiver know it again",
		Note: "an idempotency key: a worker that dies after the effect makes a second one with any queue",
	})
	return f
}

func workers(r *record) string {
	var list []string
	for _, e := range r.effects {
		list = append(list, strconv.Itoa(e.call.Process))
	}
	return strings.Join(list, ", ")
}

func (j *judge) findLost(h *history.Header, list []*record) report.Finding {
	dead := 0
	for _, r := range list {
		if r.killed {
			dead++
		}
	}
	f := report.Finding{
		Rule: name, Severity: report.High, Claim: done, Anomaly: "lost job", Count: len(list),
		Message: fmt.Sprintf("%d of %s were never done, though the queue was drained: %s", len(list), count(j.accepted(), "job"), reasons(dead, len(list)-dead)),
		Columns: []string{"job", "worker died"}, Repro: report.Repro{Seed: h.Seed}, Help: help,
	}
	for n, r := range list {
		if n == shown {
			f.More = len(list) - n
			break
		}
		f.Rows = append(f.Rows, []string{r.key, map[bool]string{true: "before the effect", false: "no"}[r.killed]})
	}
	if dead < len(list) {
		j.skipped(&f, list)
		return f
	}
	r := list[0]
	f.First = r.produced.Finish()
	f.Why = "The claim was committed before the job was done, and when the worker died nobody took it over: its row says that somebody works on it."
	if len(r.holders) > 0 {
		j.tell(&f, r.produced, r.holders[len(r.holders)-1])
		f.Steps = death(f.Steps)
	}
	f.Fixes = recovery()
	return f
}

// death adds the step at which the worker is killed, which comes last in the
// story.
func death(steps []report.Step) []report.Step {
	if len(steps) == 0 {
		return nil // an application, of which no statement is known
	}
	last := steps[len(steps)-1]
	return append(steps, report.Step{Lane: last.Lane, Text: "the worker is killed, before the effect", Start: last.End, End: last.End})
}

func reasons(dead, alive int) string {
	switch {
	case alive == 0:
		return "their workers died between the claim and the effect, and nobody took over"
	case dead == 0:
		return "no worker ever had them"
	}
	return fmt.Sprintf("of %d the worker died, and no worker ever had the other %d", dead, alive)
}

// recovery is what gives a job to somebody else when its worker dies.
func recovery() []report.Fix {
	return []report.Fix{{
		Kind: report.Pessimistic, Title: "Keep the lock until the job is done",
		SQL:  "BEGIN;\nSELECT id FROM job WHERE state = 'ready' ORDER BY id LIMIT 1 FOR UPDATE SKIP LOCKED;\n-- the work\nUPDATE job SET state = 'done' WHERE id = :job;\nCOMMIT;",
		Note: "the server gives the row back when the connection ends; for work of seconds, not of hours",
	}, {
		Kind: report.Optimistic, Title: "Let a claim run out",
		SQL: "UPDATE job SET visible = clock_timestamp() + interval '5 min', attempt = attempt + 1\n" +
			"WHERE id = (SELECT id FROM job WHERE state <> 'done' AND visible < clock_timestamp() ORDER BY id LIMIT 1 FOR UPDATE SKIP LOCKED)\nRETURNING id, attempt;\n" +
			"UPDATE job SET state = 'done' WHERE id = :job AND attempt = :attempt;",
		Note: "longer than any work takes; the second statement changes no row when somebody else has it by now",
	}}
}

// skipped tells a job that no worker ever had: it was added by a transaction
// that committed after a worker had passed its key.
func (j *judge) skipped(f *report.Finding, list []*record) {
	for _, r := range list {
		if r.killed || r.produced == nil {
			continue
		}
		f.First = r.produced.Finish()
		if by := j.passed(r); by != nil {
			f.Why = fmt.Sprintf("Job %s got its key first and committed last. Meanwhile a worker did a later one and remembered that key as the last: whatever is below it is never looked at again.", r.key)
			j.tell(f, r.produced, by)
			f.Fixes = marking()
			return
		}
	}
	f.Why = "No worker was ever given them."
	f.Fixes = recovery()
}

// passed is a worker's call that had done a job with a greater key before the one
// that adds r began to commit.
func (j *judge) passed(r *record) *lanes.Call {
	mine, err := strconv.ParseInt(r.key, 10, 64)
	if err != nil || len(r.produced.Txns) == 0 {
		return nil
	}
	sent, _ := r.produced.Txns[0].Commit()
	var best *lanes.Call
	for _, o := range j.jobs {
		key, err := strconv.ParseInt(o.key, 10, 64)
		if err != nil || key <= mine || len(o.effects) == 0 {
			continue
		}
		c, did := o.effects[0].call, o.effects[0].txn.End()
		if did > r.produced.Start() && did < sent && (best == nil || c.Start() < best.Start()) {
			best = c
		}
	}
	return best
}

func marking() []report.Fix {
	return []report.Fix{{
		Kind: report.Atomic, Title: "Mark each row instead of keeping a cursor",
		SQL:  "BEGIN;\nSELECT id FROM outbox WHERE NOT sent ORDER BY id LIMIT 1 FOR UPDATE SKIP LOCKED;\n-- send it\nUPDATE outbox SET sent = true WHERE id = :id;\nCOMMIT;",
		Note: "a row that commits late is found when it has; no isolation level helps a cursor",
	}, {
		Kind: report.Optimistic, Title: "Or keep the cursor below the oldest transaction that is still running",
		SQL:  "SELECT id FROM outbox WHERE id > :last_id AND xid < pg_snapshot_xmin(pg_current_snapshot()) ORDER BY id;",
		Note: "with a column xid xid8 NOT NULL DEFAULT pg_current_xact_id()",
	}}
}

// claims are the fixes of a claim that two workers make.
func (j *judge) claims(call *lanes.Call) []report.Fix {
	for _, t := range call.Txns {
		for n := range t.Stmts {
			s := &t.Stmts[n]
			for i := range s.Access.Tables {
				if a := &s.Access.Tables[i]; a.Kind == sqlread.Select && a.Limited && a.Lock == sqlread.NoLock && a.Tail > 0 && a.Tail <= len(s.Begin.Stmt.SQL) {
					sql := s.Begin.Stmt.SQL
					return []report.Fix{{
						Kind: report.Pessimistic, Title: "Lock the row where it is chosen, and keep the lock until the job is done",
						SQL:  "BEGIN;\n" + lanes.Template(s.Access, strings.TrimRight(sql[:a.Tail], "; \n")+" FOR UPDATE SKIP LOCKED"+sql[a.Tail:]),
						Note: "the others pass over it; COMMIT when the job is marked as done, and the server gives the row back when the worker dies",
					}}
				}
			}
		}
	}
	return []report.Fix{{
		Kind: report.Optimistic, Title: "Let a claim last longer than the work, and mark the job only as its claimant",
		SQL:  "UPDATE job SET state = 'done' WHERE id = :job AND attempt = :attempt;",
		Note: "renew the claim while the work goes on; 0 rows: somebody else has the job by now",
	}}
}

// tell puts two calls into a finding as lanes.
func (j *judge) tell(f *report.Finding, calls ...*lanes.Call) {
	var txns []*lanes.Txn
	for _, c := range calls {
		if t := whole(c); t != nil {
			txns = append(txns, t)
		}
	}
	s := lanes.Tell(j.tracker.Schema, txns, nil, lanes.Everything)
	f.Lanes, f.Steps = s.Lanes, s.Steps
}

// whole is a call as one lane: its first transaction, and the others and the
// effect as what it did outside of that.
func whole(c *lanes.Call) *lanes.Txn {
	if len(c.Txns) == 0 {
		return nil
	}
	t := *c.Txns[0]
	t.Outside = c.Txns[1:]
	return &t
}

func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
