package once

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/ccheck/ccheck/analyzers/internal/lanes"
	"github.com/ccheck/ccheck/analyzers/internal/mend"
	"github.com/ccheck/ccheck/analyzers/internal/sqlread"
	"github.com/ccheck/ccheck/analyzers/report"
	"github.com/ccheck/ccheck/probes/history"
)

const help = "docs/analyzers/once.md"

// findings are those of all calls: one for each thing that is wrong with a call,
// with the faults that showed it.
func (j *judge) findings() []report.Finding {
	var list []report.Finding
	for _, s := range j.calls {
		if len(s.calm) < 2 || s.double == nil || s.calm[0].outcome() != history.Accepted || s.once().empty() {
			continue
		}
		byKind := map[string]int{}
		for _, r := range s.faults {
			if t, _ := r.failed(); t == nil {
				continue
			}
			for _, f := range j.judge(s, r) {
				if i, known := byKind[f.Anomaly]; known {
					list[i].Count++
					list[i].Rows = append(list[i].Rows, f.Rows...)
					continue
				}
				byKind[f.Anomaly] = len(list)
				list = append(list, f)
			}
		}
	}
	return list
}

// judge says what is wrong with a round.
func (j *judge) judge(s *subject, r *round) []report.Finding {
	all := s.amounts(r)
	sum, twice := total(all), more(all)
	if r.fault == answer {
		return j.lost(s, r, sum, twice)
	}
	var list []report.Finding
	switch o := r.outcome(); {
	case len(twice) > 0:
		list = append(list, j.finding(s, r, report.High, whole, "effect twice after a retry",
			fmt.Sprintf("%s was started over after %s, and %s happened more than once: it was not in the transaction that was rolled back", s.name, r.what(), and(twice))))
	case o == history.Accepted && sum == never:
		list = append(list, j.finding(s, r, report.High, whole, "accepted and dropped",
			fmt.Sprintf("%s said that it was done after %s, and nothing of it is there: the error was swallowed", s.name, r.what())))
	case o == history.Accepted && sum != exactly:
		list = append(list, j.finding(s, r, report.High, whole, "half an effect after a retry",
			fmt.Sprintf("%s said that it was done after %s, and %s", s.name, r.what(), shares(all))))
	case o == history.Refused && sum == never:
		list = append(list, j.finding(s, r, report.Low, over, "retry left to the caller",
			fmt.Sprintf("%s passed %s on as a refusal (%s): it dropped its work unless its caller knows to ask again", s.name, r.what(), said(r))))
	case o != history.Accepted && sum == never:
		list = append(list, j.finding(s, r, report.Medium, over, "not started over",
			fmt.Sprintf("%s did not survive %s, and its work was dropped (%s)", s.name, r.what(), said(r))))
	case o != history.Accepted:
		list = append(list, j.finding(s, r, report.High, whole, "refused and done",
			fmt.Sprintf("%s said after %s that it had failed (%s), and %s", s.name, r.what(), said(r), shares(all))))
	}
	if missing := j.stale(r); r.outcome() == history.Accepted && len(missing) > 0 {
		f := j.finding(s, r, report.Medium, reads, "retry that does not start from the read",
			fmt.Sprintf("%s made its writes again after %s, and not the read of %s that they were computed from: what changed meanwhile is overwritten", s.name, r.what(), and(missing)))
		list = append(list, f)
	}
	return list
}

// lost judges a call whose COMMIT succeeded and was not answered.
func (j *judge) lost(s *subject, r *round, sum amount, twice []string) []report.Finding {
	switch {
	case len(twice) > 0 && r.again:
		return []report.Finding{j.finding(s, r, report.High, whole, "twice when it is sent again",
			fmt.Sprintf("the server committed %s and the answer was lost; the caller was told of an error (%s), sent the same call again, and %s happened twice", s.name, said(r), and(twice)))}
	case len(twice) > 0:
		return []report.Finding{j.finding(s, r, report.High, whole, "made again after it was committed",
			fmt.Sprintf("the server committed %s and the answer was lost; it was made again without a look, and %s happened twice", s.name, and(twice)))}
	case sum != exactly:
		return []report.Finding{j.finding(s, r, report.High, whole, "half an effect after a lost answer",
			fmt.Sprintf("the answer to the COMMIT of %s was lost, and %s", s.name, shares(s.amounts(r))))}
	}
	return nil
}

// what names the fault in a sentence.
func (r *round) what() string {
	switch r.fault {
	case "40001-commit":
		return "40001 at COMMIT"
	case twoInARow:
		return "40001 two times in a row"
	}
	return r.fault
}

// shares tells how often what happened, for each table.
func shares(all map[string]amount) string {
	var parts []string
	for _, table := range slices.Sorted(maps.Keys(all)) {
		parts = append(parts, table+" changed "+all[table].String())
	}
	return strings.Join(parts, ", ")
}

