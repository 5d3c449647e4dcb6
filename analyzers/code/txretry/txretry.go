package txretry

import (
	"regexp"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"

	"github.com/ccheck/ccheck/analyzers/internal/flow"
	"github.com/ccheck/ccheck/analyzers/internal/libs"
	"github.com/ccheck/ccheck/analyzers/internal/sqlread"
	"github.com/ccheck/ccheck/analyzers/internal/stmt"
)

// Pairing is the judgement, for the step that sees the whole program.
var Pairing = flow.Pairing{Name: "txretry", Judge: judge}

// Analyzer reports conflicts that nobody retries.
var Analyzer = &analysis.Analyzer{
	Name:     "txretry",
	Doc:      Doc,
	Requires: []*analysis.Analyzer{flow.Analyzer},
	Run:      flow.RunEditing(Pairing, edit),
}

func judge(s *flow.Summary) []flow.Found {
	if s.Generated {
		return nil
	}
	out := append(asserted(s), foreign(s)...)
	if a, ok := deaf(s); ok {
		out = append(out, deafStory(a))
	}
	all := stmt.All(s)
	late := aborted(all, s)
	out = append(out, borrowed(all, s)...)
	for i := range s.Events {
		e := &s.Events[i]
		if f, ok := late[i]; ok {
			out = append(out, f)
			continue
		}
		if e.Op == libs.Begin && ours(all, e, i) && refuses(all, s, i) && !retried(s, i) && !retriedByCallers(s, i) && !restarted(all, s, i) {
			out = append(out, beganStory(all, e, i))
		}
		if c, ok := handed(s, i); ok {
			out = append(out, handedStory(e, c))
		}
	}
	for i := range s.Events {
		if uncommitted(all, s, i) {
			out = append(out, uncommittedStory(&s.Events[i]))
		}
		if e := unasked(all, s, i); e != nil {
			out = append(out, unaskedStory(e))
		}
	}
	for _, a := range hidden(all, s) {
		out = append(out, hiddenStory(a))
	}
	for i := range s.Events {
		if swallowed(all, s, i) {
			out = append(out, swallowedStory(&s.Events[i]))
		}
	}
	return out
}

// refuses reports whether the server can refuse the transaction with 40001: at
// repeatable read it must write or lock for that.
func refuses(all []stmt.Stmt, s *flow.Summary, begin int) bool {
	e := &s.Events[begin]
	switch level(all, e, begin) {
	case "serializable":
		return !readOnly(e)
	case "repeatable read":
		return !readOnly(e) && !onlyReads(all, s, begin)
	}
	return false
}

// level is the isolation of the transaction that an event begins, also where a
// statement sets it.
func level(all []stmt.Stmt, e *flow.Event, begin int) string {
	if w := levelSetter(all, begin); w != nil {
		return w.Acc.Level
	}
	return stmt.Level(e)
}

// levelSetter is the statement that sets the isolation of the transaction which an
// event begins, nil where none does.
func levelSetter(all []stmt.Stmt, begin int) *stmt.Stmt {
	for k, w := range all {
		if w.Acc.Level != "" && w.On.Root == flow.Result && w.On.N == begin {
			return &all[k]
		}
	}
	return nil
}

// ours reports whether it is this function that makes the event a transaction which
// can be refused: it begins it, or sets the level of one that a helper has begun.
func ours(all []stmt.Stmt, e *flow.Event, begin int) bool {
	if len(e.Site) == 1 {
		return true
	}
	w := levelSetter(all, begin)
	return w != nil && w.Site[0] != e.Site[0]
}

func readOnly(begin *flow.Event) bool {
	opts := begin.Key
	if len(opts.Elems) == 1 {
		opts = opts.Elems[0]
	}
	ro, am := opts.Parts[".ReadOnly"], opts.Parts[".AccessMode"]
	return ro.Root == flow.Const && ro.Name == "true" || am.Root == flow.Const && strings.EqualFold(am.Name, "read only")
}

// onlyReads reports whether everything that is known to run in the transaction
// reads, and nothing unknown does.
func onlyReads(all []stmt.Stmt, s *flow.Summary, begin int) bool {
	mine := func(d flow.Desc) bool { return d.Root == flow.Result && d.N == begin }
	reads := 0
	for _, w := range all {
		if !mine(w.On.Desc) {
			continue
		}
		if slices.ContainsFunc(w.Acc.Tables, func(t sqlread.Table) bool { return t.Kind != sqlread.Select }) {
			return false
		}
		reads++
	}
	for i := range s.Events {
		if e := &s.Events[i]; e.Op == libs.Calls && slices.ContainsFunc(e.Args, func(v flow.Value) bool { return mine(v.Desc) }) {
			return false
		}
	}
	return reads > 0
}

// conflict are the questions for 40001 and 40P01.
var conflict = regexp.MustCompile(`^=(40001|40P01|40000)$`)

// serialization is the question for 40001.
var serialization = regexp.MustCompile(`^=4000[01]$`)

// retried reports whether the function runs the event again after a conflict; a
// deadlock is another one.
func retried(s *flow.Summary, i int) bool { return stmt.Retried(s, i, serialization) }

// retriedByCallers reports whether a caller does, or can where it is not in sight.
func retriedByCallers(s *flow.Summary, i int) bool {
	return stmt.RetriedByCallers(s, i, serialization) || !s.Closed()
}

