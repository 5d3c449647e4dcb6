package lockorder

import (
	"regexp"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/ccheck/ccheck/analyzers/internal/cfg"
	"github.com/ccheck/ccheck/analyzers/internal/flow"
	"github.com/ccheck/ccheck/analyzers/internal/place"
	"github.com/ccheck/ccheck/analyzers/internal/tell"
)

// turn is a call that takes a lock or gives it back.
type turn struct {
	in       ssa.CallInstruction
	on       string // the lock, as the function names it
	deferred bool
}

var methods = [2][2]string{{"Lock", "Unlock"}, {"RLock", "RUnlock"}}

// turns are the calls of a function by the name of the method.
func turns(fn *ssa.Function) map[string][]turn {
	all := map[string][]turn{}
	cfg.Each(fn, func(in ssa.Instruction) {
		c, ok := in.(ssa.CallInstruction)
		if !ok || len(c.Common().Args) == 0 {
			return
		}
		method, ok := strings.CutPrefix(place.CalleeName(c.Common()), "(*sync.")
		if !ok {
			return
		}
		_, name, _ := strings.Cut(method, ").")
		_, now := in.(*ssa.Call)
		all[name] = append(all[name], turn{c, place.Of(c.Common().Args[0]).String(), !now})
	})
	return all
}

// keeper are names of functions that may return with a lock on purpose.
var keeper = regexp.MustCompile(`(?i)lock|acquire|begin|enter|hold|borrow|open|start`)

// forgotten reports a return before which a lock is not given back, in a
// function that gives it back on its other paths.
func (j *judge) forgotten() {
	for _, fn := range j.pkg.Funcs {
		if keeper.MatchString(fn.Name()) {
			continue
		}
		all := turns(fn)
		for _, m := range methods {
			take, give := m[0], m[1]
			for _, t := range all[take] {
				mine := func(u turn) bool { return u.on == t.on }
				gives := slices.Collect(keep(all[give], mine))
				if t.deferred || len(gives) == 0 || slices.ContainsFunc(gives, func(u turn) bool { return u.deferred }) || len(fn.AnonFuncs) > 0 {
					continue
				}
				if ret := early(t, gives); ret != nil {
					j.stays(fn, t, ret)
				}
			}
		}
	}
}

func keep(all []turn, yes func(turn) bool) func(func(turn) bool) {
	return func(yield func(turn) bool) {
		for _, t := range all {
			if yes(t) && !yield(t) {
				return
			}
		}
	}
}

// early is a return that no path reaches after the lock was given back, and
// some path while it is held: a branch of its own that forgot it.
func early(t turn, gives []turn) ssa.Instruction {
	after := map[*ssa.BasicBlock]bool{}
	for _, g := range gives {
		if !cfg.Before(t.in, g.in) {
			return nil
		}
		for b := range cfg.From(g.in.Block()) {
			after[b] = true
		}
	}
	var found ssa.Instruction
	cfg.Walk(t.in, func(in ssa.Instruction) cfg.Step {
		if c, ok := in.(ssa.CallInstruction); ok {
			if slices.ContainsFunc(gives, func(g turn) bool { return g.in == c }) || ends(c) {
				return cfg.Stop
			}
		}
		if _, ok := in.(*ssa.Return); ok && !after[in.Block()] {
			found = in
			return cfg.Found
		}
		return cfg.On
	}, nil)
	return found
}

// ends tells whether the program ends with a call.
func ends(c ssa.CallInstruction) bool {
	name := place.CalleeName(c.Common())
	return name == "os.Exit" || strings.HasPrefix(name, "log.Fatal") || strings.HasPrefix(name, "log.Panic") || strings.Contains(name, ").Fatal") || strings.Contains(name, ").Panic")
}

// stays reports a return with the lock held, unless somebody else in the
// package gives back a lock that it did not take.
func (j *judge) stays(fn *ssa.Function, t turn, ret ssa.Instruction) {
	fa, ok := t.in.Common().Args[0].(*ssa.FieldAddr)
	if !ok || j.givenElsewhere(fieldClass(fa)) || !ret.Pos().IsValid() {
		return
	}
	at, taken := j.pass.Fset.Position(ret.Pos()), j.pass.Fset.Position(t.in.Pos())
	j.report(flow.Found{At: flow.Pos{File: at.Filename, Line: at.Line, Col: at.Column}, Severity: "high",
		Message: tell.Story("deadlock: this path returns with "+short(fieldClass(fa))+" held, and the others give it back",
			"  goroutine A: takes the lock, and returns here",
			"  goroutine B: Lock, and A's next one: nobody will ever unlock, all wait for ever",
			"fix: defer the Unlock right after the Lock, or unlock before this return"),
		Related: []flow.Note{{At: flow.Pos{File: taken.Filename, Line: taken.Line, Col: taken.Column}, Text: "it is taken here"}},
	})
}

// givenElsewhere tells whether some function of the package gives back a lock of
// this declaration without having taken it.
func (j *judge) givenElsewhere(class string) bool {
	for _, fn := range j.pkg.Funcs {
		all := turns(fn)
		for _, m := range methods {
			take, give := m[0], m[1]
			for _, g := range all[give] {
				fa, ok := g.in.Common().Args[0].(*ssa.FieldAddr)
				if !ok || fieldClass(fa) != class {
					continue
				}
				if !slices.ContainsFunc(all[take], func(t turn) bool { return t.on == g.on }) {
					return true
				}
			}
		}
	}
	return false
}
