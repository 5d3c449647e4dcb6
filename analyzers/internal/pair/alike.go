package pair

import (
	"regexp"

	"github.com/ccheck/ccheck/analyzers/internal/flow"
	"github.com/ccheck/ccheck/analyzers/internal/libs"
)

// Alike tells whether two descriptions are one value when it is believed that a
// method gives the same each time whose name says what the object is called:
// "user:" + p.Name(), written twice.
func Alike(s *flow.Summary, a, b flow.Desc) bool {
	if a.Same(b) {
		return true
	}
	if a.Root != b.Root || a.Path != b.Path {
		return false
	}
	switch a.Root {
	case flow.Result:
		return accessor(s, a.N) && accessor(s, b.N) && s.Events[a.N].Call == s.Events[b.N].Call && s.Events[a.N].On.Same(s.Events[b.N].On.Desc)
	case flow.Expr:
		return a.Name == b.Name && eachAlike(s, a.Args, b.Args)
	}
	return false
}

func eachAlike(s *flow.Summary, a, b []flow.Desc) bool {
	for k := range a {
		if k >= len(b) || !Alike(s, a[k], b[k]) {
			return false
		}
	}
	return len(a) == len(b)
}

// callsItself is a name for what stays with an object; NextID and NewKey give
// another one each time.
var (
	callsItself = regexp.MustCompile(`(?i)^(string|.*(id|name|key|kind|type|slug|address|addr|path|url|uri|email|prefix|namespace|tenant|subject|hash))$`)
	anotherEach = regexp.MustCompile(`(?i)^(new|next|make|gen|create|rand|pick|pop|take|alloc|read)`)
)

// accessor tells whether event i asks an object, by a method without arguments of
// an interface, what it is called.
func accessor(s *flow.Summary, i int) bool {
	if i >= len(s.Events) {
		return false
	}
	e := &s.Events[i]
	return e.Op == libs.Calls && e.Iface != "" && len(e.Args) == 1 && callsItself.MatchString(e.Method) && !anotherEach.MatchString(e.Method)
}