// restarted reports whether the transaction is run again from the savepoint that
// CockroachDB has for this, and somebody asks for the code of a conflict: there
// the server begins anew behind ROLLBACK TO SAVEPOINT cockroach_restart.
func restarted(all []stmt.Stmt, s *flow.Summary, begin int) bool {
	return slices.ContainsFunc(all, func(w stmt.Stmt) bool {
		return s.After(begin, w.I) && strings.Contains(strings.ToLower(w.SQL), "savepoint cockroach_restart")
	}) && slices.ContainsFunc(s.Asks, func(a flow.Ask) bool { return conflict.MatchString(a.Text) })
}

// handed finds a caller that has the function begin a transaction at a level that
// refuses conflicts, which nobody runs again then. The function itself leaves
// the level to its callers.
func handed(s *flow.Summary, i int) (flow.Context, bool) {
	e := &s.Events[i]
	if e.Op != libs.Begin || len(e.Site) > 1 || stmt.Level(e) != "?" {
		return flow.Context{}, false
	}
	for _, c := range s.Seen(i) {
		if !c.Folded && refuses(stmt.All(c.Summary), c.Summary, c.Index) && !retried(c.Summary, c.Index) && !retriedByCallers(c.Summary, c.Index) {
			return c, true
		}
	}
	return flow.Context{}, false
}

// uncommitted reports whether an event is the commit of a transaction that the
// function retries for what its statements answer, and not for the commit: there
// a serializable transaction is refused as well.
func uncommitted(all []stmt.Stmt, s *flow.Summary, i int) bool {
	c := &s.Events[i]
	if c.Op != libs.Commit || len(c.Site) > 1 || c.Call == "" || c.On.Root != flow.Result {
		return false
	}
	begin := c.On.N
	if s.Events[begin].Op != libs.Begin || !refuses(all, s, begin) || level(all, &s.Events[begin], begin) != "serializable" || len(s.Events[begin].Loop) == 0 {
		return false
	}
	asked := func(event int) bool {
		return stmt.Asked(s, event, func(a flow.Ask) bool { return conflict.MatchString(a.Text) })
	}
	others := slices.ContainsFunc(all, func(w stmt.Stmt) bool { return asked(w.I) })
	for j := range s.Events {
		others = others || inside(&s.Events[j], begin) && asked(j)
	}
	return others && !asked(i) && !retriedByCallers(s, i)
}

// unasked is the first event of a transaction that can be refused, where the
// function runs the transaction again for its commit alone; nil when there is none.
func unasked(all []stmt.Stmt, s *flow.Summary, commit int) *flow.Event {
	c := &s.Events[commit]
	if c.Op != libs.Commit || len(c.Site) > 1 || c.Call == "" || c.On.Root != flow.Result || !asksConflict(s, commit) {
		return nil
	}
	begin := c.On.N
	if s.Events[begin].Op != libs.Begin || !refuses(all, s, begin) || len(s.Events[begin].Loop) == 0 {
		return nil
	}
	var first *flow.Event
	for i := range s.Events {
		if i == commit || !s.After(begin, i) || !s.After(i, commit) {
			continue
		}
		if asksConflict(s, i) {
			return nil
		}
		if first == nil && inside(&s.Events[i], begin) {
			first = &s.Events[i]
		}
	}
	return first
}

// inside reports whether an event runs statements in a transaction: one itself,
// or a function that is given the transaction.
func inside(e *flow.Event, begin int) bool {
	mine := func(d flow.Desc) bool { return d.Root == flow.Result && d.N == begin }
	switch e.Op {
	case libs.Query, libs.Exec:
		return len(e.Site) == 1 && mine(e.On.Desc)
	case libs.Calls:
		return len(e.Site) == 1 && slices.ContainsFunc(e.Args, func(v flow.Value) bool { return mine(v.Desc) })
	}
	return false
}

func asksConflict(s *flow.Summary, event int) bool {
	return stmt.Asked(s, event, func(a flow.Ask) bool { return stmt.AsksFor(a, conflict) })
}

// asserted finds tests for a conflict that do not look inside of wrapped errors.
func asserted(s *flow.Summary) []flow.Found {
	var out []flow.Found
	asksCode := slices.ContainsFunc(s.Asks, func(a flow.Ask) bool { return conflict.MatchString(a.Text) && a.Pos.File == s.Pos.File })
	for _, a := range s.Asks {
		if (driverError(a.Text) || a.Text == "prefix") && asksCode && a.In == s.Name && wrapped(s) {
			out = append(out, assertedStory(a))
			break
		}
	}
	return out
}

func driverError(text string) bool {
	t, ok := strings.CutPrefix(text, "assert ")
	return ok && (strings.HasSuffix(t, "pgconn.PgError") || strings.HasSuffix(t, "pq.Error") || strings.HasSuffix(t, "pgx.PgError") || strings.HasSuffix(t, "pgdriver.Error"))
}

// wrapped reports whether errors are wrapped anywhere in sight.
func wrapped(s *flow.Summary) bool {
	return slices.ContainsFunc(s.Others(), func(o *flow.Summary) bool {
		return slices.ContainsFunc(o.Asks, func(a flow.Ask) bool { return wraps.MatchString(a.Text) })
	})
}

var wraps = regexp.MustCompile(`^call (Errorf|Wrap|Wrapf|WithStack|WithMessage|WithMessagef|Join|Annotate|Annotatef|Trace)$`)
