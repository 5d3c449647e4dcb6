package fencing

import (
	"regexp"
	"slices"
	"strings"

	"github.com/ccheck/ccheck/analyzers/internal/flow"
	"github.com/ccheck/ccheck/analyzers/internal/lease"
	"github.com/ccheck/ccheck/analyzers/internal/libs"
	"github.com/ccheck/ccheck/analyzers/internal/pair"
	"github.com/ccheck/ccheck/analyzers/internal/sqlread"
	"github.com/ccheck/ccheck/analyzers/internal/stmt"
	"github.com/ccheck/ccheck/analyzers/internal/tell"
)

// ownerName: a column that says who has a row; what is released is no lease.
var (
	ownerName = regexp.MustCompile(`(?i)token|fenc|epoch|lease|owner|holder|locked_by|worker|claimed_by`)
	released  = regexp.MustCompile(`(?i)release`)
	sort      = regexp.MustCompile(`(?i)(kind|type)$`)
)

func ownerIn(text string) bool { return ownerName.MatchString(released.ReplaceAllString(text, "")) }

// owners finds the owner of a row compared in Go, and the row then written by
// its key alone.
func owners(s *flow.Summary, _ *lease.Claims) (out []flow.Found) {
	for w := range s.Events {
		e := &s.Events[w]
		if e.Op != libs.Exec || named(e.SQL) || e.SQL == "" {
			continue
		}
		for i := range s.Events {
			read := &s.Events[i]
			if read.Op != libs.Query || !pair.Ours(s, i, w) || !ownerIn(read.SQL) || credential(read.SQL) || strings.Contains(strings.ToLower(read.SQL), "for update") {
				continue
			}
			if pair.Decides(s, i, w, asksOwner) {
				out = append(out, flow.Found{At: pair.Act(s, w), Severity: "medium",
					Related: []flow.Note{{At: pair.Check(s, i), Text: "the owner is read here"}},
					Message: tell.Story("the owner of a row is compared in Go, and the write does not name the owner",
						"  worker A reads the row: it is A's; then A is paused and its lease ends",
						"  worker B takes the row over",
						"  A writes by the key alone: B's work is overwritten",
						"fix: put the owner or token into the statement, UPDATE … WHERE id = … AND owner = …, and look at the number of rows")})
			}
		}
	}
	return out
}

// asksOwner tells whether a branch asks who has a row: the column itself, and not
// what is computed from it, nor what is known of the person that it names.
func asksOwner(c flow.Cond) bool {
	column := c.Path[strings.LastIndexByte(c.Path, '.')+1:]
	return c.Test == flow.Decides && c.Itself && ownerIn(column) && !sort.MatchString(column)
}

// credential tells whether a statement looks for rows by their token alone: the
// token is what a caller shows, and the name of the row, and nobody takes it over.
func credential(sql string) bool {
	for _, t := range sqlread.Read(sql).Tables {
		keys := stmt.Keys(&t)
		if len(keys) == 0 || slices.ContainsFunc(keys, func(p sqlread.Pred) bool { return !ownerIn(p.Column) }) {
			return false
		}
	}
	return true
}

// done: what the columns and functions are called with which a worker ends its
// work on a row.
var (
	doneColumn = regexp.MustCompile(`(?i)^(done|result|output|response|error|last_error|completed|finished|processed|succeeded|sent)(_at)?$`)
	doneText   = regexp.MustCompile(`(?i)^'?(done|complete|finish|success|succeed|fail|process|sent|ok)`)
	doneName   = regexp.MustCompile(`(?i)complete|finish|done|succe|ack|release|unlock|resign|fail|free|step_?down`)
	state      = regexp.MustCompile(`(?i)^(state|status)$`)
)

// rows finds the rows that are taken as locks written by their key alone: given
// back, prolonged, or finished by somebody who may have them no longer.
func rows(s *flow.Summary, claimed *lease.Claims) (out []flow.Found) {
	for i := range s.Events {
		e := &s.Events[i]
		if (e.Op != libs.Exec && e.Op != libs.Query) || !claimed.Stated(s, i) || claimed.TakesOver(e) || forced.MatchString(s.Name) {
			continue
		}
		t := lease.Written(e)
		if t == nil || named(e.SQL) || t.Kind != sqlread.Update && t.Kind != sqlread.Delete || !byKey(t) || claimed.Asks(t) || locked(s, i) {
			continue
		}
		if times, ok := claimed.Locks(t.Name); ok {
			if what := ends(s, t, times, claimed); what != "" {
				out = append(out, late(s, i, what))
			}
		}
	}
	return out
}

// byKey tells whether a statement names the row, and not whom it is about: what
// has run out is nobody's.
func byKey(t *sqlread.Table) bool {
	key := false
	for _, p := range t.Preds {
		key = key || p.Op == "=" && len(p.Values) > 0 && p.Values[0].Kind == sqlread.Param
		if strings.HasPrefix(p.Op, "<") {
			return false
		}
	}
	return key
}

// locked tells whether a row was locked before it is written: SELECT … FOR UPDATE.
func locked(s *flow.Summary, w int) bool {
	for i := range s.Events {
		if s.After(i, w) && s.Events[i].Op == libs.Query && strings.Contains(strings.ToLower(s.Events[i].SQL), "for update") {
			return true
		}
	}
	return false
}

// ends says what a statement does with a row that is taken as a lock, "" when it
// is nothing that only the holder may do.
func ends(s *flow.Summary, t *sqlread.Table, times lease.Table, claimed *lease.Claims) string {
	name := s.Name[strings.LastIndexByte(s.Name, '.')+1:]
	if t.Kind == sqlread.Delete {
		if lease.Named(t.Name) || doneName.MatchString(name) {
			return "given back"
		}
		return ""
	}
	for _, w := range t.Writes {
		switch {
		case times[w.Column] && strings.EqualFold(strings.TrimSpace(w.Text), "null"), lease.Holder(w.Column), claimed.Empties(t, w):
			return "given back"
		case times[w.Column]:
			return "prolonged"
		case doneColumn.MatchString(w.Column), state.MatchString(w.Column) && (doneText.MatchString(w.Text) || doneName.MatchString(name)):
			return "finished"
		}
	}
	return ""
}

func late(s *flow.Summary, i int, what string) flow.Found {
	return flow.Found{At: pair.Act(s, i), Severity: "medium",
		Message: tell.Story("a row that is leased is "+what+" by its key alone, without asking whose it is",
			"  worker A takes the row, and is paused until its time is up",
			"  worker B takes the row over",
			"  A wakes up, and the row is "+what+" while B is at work on it",
			"fix: UPDATE … WHERE id = … AND owner = … (or the token that grows with each owner), and stop when no row was changed")}
}
