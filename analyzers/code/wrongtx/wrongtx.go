package wrongtx

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
var Pairing = flow.Pairing{Name: "wrongtx", Judge: judge}

// Analyzer reports statements outside of the transaction meant for them.
var Analyzer = &analysis.Analyzer{
	Name:     "wrongtx",
	Doc:      Doc,
	Requires: []*analysis.Analyzer{flow.Analyzer},
	Run:      flow.RunEditing(Pairing, edit),
}

func judge(s *flow.Summary) []flow.Found {
	if s.Generated {
		return nil
	}
	all := stmt.All(s)
	var out []flow.Found
	for _, w := range all {
		switch {
		case outside(all, w):
			out = append(out, outsideStory(w))
		case len(w.Site) > 1:
		case unlocked(w):
			out = append(out, unlockedStory(w))
		case w.Note == "gorm v1 option":
			out = append(out, flow.Found{At: w.Site[0], Severity: "high", Message: `gorm 2 ignores Set("gorm:query_option", "FOR UPDATE"): the row is not locked, and two callers can both change it` +
				"\nFix: Clauses(clause.Locking{Strength: \"UPDATE\"}) in the transaction of the write"})
		}
	}
	for i := range s.Events {
		if e := &s.Events[i]; e.Op == libs.Begin && len(e.Site) == 1 && promised(s, e) && defaults(all, s, i) {
			out = append(out, weak(e))
		}
	}
	return out
}

// outside reports whether a statement runs on the pool from which a transaction
// was begun that is still open, though it belongs to it.
func outside(all []stmt.Stmt, w stmt.Stmt) bool {
	s := w.Sum
	if w.Deferred || w.Async {
		return false
	}
	for b := range s.Events {
		begin := &s.Events[b]
		pool := begin.On.Same(w.On.Desc)
		if begin.Op != libs.Begin || !pool && !beside(begin, w) || !s.After(b, w.I) || s.After(w.I, b) || !s.Local(b, w.I) && !inside(s, b, w.I) {
			continue
		}
		if !ended(s, b, w.I) && belongs(all, b, w, pool) {
			return !retold(s, begin, w)
		}
	}
	return false
}

// beside reports whether a statement runs on a handle that the same value keeps
// in another field, as the queries that sqlc generates do.
func beside(begin *flow.Event, w stmt.Stmt) bool {
	return w.Handle == libs.AnyHandle && w.On.Root == flow.Param && begin.On.Root == flow.Param && w.On.N == begin.On.N && w.On.Path != "" && begin.On.Path != ""
}

// inside reports whether an event comes from the function that a Begin calls.
func inside(s *flow.Summary, begin, i int) bool {
	for c := i; c < len(s.Events); c++ {
		if e := &s.Events[c]; e.Op == libs.Commit && on(e, begin) {
			return begin < i
		}
	}
	return false
}

func on(e *flow.Event, begin int) bool { return e.On.Root == flow.Result && e.On.N == begin }

// ended reports whether the transaction can be over before the event.
func ended(s *flow.Summary, begin, i int) bool {
	for c := range s.Events {
		e := &s.Events[c]
		if (e.Op == libs.Commit || e.Op == libs.Rollback) && on(e, begin) && !e.Deferred && s.After(c, i) && c < i {
			return true
		}
	}
	return false
}

// belongs reports whether a statement writes, or reads a table that the
// transaction uses. Others, such as a look at the configuration, may be meant.
func belongs(all []stmt.Stmt, begin int, w stmt.Stmt, pool bool) bool {
	if pool && slices.ContainsFunc(w.Acc.Tables, func(t sqlread.Table) bool { return t.Kind != sqlread.Select }) {
		return true
	}
	for _, o := range all {
		if !on(o.Event, begin) {
			continue
		}
		for i := range o.Acc.Tables {
			if slices.ContainsFunc(w.Acc.Tables, func(t sqlread.Table) bool { return sqlread.Same(&t, &o.Acc.Tables[i]) }) {
				return true
			}
		}
	}
	return false
}

func outsideStory(w stmt.Stmt) flow.Found {
	return flow.Found{
		At:       w.Site[0],
		Severity: "high",
		Message: strings.Join([]string{
			"this statement runs on the pool while a transaction is open: on another connection, without its locks and its changes, and a rollback does not undo it",
			"open:    BEGIN on one connection",
			"here:    " + w.Text + "   -- on another",
			"Fix: run it on the transaction's handle; pass the handle to helpers instead of keeping the pool in them",
		}, "\n"),
	}
}

// unlocked reports whether a row lock is taken in a transaction of its own.
func unlocked(w stmt.Stmt) bool {
	locks := false
	for _, t := range w.Acc.Tables {
		if t.Kind.Writes() {
			return false
		}
		locks = locks || t.Kind == sqlread.Lock && t.Lock >= sqlread.NoKeyUpdate
	}
	return locks && w.Handle == libs.Pool && w.On.Root != flow.Result
}

func unlockedStory(w stmt.Stmt) flow.Found {
	return flow.Found{
		At:       w.Site[0],
		Severity: "high",
		Message: strings.Join([]string{
			"the row lock of this SELECT is released as soon as it is done: on a pool every statement is a transaction of its own",
			"A: " + w.Text + "   -- locked, unlocked",
			"B: " + w.Text + "   -- does not wait",
			"Fix: begin a transaction, and run this and the write that follows on it",
		}, "\n"),
	}
}

// promises are names that say more than the default level keeps.
var (
	promises = regexp.MustCompile(`(?i)serializable|repeatable[_ ]?read`)
	denials  = regexp.MustCompile(`(?i)\b(not|no|never|without|unlike|instead of|n't)\b[^.]{0,40}(serializable|repeatable)`)
)

func baseName(name string) string { return name[strings.LastIndexByte(name, '.')+1:] }

func weak(e *flow.Event) flow.Found {
	return flow.Found{
		At:       e.Site[0],
		Severity: "high",
		Message: "the name or comment promises a stricter isolation, and this transaction is begun with the default, READ COMMITTED: two of them can both pass one check" +
			"\nFix: ask for the level (sql.TxOptions{Isolation: sql.LevelSerializable}, pgx.TxOptions{IsoLevel: pgx.Serializable}) and retry on 40001",
	}
}

func promised(s *flow.Summary, e *flow.Event) bool {
	return promises.MatchString(baseName(s.Name)) || promises.MatchString(e.Remark) && !denials.MatchString(e.Remark)
}

// defaults reports whether a transaction stays at the default level.
func defaults(all []stmt.Stmt, s *flow.Summary, begin int) bool {
	return stmt.Level(&s.Events[begin]) == "" && !slices.ContainsFunc(all, func(w stmt.Stmt) bool { return w.Acc.Level != "" && on(w.Event, begin) })
}
