package flow_test

import (
	"reflect"
	"testing"

	"github.com/ccheck/ccheck/analyzers/internal/flow"
)

// Shared summaries say what they said before, equal lists are one, and who adds
// to a list adds to a copy.
func TestShare(t *testing.T) {
	cond := func(text string) []flow.Cond {
		return append(make([]flow.Cond, 0, 8), flow.Cond{Source: flow.Source{Event: 1, Param: -1}, Test: flow.Decides, Text: text})
	}
	sum := func() *flow.Summary {
		return &flow.Summary{Events: []flow.Event{{Conds: cond("> 0")}, {Conds: cond("> 0")}, {Conds: cond("< 0")}}}
	}
	s := sum()
	flow.NewPool().Share(s)
	if !reflect.DeepEqual(s, sum()) {
		t.Fatalf("got %v, want %v", s, sum())
	}
	a, b, c := s.Events[0].Conds, s.Events[1].Conds, s.Events[2].Conds
	if &a[0] != &b[0] || &a[0] == &c[0] {
		t.Error("equal lists are apart, or different ones together")
	}
	if longer := append(a, b...); &longer[0] == &a[0] {
		t.Error("a list was added to in place")
	}
}

// A copy of a program lies beside it: its types have the same methods, and no
// package knows them together with the interface.
func TestLinkApart(t *testing.T) {
	set := func(path string) *flow.Package {
		iface, store := path+".Store", path+".disk"
		call := flow.Event{Op: "call", Iface: iface, Method: "Put", Site: []flow.Pos{{File: path, Line: 1}}}
		act := flow.Event{Op: "sql.exec", SQL: "in " + path, Site: []flow.Pos{{File: path, Line: 2}}}
		return &flow.Package{
			Path: path,
			Own: []*flow.Summary{
				{Name: path + ".Use", Events: []flow.Event{call}},
				{Name: "(" + store + ").Put", Events: []flow.Event{act}},
			},
			Sets: []flow.Methods{{Name: iface, Sigs: []string{"Put() ()"}}, {Name: store, Sigs: []string{"Put() ()"}, Funcs: []string{"(" + store + ").Put"}}},
		}
	}
	got := map[string][]string{}
	flow.Link([]*flow.Package{set("m/a"), set("m/a/fixed")}, []flow.Pairing{{Name: "tell", Judge: func(s *flow.Summary) []flow.Found {
		for _, e := range s.Events {
			got[s.Name] = append(got[s.Name], e.SQL)
		}
		return nil
	}}})
	for _, path := range []string{"m/a", "m/a/fixed"} {
		if use := got[path+".Use"]; len(use) != 1 || use[0] != "in "+path {
			t.Errorf("%s.Use does %q, want what its own package does", path, use)
		}
	}
}
