package growth

import (
	"go/types"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/ccheck/ccheck/analyzers/internal/callers"
	"github.com/ccheck/ccheck/analyzers/internal/place"
)

// crowd tells whether a container has, under a text that callers give, those who
// listen: they come and go, and choose the text. A registry of functions has few, and
// so has one whose keys are of a type of their own.
func crowd(g growing) bool {
	return text(g.key) && given(g.key) && people(member(g.val.Type()))
}

func text(key ssa.Value) bool {
	b, ok := types.Unalias(key.Type()).(*types.Basic)
	return ok && b.Info()&types.IsString != 0
}

// member is the type of what the container of one key has: the elements of a list, the
// keys of a set; nil for what is none.
func member(t types.Type) types.Type {
	switch u := t.Underlying().(type) {
	case *types.Slice:
		return u.Elem()
	case *types.Map:
		if _, pointer := u.Key().Underlying().(*types.Basic); pointer {
			return u.Elem()
		}
		return u.Key()
	}
	return nil
}

// people tells whether a type is one of those who come and go: a connection, a
// channel, or a structure with one.
func people(t types.Type) bool {
	if t == nil {
		return false
	}
	if _, fn := t.Underlying().(*types.Signature); fn {
		return false
	}
	return visitor(t) || awaits(t)
}

// group tells whether an entry is a structure from which members are taken out one by
// one, under a name that somebody gives: a room that runs empty.
func (j *judge) group(g growing) bool {
	p, ok := g.val.Type().Underlying().(*types.Pointer)
	if !ok || !given(g.key) || !(identity(g.key) || client(g.key) || text(g.key) && crowdName.MatchString(called(g))) {
		return false
	}
	st, ok := p.Elem().Underlying().(*types.Struct)
	if !ok {
		return false
	}
	for f := range st.Fields() {
		h := container(f.Origin())
		if isContainer(f.Type()) && len(j.answers[h]) > 0 && !j.bounds[h] {
			return true
		}
	}
	return false
}

// crowdName are things that people join under a name that they choose.
var crowdName = regexp.MustCompile(`(?i)room|channel|chat|lobby|game|group|subject|folder|topic|stream`)

func called(g growing) string { return named(g.holds) + " " + g.val.Type().String() }

// fires tells whether an entry is a timer which only whoever cancels it takes out: the
// function that it runs does not.
func (j *judge) fires(g growing) bool {
	c, ok := g.val.(*ssa.Call)
	if !ok || g.key == nil || place.CalleeName(c.Common()) != "time.AfterFunc" || j.bounds[g.holds] || len(j.answers[g.holds]) == 0 {
		return false
	}
	if !identity(g.key) && !client(g.key) {
		return false
	}
	fn := callers.Function(c.Call.Args[1])
	return fn != nil && !j.takes(fn, g.holds, 0) && !slices.ContainsFunc(j.answers[g.holds], func(d ssa.CallInstruction) bool {
		return d.Parent() == g.in.Parent()
	})
}

// annalName are lists of what has happened, and diaristName those who keep them as
// long as the process lives. A collector of the errors of one run is none.
var (
	annalName   = regexp.MustCompile(`(?i)(history|events?|logs?|errors?|errs|records?|audits?|audit_?trail|samples|deliveries|attempts|entries|notifications|alerts|failures|traces?|latencies|durations|timings|operations|actions|visits|queries|sent|received|processed|handled|delivered)$`)
	diaristName = regexp.MustCompile(`(?i)(server|service|manager|broker|hub|tracker|monitor|client|engine|bus|daemon|scheduler|supervisor|node|proxy|gateway|dispatcher|controller|notifier|mailer|sender|publisher|consumer|processor|listener|watcher|agent|bot|limiter|metrics|stats)$`)
	joiningName = regexp.MustCompile(`(?i)^(register|use|with|on|subscribe|handle|add(handler|hook|listener|observer|option)|configure|load|init|new)`)
)

// annals tells whether a list of what has happened gets longer with each call of
// something that lives as long as the process.
func annals(g growing) bool {
	if _, ok := g.base.(*ssa.FieldAddr); !ok || g.key != nil || joiningName.MatchString(g.in.Parent().Name()) || !annalName.MatchString(strings.TrimPrefix(named(g.holds), "the field ")) {
		return false
	}
	switch g.val.Type().Underlying().(type) {
	case *types.Signature, *types.Chan:
		return false
	}
	return diaristName.MatchString(owner(g))
}
