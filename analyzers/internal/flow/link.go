package flow

import (
	"cmp"
	"slices"

	"github.com/ccheck/ccheck/analyzers/internal/libs"
)

// Linked is a finding of the whole-program step.
type Linked struct {
	Rule string
	Found
}

// Link resolves the interfaces of the given packages (all those of the module)
// to the types that implement them, and runs the judgements over all functions
// with all their callers at hand. It returns what the analyzers found in their
// packages once more; equal findings have equal places.
func Link(pkgs []*Package, pairings []Pairing) []Linked {
	l := newLinker(pkgs)
	view := newView()
	view.Whole = true
	pool := NewPool()
	for _, p := range pkgs {
		view.declare(p)
		for _, s := range p.Own {
			for _, v := range l.versions(s) {
				view.add(v)
				if v != s {
					pool.Share(v)
					view.linked[v] = s
				}
			}
		}
	}
	for _, s := range view.sums {
		s.Folded = s.Folded || l.folded[s.Name]
	}
	view.index()
	var out []Linked
	for _, p := range pairings {
		said := map[Pos]bool{} // versions of one function say the same
		for _, f := range view.judge(p) {
			if !said[f.At] {
				said[f.At] = true
				out = append(out, Linked{p.Name, f})
			}
		}
	}
	return out
}

// linker folds the implementations of interfaces into the summaries.
type linker struct {
	funcs map[string]*Summary
	impls map[string][]map[string]string // by interface: function by method, one map for each type
	// folded are the function literals that were folded into their parents.
	folded map[string]bool
}

func newLinker(pkgs []*Package) *linker {
	l := &linker{funcs: map[string]*Summary{}, impls: map[string][]map[string]string{}, folded: map[string]bool{}}
	for _, p := range pkgs {
		for _, s := range p.Own {
			l.funcs[s.Name] = s
		}
	}
	wanted := map[string]bool{}
	for _, s := range l.funcs {
		for i := range s.Events {
			wanted[s.Events[i].Iface] = true
		}
	}
	known := importers(pkgs)
	for _, p := range pkgs {
		for _, iface := range p.Sets {
			if iface.Funcs == nil && wanted[iface.Name] {
				l.impls[iface.Name] = nearest(l.implementations(pkgs, iface, known), iface)
			}
		}
	}
	return l
}

// implementations are the types that have the interface's methods and do
// something in them: a mock in memory does not. Those that nobody can have put
// into the interface are dropped: no package knows both, as with a copy of a
// program that lies beside it. Where the program that joins them is not in
// sight, all are kept.
func (l *linker) implementations(pkgs []*Package, iface Methods, known map[string]Bits) []map[string]string {
	var all, met []map[string]string
	for _, p := range pkgs {
		for _, t := range p.Sets {
			funcs, ok := t.has(iface)
			if !ok || !l.acts(funcs) {
				continue
			}
			all = append(all, funcs)
			if known[p.Path].meets(known[packageOf(iface.Name)]) {
				met = append(met, funcs)
			}
		}
	}
	if len(met) > 0 {
		return met
	}
	return all
}

func (l *linker) acts(funcs map[string]string) bool {
	for _, f := range funcs {
		if s := l.funcs[f]; s != nil && (len(s.Events) > 0 || s.judges()) {
			return true
		}
	}
	return false
}

// judges reports whether a function answers with what it made of its arguments:
// a condition that is met or not.
func (s *Summary) judges() bool {
	return slices.ContainsFunc(s.Results, func(r []Part) bool {
		return slices.ContainsFunc(r, func(p Part) bool { return p.Param > 0 && p.Calc })
	})
}

// mostVersions bounds the implementations that are tried for one function.
const mostVersions = 3

// versions are the summary with its interfaces resolved, one for each choice of
// implementations; the summary itself when there is nothing to resolve.
func (l *linker) versions(s *Summary) []*Summary {
	n := 0
	for i := range s.Events {
		if e := &s.Events[i]; e.Op == libs.Calls || l.routed(e, 0) != "" {
			n = max(n, len(l.impls[e.Iface]))
		}
		if l.funcs[s.Events[i].Behind] != nil {
			n = max(n, 1)
		}
	}
	if n == 0 {
		return []*Summary{s}
	}
	var all []*Summary
	for v := range min(n, mostVersions) {
		all = append(all, l.version(s, v))
	}
	return all
}

