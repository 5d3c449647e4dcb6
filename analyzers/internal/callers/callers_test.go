package callers_test

import (
	"go/constant"
	"slices"
	"testing"

	"golang.org/x/tools/go/ssa"

	"github.com/ccheck/ccheck/analyzers/internal/callers"
	"github.com/ccheck/ccheck/analyzers/internal/ssatest"
)

func TestIndex(t *testing.T) {
	fns := ssatest.Build(t, `package p

type T struct{ f func() }

func (t *T) method() {}
func closed()        {}
func taken()         {}
func unused()        {}
func Exported()      {}

func use(t *T) {
	closed()
	closed()
	Exported()
	go taken()
	t.f = taken
	t.f = t.method
}
`)
	x := callers.Of(ssatest.All(fns))
	tests := []struct {
		name           string
		calls          int
		closed, isUsed bool
	}{
		{"closed", 2, true, true},
		{"taken", 1, false, true},
		{"method", 0, false, true},
		{"unused", 0, false, false},
		{"Exported", 1, false, true},
	}
	for _, test := range tests {
		fn := fns[test.name]
		if n := len(x.Calls(fn)); n != test.calls {
			t.Errorf("%s: %d calls, want %d", test.name, n, test.calls)
		}
		if x.Closed(fn) != test.closed {
			t.Errorf("%s: all callers known: %v, want %v", test.name, !test.closed, test.closed)
		}
		if x.Used(fn) != test.isUsed {
			t.Errorf("%s: used: %v, want %v", test.name, !test.isUsed, test.isUsed)
		}
	}
}

func TestGiven(t *testing.T) {
	fns := ssatest.Build(t, `package p

type store interface{ save(id, text string) }

type memory struct{}

func (m *memory) save(id, text string) {}

type other interface{ save(id string) }

func use(s store, m *memory, o other) {
	s.save("behind", "1")
	m.save("direct", "2")
	o.save("of another interface")
}
`)
	x := callers.Of(ssatest.All(fns))
	var got []string
	for _, a := range x.Given(fns["save"].Params[1]) {
		got = append(got, constant.StringVal(a.(*ssa.Const).Value))
	}
	slices.Sort(got)
	if want := []string{"behind", "direct"}; !slices.Equal(got, want) {
		t.Errorf("given %q, want %q", got, want)
	}
	if n := len(x.Given(fns["save"].Params[0])); n != 1 {
		t.Errorf("%d receivers are given, want the one of the direct call", n)
	}
}