// stale are the tables that were read before the fault, are written with fixed
// values after it, and were not read again in between.
func (j *judge) stale(r *round) []string {
	at, n := r.failed()
	if at == nil || r.again {
		return nil
	}
	limit := at.Stmts[n].Begin.Index
	read, reread := map[string]bool{}, map[string]bool{}
	var list []string
	for _, t := range r.txns {
		for i := range t.Stmts {
			s := &t.Stmts[i]
			for k := range s.Access.Tables {
				a := &s.Access.Tables[k]
				switch {
				case !a.Kind.Writes() && s.Begin.Index < limit:
					read[a.Name] = true
				case !a.Kind.Writes():
					reread[a.Name] = true
				case s.Begin.Index > limit && read[a.Name] && !reread[a.Name] && absolute(a) && !slices.Contains(list, a.Name):
					list = append(list, a.Name)
				}
			}
		}
	}
	return list
}

// absolute reports whether an UPDATE sets a column to a value from outside.
func absolute(t *sqlread.Table) bool {
	return t.Kind == sqlread.Update && slices.ContainsFunc(t.Writes, func(w sqlread.Write) bool {
		return w.Kind == sqlread.Absolute && w.Value.Kind == sqlread.Param
	})
}

func (j *judge) finding(s *subject, r *round, severity report.Severity, claim, anomaly, message string) report.Finding {
	f := report.Finding{
		Rule: name, Severity: severity, Claim: claim, Anomaly: anomaly, Message: message, Count: 1,
		Repro: report.Repro{Seed: j.header.Seed}, Help: help,
		Columns: []string{"fault", "caller was told", "effect"},
		Rows:    [][]string{{r.fault, said(r), shares(s.amounts(r))}},
	}
	if len(r.ends) > 0 {
		f.First, f.Last = r.ends[0].Start, r.ends[len(r.ends)-1].Time
	}
	st := lanes.Tell(j.tracker.Schema, r.tries(), nil, lanes.Everything)
	f.Lanes, f.Steps = st.Lanes, st.Steps
	for i := range f.Lanes {
		f.Lanes[i].Detail = fmt.Sprintf("%s, %s", s.name, ordinal(i))
	}
	f.Why, f.Fixes = reason(anomaly), fixes(anomaly, r)
	return f
}

// shown bounds the lanes of a story.
const shown = 3

// tries are the transactions of the round that are told: that which the fault
// hit, and what came after it.
func (r *round) tries() []*lanes.Txn {
	at, _ := r.failed()
	i := max(slices.Index(r.txns, at), 0)
	list := r.txns[i:]
	return list[:min(len(list), shown)]
}

func ordinal(i int) string {
	return [...]string{"when it went wrong", "after it", "and then"}[min(i, 2)]
}

func reason(anomaly string) string {
	switch anomaly {
	case "not started over", "retry left to the caller":
		return "The server rolled the transaction back so that another one could go on, and asks for it to be started over. Tests seldom see it; under load, and above READ COMMITTED, it is common."
	case "retry that does not start from the read":
		return "The rollback took back the reads too: they say what was true in a snapshot that is gone."
	case "effect twice after a retry":
		return "What leaves the transaction before its COMMIT is not rolled back with it, and the retry does it again."
	case "twice when it is sent again", "made again after it was committed":
		return "A COMMIT whose answer is lost may have succeeded, and here it had. Nothing in the call lets the second one be known as the same."
	}
	return ""
}

func fixes(anomaly string, r *round) []report.Fix {
	key := report.Fix{
		Kind: report.Constraint, Title: "Store the key of the call in the same transaction",
		SQL:  "ALTER TABLE payment ADD COLUMN key text UNIQUE;\nINSERT INTO payment (key, …) VALUES (:key, …) ON CONFLICT (key) DO NOTHING;",
		Note: "the caller makes the key once and sends it with each try; no row: it was done before, so answer as then and change nothing",
	}
	state := r.sqlstate()
	if state == "" {
		return []report.Fix{key}
	}
	switch anomaly {
	case "effect twice after a retry":
		return []report.Fix{{
			Kind: report.Order, Title: "Do it after the COMMIT, or write down that it is to be done",
			SQL:  "INSERT INTO outbox (what) VALUES (:what); -- in the transaction; a relay does it afterwards",
			Note: "and give it a key that its receiver knows again",
		}, key}
	case "retry that does not start from the read":
		return []report.Fix{{
			Kind: report.Atomic, Title: "Compute the new value in the statement that writes it",
			SQL:  "UPDATE account SET balance = balance - :amount WHERE id = :id AND balance >= :amount",
			Note: "then there is no read to repeat; look at the row count",
		}, mend.Retry(state)}
	}
	return []report.Fix{mend.Retry(state)}
}

// and joins words as people do.
func and(list []string) string {
	if len(list) < 2 {
		return strings.Join(list, "")
	}
	return strings.Join(list[:len(list)-1], ", ") + " and " + list[len(list)-1]
}
