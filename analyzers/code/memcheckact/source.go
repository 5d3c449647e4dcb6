package memcheckact

import (
	"regexp"
	"slices"
	"strings"

	"github.com/ccheck/ccheck/analyzers/internal/flow"
	"github.com/ccheck/ccheck/analyzers/internal/libs"
)

// sourced tells whether what is stored comes from a source of truth.
func sourced(s *flow.Summary, act *flow.Event) bool {
	made := alive(s, act) || opens(act.Val.Via) || cancels(act.Val.Desc)
	answered := slices.ContainsFunc(act.Val.From, func(p flow.Part) bool {
		if p.Event < 0 || acts(s.Events[p.Event].Op) || reads(s.Events[p.Event].Op) || p.Calc && strings.HasPrefix(p.Source.Path, ".@") {
			return false // the last was made before, and only handed round
		}
		e := &s.Events[p.Event]
		made = made || e.Op == libs.Calls && (constructor(called(e)) || wraps(e))
		return true
	})
	return !made && (answered || filled(act.Val.Desc, act.Key.Desc) || decoded(act))
}

// decoded tells whether what is stored was read, as a whole, out of what its key was
// made of: a schema under the hash of its text.
func decoded(act *flow.Event) bool {
	for _, p := range act.Val.From {
		of := p.Source
		of.Calc = false
		if p.Path != "" || !p.Calc || !slices.ContainsFunc(act.Key.From, func(k flow.Part) bool { k.Calc = false; return k.Source == of }) {
			return false
		}
	}
	return act.Val.Class == "new" && len(act.Val.From) > 0
}

// alive tells whether a goroutine runs a method of the thing that is stored: two of
// these are one too many, whatever they were made of.
func alive(s *flow.Summary, act *flow.Event) bool {
	return act.Val.Class == "new" && slices.ContainsFunc(s.Events, func(e flow.Event) bool { return e.Op == libs.Go && e.Val.Same(act.Val.Desc) })
}

// cancels tells whether a value is the function that ends a context: each belongs to
// one run, and who stores another over it can no longer end the first.
func cancels(d flow.Desc) bool {
	return d.Root == flow.Local && strings.HasPrefix(d.Class, "call context.With")
}

// connection is a name of a function that opens what must be closed.
var connection = regexp.MustCompile(`(?i)dial|connect|conn$|listen|client$|session$|pool$`)

// wraps tells whether a call makes something around a connection that was opened
// for it.
func wraps(e *flow.Event) bool {
	return slices.ContainsFunc(e.Args, func(v flow.Value) bool {
		name, call := strings.CutPrefix(v.Class, "call ")
		return call && v.Root == flow.Local && opens(name)
	})
}

// opens tells from its name whether a function opens a connection, of which two are
// one too many, wherever its settings came from.
func opens(name string) bool { return constructor(name) && connection.MatchString(name) }

// called is the name of the function behind an unresolved call: a method, or the
// field or parameter that holds it.
func called(e *flow.Event) string {
	if e.Method != "" {
		return e.Method
	}
	return e.On.Path
}

// filled tells whether a value comes from a source that would give the same to
// everybody: the answer of a query, or of a call that is no constructor. Two
// goroutines that fill a cache with it waste work and lose nothing. So does a
// value that is made of the key alone.
func filled(d, key flow.Desc) bool {
	if key.Known() && d.String() == key.String() {
		return true
	}
	switch d.Root {
	case flow.Expr:
		return !slices.ContainsFunc(d.Args, func(a flow.Desc) bool { return a.Root != flow.Const && !filled(a, key) })
	case flow.Result:
		return true
	case flow.Local:
		name, call := strings.CutPrefix(d.Class, "call ")
		return call && !constructor(name) && !strings.HasPrefix(name, "(time.Time).Unix") // the time of each caller is another
	case flow.Global:
		return true
	case flow.Unknown:
		return len(d.Args) > 0 && !slices.ContainsFunc(d.Args, func(a flow.Desc) bool { return !filled(a, key) })
	}
	return false
}

// constructor tells from its name whether a function makes a new thing, of
// which two are one too many.
func constructor(name string) bool {
	name = name[strings.LastIndexByte(name, '.')+1:]
	for _, p := range []string{"New", "new", "Make", "make", "Dial", "dial", "Open", "open", "Connect", "connect", "Start", "start", "Listen", "Create", "create", "Init", "init", "Now",
		"Alloc", "alloc", "Reserve", "reserve", "Acquire", "acquire", "Obtain", "obtain", "Claim", "claim", "Issue", "issue", "Generate", "generate"} {
		if strings.HasPrefix(name, p) {
			return true
		}
	}
	return false
}
