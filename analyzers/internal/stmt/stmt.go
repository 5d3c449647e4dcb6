// Package stmt joins what package flow knows of a program with what package
// sqlread knows of its SQL: events that are statements, the values of their
// parameters in Go, and the transaction each runs in.
//
// It states facts; what follows from them the analyzers say.
package stmt

import (
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/ccheck/ccheck/analyzers/internal/flow"
	"github.com/ccheck/ccheck/analyzers/internal/libs"
	"github.com/ccheck/ccheck/analyzers/internal/sqlread"
)

// Stmt is an event that runs SQL whose text is known, at least in part.
type Stmt struct {
	*flow.Event
	I    int // of the event
	Acc  sqlread.Access
	Sum  *flow.Summary
	Text string // as it can be shown: one line, holes as …
}

// All are the statements of a function, those of its callees included, in its
// order.
func All(s *flow.Summary) []Stmt {
	var all []Stmt
	for i := range s.Events {
		e := &s.Events[i]
		if (e.Op == libs.Query || e.Op == libs.Exec) && e.SQL != "" {
			all = append(all, Stmt{Event: e, I: i, Acc: sqlread.Read(e.SQL), Sum: s, Text: show(e.SQL)})
		}
	}
	return all
}

// show is the statement on one line, cut where it is long.
func show(sql string) string {
	text := strings.Join(strings.Fields(withoutComments(sql)), " ")
	text = strings.ReplaceAll(text, hole, "…")
	if r := []rune(text); len(r) > 160 {
		text = string(r[:157]) + "…"
	}
	return text
}

// hole is flow's mark for what is not known.
const hole = "ccheck_hole"

func withoutComments(sql string) string {
	lines := strings.Split(sql, "\n")
	lines = slices.DeleteFunc(lines, func(l string) bool { return strings.HasPrefix(strings.TrimSpace(l), "--") })
	return strings.Join(lines, "\n")
}

// Migration reports whether a function is part of a migration, of seed data or
// of an administrator's commands: such code runs once, alone.
func Migration(s *flow.Summary) bool {
	dir, base := path.Split(filepath.ToSlash(s.Pos.File))
	switch path.Base(dir) {
	case "migrations", "migration", "migrate", "seeds", "seed", "fixtures", "cli":
		return true
	}
	return strings.HasPrefix(base, "migrat") || strings.HasPrefix(base, "seed")
}

// Arg is the Go value behind a value of the statement.
func (s Stmt) Arg(v sqlread.Value) flow.Value {
	switch v.Kind {
	case sqlread.Param:
		return s.param(v)
	case sqlread.Literal:
		return flow.Value{Desc: flow.Desc{Root: flow.Const, Name: v.Text}}
	}
	return flow.Value{}
}

func (s Stmt) param(v sqlread.Value) flow.Value {
	if s.Named || v.N == 0 {
		return s.namedArg(strings.TrimLeft(v.Text, ":@"))
	}
	if v.N > len(s.Args) || s.Spread && v.N >= len(s.Args) {
		return flow.Value{}
	}
	return s.Args[v.N-1]
}

// namedArg is the field of the structure that has the parameter's name.
func (s Stmt) namedArg(name string) flow.Value {
	if len(s.Args) == 0 {
		return flow.Value{}
	}
	a := s.Args[0]
	for path := range a.Parts {
		if flow.Column(path) == flow.Column(name) {
			return a.Part(path)
		}
	}
	for _, p := range a.From {
		if p.Path != "" && flow.Column(p.Path) == flow.Column(name) {
			return a.Part(p.Path)
		}
	}
	return a.Part("." + name)
}

// Within notes the way to a statement that a callee runs; did says what it does.
func Within(s Stmt, did string) []flow.Note {
	var way []flow.Note
	for i, at := range s.Site[1:] {
		if i == len(s.Site)-2 {
			return append(way, flow.Note{At: at, Text: did + " here: " + s.Text})
		}
		way = append(way, flow.Note{At: at, Text: "by way of this call"})
	}
	return nil
}

// Keys are the conditions column = value of a table.
func Keys(t *sqlread.Table) []sqlread.Pred {
	var keys []sqlread.Pred
	for _, p := range t.Preds {
		if (p.Op == "=" || p.Op == "in") && len(p.Values) > 0 && (p.Values[0].Kind == sqlread.Param || p.Values[0].Kind == sqlread.Literal) {
			keys = append(keys, p)
		}
	}
	return keys
}

// Tx is the event that began the transaction that a statement runs in. known is
// false when only a caller can tell.
func (s Stmt) Tx() (begin *flow.Event, known bool) { return TxOf(s.Sum, s.Event) }

// TxOf is that for any event on a handle.
func TxOf(sum *flow.Summary, e *flow.Event) (begin *flow.Event, known bool) {
	d := e.On.Desc
	if d.Root == flow.Result && d.N < len(sum.Events) {
		b := &sum.Events[d.N]
		return b, b.Op == libs.Begin
	}
	return nil, e.Handle == libs.Pool
}

// SameHandle reports whether two events surely or probably run on one handle: it
// is false when both handles are known by where they come from, and differ.
func SameHandle(a, b *flow.Event) bool {
	return a.On.Same(b.On.Desc) || !firm(a.On.Desc) || !firm(b.On.Desc)
}

func firm(d flow.Desc) bool {
	return d.Known() && (d.Root == flow.Param || d.Root == flow.Global || d.Root == flow.Result)
}

// Level is the isolation level that a Begin asks for: "serializable",
// "repeatable read", "" for the default, "?" when it cannot be told.
func Level(begin *flow.Event) string {
	opts := begin.Key
	if len(opts.Elems) == 1 {
		opts = opts.Elems[0]
	}
	for path, d := range opts.Parts {
		if path == ".Isolation" || path == ".IsoLevel" {
			return level(d)
		}
	}
	if opts.Root == flow.Const || opts.Root == flow.Local || opts.Root == flow.Unknown && opts.Name == "" {
		return ""
	}
	return "?"
}

func level(d flow.Desc) string {
	if d.Root != flow.Const {
		return "?"
	}
	switch name := strings.ToLower(d.Name); name {
	case "6", "serializable": // database/sql.LevelSerializable
		return "serializable"
	case "4", "repeatable read": // database/sql.LevelRepeatableRead
		return "repeatable read"
	}
	return ""
}

// Isolation is the level that a statement runs at, as far as the function says:
// that of the Begin, or of a SET TRANSACTION on the same handle.
func (s Stmt) Isolation(all []Stmt) string {
	for _, o := range all {
		if o.Acc.Level != "" && SameHandle(o.Event, s.Event) && s.Sum.After(o.I, s.I) {
			return o.Acc.Level
		}
	}
	if begin, _ := s.Tx(); begin != nil && begin.Op == libs.Begin {
		return Level(begin)
	}
	return ""
}

// Asked reports whether somebody asks the given question about the answer of an
// event, or one for which the function says yes.
func Asked(s *flow.Summary, event int, yes func(flow.Ask) bool) bool {
	return slices.ContainsFunc(s.Asks, func(a flow.Ask) bool { return a.Event == event && yes(a) })
}
