package callers_test

import (
	"testing"

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
