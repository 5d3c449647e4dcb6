package place_test

import (
	"testing"

	"github.com/ccheck/ccheck/analyzers/internal/place"
	"github.com/ccheck/ccheck/analyzers/internal/ssatest"
)

const src = `package p

type T struct {
	m    map[string]int
	next *T
}

var global = map[string]int{}

func same(a, b any) {}

func pick() *T { return nil }

func join(parts ...string) string { return "" }

func f(t *T, k string, n int) {
	same(t.m[k], t.m[k])
	same(t.next.m, t.next.m)
	same(global[k+"x"], global[k+"x"])
	same(join(k, "a"), join(k, "a"))
	c := t
	same(c.m, t.m)
	func() { same(t.m, t.m) }()

	same(t.m[k], t.m["k"])
	same(t.m, t.next.m)
	same(pick(), pick())
	same(n+1, n+2)
	if n > 1 {
		c = t.next
	}
	same(c.m, t.m)
}
`

func TestOf(t *testing.T) {
	fns := ssatest.Build(t, src)
	tests := []struct {
		line  string
		equal bool
		text  string // of the first argument
	}{
		{"element by parameter", true, "param0.m[param1]"},
		{"field of field", true, "param0.next.m"},
		{"global by expression", true, `p.global[+(param1, "x")]`},
		{"call of plain result", true, `p.join(...(param1, "a"))`},
		{"copy of a parameter", true, "param0.m"},
		{"another key", false, "param0.m[param1]"},
		{"another owner", false, "param0.m"},
		{"call of a pointer", false, ""},
		{"another sum", false, "+(param2, 1)"},
		{"one of two", false, ""},
	}
	calls := ssatest.Calls(fns["f"], "same")
	if len(calls) != len(tests) {
		t.Fatalf("%d calls, %d tests", len(calls), len(tests))
	}
	for i, test := range tests {
		a, b := place.Of(calls[i].Call.Args[0]), place.Of(calls[i].Call.Args[1])
		if a.Equal(b) != test.equal {
			t.Errorf("%s: %s and %s, equal should be %v", test.line, a, b, test.equal)
		}
		if test.text != "" && a.String() != test.text {
			t.Errorf("%s: got %s, want %s", test.line, a, test.text)
		}
	}
}

func TestShared(t *testing.T) {
	fns := ssatest.Build(t, `package p

type T struct{ m map[string]int }

var global T

func use(any) {}

func f(t *T) {
	use(t.m)
	use(global.m)
	u := &T{}
	use(u.m)
}
`)
	for i, want := range []bool{true, true, false} {
		c := ssatest.Calls(fns["f"], "use")[i]
		if p := place.Of(c.Call.Args[0]); p.Shared() != want {
			t.Errorf("%s: shared %v, want %v", p, !want, want)
		}
	}
}
