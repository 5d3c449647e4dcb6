package stmt_test

import (
	"testing"

	"github.com/ccheck/ccheck/analyzers/internal/flow"
	"github.com/ccheck/ccheck/analyzers/internal/libs"
	"github.com/ccheck/ccheck/analyzers/internal/stmt"
)

func constant(s string) flow.Desc { return flow.Desc{Root: flow.Const, Name: s} }

func TestLevel(t *testing.T) {
	options := func(path, level string) flow.Value {
		return flow.Value{Desc: flow.Desc{Root: flow.Local, Name: "o"}, Parts: map[string]flow.Desc{path: constant(level)}}
	}
	for _, c := range []struct {
		name string
		opts flow.Value
		want string
	}{
		{"nil", flow.Value{Desc: constant("nil")}, ""},
		{"database/sql", options(".Isolation", "6"), "serializable"},
		{"database/sql, read committed", options(".Isolation", "2"), ""},
		{"pgx", options(".IsoLevel", "repeatable read"), "repeatable read"},
		{"variadic", flow.Value{Elems: []flow.Value{options(".Isolation", "4")}}, "repeatable read"},
		{"only read", options(".ReadOnly", "true"), ""},
		{"a parameter", flow.Value{Desc: flow.Desc{Root: flow.Param, N: 1}}, "?"},
	} {
		e := &flow.Event{Op: libs.Begin, Key: c.opts}
		if got := stmt.Level(e); got != c.want {
			t.Errorf("%s: level %q, want %q", c.name, got, c.want)
		}
	}
}

func TestArg(t *testing.T) {
	s := &flow.Summary{Events: []flow.Event{
		{Op: libs.Exec, SQL: "UPDATE a SET n = $1 WHERE id = $2", Args: []flow.Value{{Desc: constant("1")}, {Desc: flow.Desc{Root: flow.Param, N: 2}}}},
		{Op: libs.Exec, SQL: "UPDATE a SET n = :points WHERE id = :id", Named: true, Args: []flow.Value{{
			Desc: flow.Desc{Root: flow.Param, N: 1}, Parts: map[string]flow.Desc{".Points": constant("7")},
		}}},
	}}
	all := stmt.All(s)
	for i, want := range []struct{ set, key string }{{"c:1", "p2"}, {"c:7", "p1.id"}} {
		table := &all[i].Acc.Tables[0]
		set, key := all[i].Arg(table.Writes[0].Value), all[i].Arg(stmt.Keys(table)[0].Values[0])
		if set.String() != want.set || key.String() != want.key {
			t.Errorf("%s: sets %s where %s, want %s where %s", all[i].Text, set, key, want.set, want.key)
		}
	}
}

func TestSameHandle(t *testing.T) {
	on := func(d flow.Desc) *flow.Event { return &flow.Event{On: flow.Value{Desc: d}} }
	pool, tx := flow.Desc{Root: flow.Param, Path: ".db"}, flow.Desc{Root: flow.Result, N: 3, Path: ".#0"}
	for _, c := range []struct {
		a, b flow.Desc
		want bool
	}{
		{pool, pool, true},
		{pool, tx, false},
		{tx, flow.Desc{}, true}, // nobody knows
		{tx, flow.Desc{Root: flow.Local, Name: "f.t1"}, true}, // what a function returned
	} {
		if got := stmt.SameHandle(on(c.a), on(c.b)); got != c.want {
			t.Errorf("%s and %s: %v, want %v", c.a, c.b, got, c.want)
		}
	}
}
