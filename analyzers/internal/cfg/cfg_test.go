package cfg_test

import (
	"testing"

	"golang.org/x/tools/go/ssa"

	"github.com/ccheck/ccheck/analyzers/internal/cfg"
	"github.com/ccheck/ccheck/analyzers/internal/ssatest"
)

const src = `package p

func a() {}
func b() {}
func c() {}

func early(fail bool) {
	a()
	if fail {
		return
	}
	b()
}

func loop(n int) {
	a()
	for range n {
		b()
	}
	c()
}

func choose(x, y chan int) {
	select {
	case <-x:
		a()
	case <-y:
		b()
	}
}
`

func returns(in ssa.Instruction) bool {
	_, ok := in.(*ssa.Return)
	return ok
}

func TestWalk(t *testing.T) {
	fns := ssatest.Build(t, src)
	tests := []struct {
		fn, from, stop string
		found          bool
	}{
		{"early", "a", "b", true},  // the return before b
		{"loop", "a", "c", false},  // every path passes c
		{"loop", "a", "b", true},   // no turn at all
		{"loop", "c", "a", true},   // straight to the end
		{"early", "b", "a", true},  // straight to the end
		{"choose", "a", "b", true}, // one case does not pass the other
	}
	for _, test := range tests {
		fn := fns[test.fn]
		got := cfg.Walk(ssatest.Calls(fn, test.from)[0], func(in ssa.Instruction) cfg.Step {
			if in == ssa.Instruction(ssatest.Calls(fn, test.stop)[0]) {
				return cfg.Stop
			}
			if returns(in) {
				return cfg.Found
			}
			return cfg.On
		}, nil)
		if got != test.found {
			t.Errorf("%s: from %s to a return without %s: %v, want %v", test.fn, test.from, test.stop, got, test.found)
		}
	}
}

func TestLoop(t *testing.T) {
	fn := ssatest.Build(t, src)["loop"]
	for name, want := range map[string]bool{"a": false, "b": true, "c": false} {
		if got := cfg.Within(ssatest.Calls(fn, name)[0].Block()); got != want {
			t.Errorf("%s is in a loop: %v, want %v", name, got, want)
		}
	}
}

func TestCase(t *testing.T) {
	fn := ssatest.Build(t, src)["choose"]
	var sel *ssa.Select
	cfg.Each(fn, func(in ssa.Instruction) {
		if s, ok := in.(*ssa.Select); ok {
			sel = s
		}
	})
	chosen := map[int]*ssa.BasicBlock{}
	for _, b := range fn.Blocks {
		for i, s := range b.Succs {
			if n, yes, ok := cfg.Case(sel, b, i); ok && yes {
				chosen[n] = s
			}
		}
	}
	for n, name := range []string{"a", "b"} {
		if want := ssatest.Calls(fn, name)[0].Block(); chosen[n] != want {
			t.Errorf("case %d leads to %v, want %v, the block of %s", n, chosen[n], want, name)
		}
	}
}

func TestSides(t *testing.T) {
	fn := ssatest.Build(t, src)["early"]
	yes, no := cfg.Sides(ssatest.Calls(fn, "a")[0].Block())
	b := ssatest.Calls(fn, "b")[0].Block()
	if yes[b] || !no[b] {
		t.Errorf("b is on the side of true: %v, of false: %v; want false and true", yes[b], no[b])
	}
}
