package kvcheckact

import (
	"slices"
	"strings"

	"github.com/ccheck/ccheck/analyzers/internal/flow"
	"github.com/ccheck/ccheck/analyzers/internal/pair"
)

// sameKey tells whether both commands are about one key.
func sameKey(s *flow.Summary, i, j int) bool {
	a, b := key(s.Events[i].Key), key(s.Events[j].Key)
	if b.Root == flow.Result && b.N == i || orMade(s, i, j) {
		return true // the item itself
	}
	return named(a) && (a.String() == b.String() || pair.Alike(s, a, b)) || read(s, i, j) && carried(s, a, b) || !read(s, i, j) && below(s, i, a, b)
}

// orMade tells whether memcached is given back the item that was read, or one that
// was made where there was none.
func orMade(s *flow.Summary, i, j int) bool {
	b := s.Events[j].Key.Desc
	return b.Name == "phi" && strings.Contains(s.Events[j].Call, "memcache") && slices.ContainsFunc(b.Args, func(a flow.Desc) bool { return a.Root == flow.Result && a.N == i })
}

// key is the key itself, also where it is a field of the item that is stored.
func key(v flow.Value) flow.Desc {
	if k, ok := v.Parts[".Key"]; ok {
		return k
	}
	return v.Desc
}

// named tells whether two equal descriptions are one key: what a loop varies is,
// within one turn.
func named(d flow.Desc) bool {
	return (d.Root != flow.Unknown || len(d.Args) > 0) && !slices.ContainsFunc(d.Args, func(a flow.Desc) bool { return !named(a) })
}

// read tells whether part of the key of event j was in the answer of event i.
func read(s *flow.Summary, i, j int) bool {
	return from(s.Events[j].Key, i)
}

// from tells whether something of the answer of event i flows into a value.
func from(v flow.Value, i int) bool {
	return slices.ContainsFunc(v.From, func(p flow.Part) bool { return p.Event == i && !strings.Contains(p.Source.Path, ".err") })
}

// carried tells whether a key is made as another one is, from the name that the
// stored object has itself instead of the argument by which it was sought:
// "cart:" + user, and "cart:" + cart.User.
func carried(s *flow.Summary, a, b flow.Desc) bool {
	if a.Root != flow.Expr || b.Root != flow.Expr || a.Name != b.Name || len(a.Args) != len(b.Args) {
		return own(s, a, b)
	}
	for k := range a.Args {
		if !a.Args[k].Same(b.Args[k]) && !carried(s, a.Args[k], b.Args[k]) {
			return false
		}
	}
	return true
}

// own tells whether a field is what an object is called: its id, or what the
// argument is called by which it was sought.
func own(s *flow.Summary, sought, field flow.Desc) bool {
	if sought.Root != flow.Param || field.Root != flow.Local && field.Root != flow.Result {
		return false
	}
	name := field.Path[strings.LastIndexByte(field.Path, '.')+1:]
	switch strings.ToLower(name) {
	case "":
		return false
	case "id", "key", "uuid", "token", "code", "name", "slug":
		return true
	}
	return sought.N < len(s.Names) && strings.EqualFold(name, s.Names[sought.N])
}

// below tells whether etcd was asked for all keys below a prefix, of which the
// second is a new one: who writes another one beside it conflicts with nothing.
func below(s *flow.Summary, i int, prefix, key flow.Desc) bool {
	return strings.Contains(s.Events[i].Call, "etcd") && key.Root == flow.Expr && key.Name == "+" && len(key.Args) == 2 &&
		(prefix.Same(key.Args[0]) || key.Args[0].Root == flow.Expr && below(s, i, prefix, key.Args[0]))
}