func (l *linker) version(s *Summary, choice int) *Summary {
	n := *s
	n.Events, n.Asks, n.Results, n.Descs = nil, nil, nil, nil
	f := &frame{sum: s, inline: true}
	for k := range s.Params {
		f.args = append(f.args, Value{Desc: Desc{Root: Param, N: k}, From: []Part{{Source: Source{Event: -1, Param: k}}}})
	}
	e := &expansion{linker: l, into: &n, choice: choice}
	e.fold(f, 0)
	e.refold(f)
	e.sequence()
	e.asks(f)
	for _, r := range s.Results {
		n.Results = append(n.Results, f.parts(r))
	}
	for _, d := range s.Descs {
		n.Descs = append(n.Descs, f.desc(d))
	}
	return &n
}

// farthest is the number of interfaces behind each other that are resolved: the
// layers of a service are seldom more.
const farthest = 4

// expansion is the making of one version.
type expansion struct {
	*linker
	into   *Summary
	choice int
	from   []step
}

// step is where an event of the version comes from.
type step struct {
	frame *frame
	index int
}

// fold finds the place of each event; refold translates them.
func (x *expansion) fold(f *frame, depth int) {
	f.index = make([]int, len(f.sum.Events))
	for i := range f.sum.Events {
		f.index[i] = -1
		old := &f.sum.Events[i]
		if fn := x.target(f, old); fn != nil && depth < farthest && !f.recursive(fn) {
			x.foldCall(f, i, fn, depth)
			continue
		}
		if memory[old.Op] && depth > 0 && !shared(f.desc(old.On.Desc)) {
			continue
		}
		if len(x.from) < 2*tooMany {
			f.index[i] = len(x.from)
			x.from = append(x.from, step{f, i})
		}
	}
}

func (f *frame) recursive(fn *Summary) bool {
	for g := f; g != nil; g = g.outer {
		if g.sum.Name == fn.Name {
			return true
		}
	}
	return false
}

// target is the function that an unresolved call reaches.
func (x *expansion) target(f *frame, e *Event) *Summary {
	if e.Op != libs.Calls {
		return nil
	}
	if impls := x.impls[e.Iface]; e.Iface != "" && len(impls) > 0 {
		return x.funcs[impls[x.choice%len(impls)][e.Method]]
	}
	if on := f.behind(e); on.Root == Func && on.Path == "" {
		return x.funcs[on.Name]
	}
	return nil
}

func (x *expansion) foldCall(f *frame, i int, fn *Summary, depth int) {
	old := &f.sum.Events[i]
	args := func() []Value {
		if old.Iface != "" {
			return f.values(old.Args)
		}
		return bind(f.behind(old), fn, f.values(old.Args))
	}
	g := &frame{sum: fn, outer: f, call: i, way: f.places(old.Site), again: args, args: args(), locals: f.locals + fn.Name + "."}
	g.inline = fn.Parent != "" && fn.Parent == x.into.Name
	if g.inline {
		x.linker.folded[fn.Name] = true
	}
	if f.calls == nil {
		f.calls = map[int]*frame{}
	}
	f.calls[i] = g
	x.fold(g, depth+1)
}

// refold translates all events again, now that all indexes are known: arguments
// can come from calls that are folded later in a loop.
func (x *expansion) refold(f *frame) {
	f.refresh()
	x.into.Events = make([]Event, len(x.from))
	for i, st := range x.from {
		x.into.Events[i] = st.frame.event(&st.frame.sum.Events[st.index])
		x.route(&x.into.Events[i], x.choice)
	}
}

func (x *expansion) sequence() {
	paths := make([][]step, len(x.from))
	for i, st := range x.from {
		paths[i] = st.path()
	}
	for i, a := range paths {
		for j, b := range paths {
			if follows(a, b) {
				x.into.Events[i].Then.Set(j)
			}
		}
	}
}

// follows compares where two events part.
func follows(a, b []step) bool {
	for k := 0; k < len(a) && k < len(b); k++ {
		if a[k].frame != b[k].frame {
			return false
		}
		if a[k].index != b[k].index || k == len(a)-1 {
			return a[k].frame.sum.After(a[k].index, b[k].index)
		}
	}
	return false
}

// path are the steps from the outermost function to the event.
func (s step) path() []step {
	path := []step{s}
	for f := s.frame; f.outer != nil; f = f.outer {
		path = append(path, step{f.outer, f.call})
	}
	slices.Reverse(path)
	return path
}

func (x *expansion) asks(f *frame) {
	for _, a := range f.sum.Asks {
		for _, p := range f.source(a.Source) {
			if p.Source != none {
				a.Source = p.Source
				x.into.Asks = append(x.into.Asks, a)
			}
		}
	}
	for _, i := range sortedCalls(f.calls) {
		x.asks(f.calls[i])
	}
}

func sortedCalls(m map[int]*frame) []int {
	keys := make([]int, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.SortFunc(keys, cmp.Compare)
	return keys
}
