package growth

import (
	"go/token"
	"go/types"
	"maps"
	"slices"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/passes/buildssa"
	"golang.org/x/tools/go/ssa"

	"github.com/ccheck/ccheck/analyzers/internal/callers"
	"github.com/ccheck/ccheck/analyzers/internal/cfg"
	"github.com/ccheck/ccheck/analyzers/internal/libs"
	"github.com/ccheck/ccheck/analyzers/internal/served"
	"github.com/ccheck/ccheck/analyzers/internal/tell"
)

// Analyzer reports containers that only grow.
var Analyzer = &analysis.Analyzer{
	Name:     "growth",
	Doc:      Doc,
	Requires: []*analysis.Analyzer{buildssa.Analyzer},
	Run:      run,
}

// container is the variable or field that holds a map, slice or sync.Map.
type container any // *ssa.Global, *types.Var of a field, *ssa.Alloc, or *ssa.MakeMap

// growing is a statement that makes a container larger by one.
type growing struct {
	in    ssa.Instruction
	pos   token.Pos
	holds container
	base  ssa.Value // what the container was read from
	key   ssa.Value // nil for a slice
	val   ssa.Value
}

// judge looks at the functions of one package.
type judge struct {
	*tell.Teller
	fns     []*ssa.Function
	calls   *callers.Index
	shrinks map[container]bool
	marked  map[container]bool                  // something says of entries that they are over
	emptied map[container]bool                  // something empties what one key has
	counted map[container]bool                  // entries are read, changed, and stored back
	lazy    map[container]bool                  // an entry that has expired is taken out when it is asked for
	answers map[container][]ssa.CallInstruction // of shrinks, what takes out the entry of one key
	bounds  map[container]bool                  // and what does more than that
	grows   map[ssa.Instruction]growing
	tales   map[container]tale
}

func run(pass *analysis.Pass) (any, error) {
	built := pass.ResultOf[buildssa.Analyzer].(*buildssa.SSA)
	fns := built.SrcFuncs
	j := &judge{Teller: tell.New(pass), fns: fns, calls: callers.Of(append(fns[:len(fns):len(fns)], built.Pkg.Func("init"))), shrinks: map[container]bool{}, marked: map[container]bool{}, emptied: map[container]bool{}, counted: map[container]bool{}, lazy: map[container]bool{}, answers: map[container][]ssa.CallInstruction{}, bounds: map[container]bool{}, grows: map[ssa.Instruction]growing{}, tales: map[container]tale{}}
	for _, fn := range fns {
		cfg.Each(fn, func(in ssa.Instruction) {
			g, ok := grow(in)
			if ok && updates(g) {
				j.counted[g.holds] = true
			}
			if ok && !replaces(g) {
				j.grows[in] = g
			} else {
				j.shrink(in)
			}
		})
	}
	served.Walk(fns, j.calls, j.request)
	served.Walk(fns, j.calls, j.series)
	for _, fn := range fns {
		cfg.Each(fn, j.history)
		cfg.Each(fn, j.consumer)
		cfg.Each(fn, j.pending)
		cfg.Each(fn, j.abandoned)
		cfg.Each(fn, j.forgotten)
	}
	j.over()
	j.tell()
	return nil, nil
}

// request judges a statement that a handler reaches.
func (j *judge) request(c *served.Context, in ssa.Instruction) {
	g, ok := j.grows[in]
	if !ok || j.shrinks[g.holds] || !c.Shared(g.base) || !j.perKey(g) || j.listed(g.key, 0) || j.known(g) || j.lazy[g.holds] && !j.chosen(g.key, 0) && !client(g.key) || j.wired(c.Handler, g.key, 0) {
		return
	}
	// What a library hands to a callback, the program chose: the name of a page.
	if libs.Callback(c.Handler.Name(), c.Handler.Signature) == "" || g.key == nil || j.chosen(g.key, 0) || client(g.key) {
		j.told(g, c.Kind+" handlers")
	}
}

// history judges a statement that nobody is known to reach, for containers
// that carry times or have an entry for each visit: those collect what happened,
// and registries do not.
func (j *judge) history(in ssa.Instruction) {
	g, ok := j.grows[in]
	if !ok || j.shrinks[g.holds] || g.key != nil && (bounded(g.key) || pinned(g) || j.listed(g.key, 0) || j.known(g)) || !j.reachable(in.Parent(), 0) {
		return
	}
	perID := g.key != nil && guards(g.val.Type()) && identity(g.key)
	switch h := g.holds.(type) {
	case *ssa.Global:
		ok = h.Pkg == in.Parent().Pkg && (timed(g) || perID || j.past(g) || j.survivor(g) || j.indexes(g) || j.outlives(g))
	case *types.Var:
		ok = locked(g.base) && (timed(g) || perID || j.past(g) || j.survivor(g) || j.indexes(g) || j.outlives(g) || worker(g) || j.looked(g) || annals(g) || g.key != nil && j.perKey(g) && (client(g.key) || j.visits(g)))
	default:
		ok = false
	}
	if ok && (!j.lazy[g.holds] || client(g.key)) {
		j.told(g, "callers of this package")
	}
}

// locked tells whether the owner of a container has a lock: it is shared, and
// lives long.
func locked(base ssa.Value) bool {
	fa := fieldAt(base)
	if fa == nil {
		return false
	}
	if _, made := fa.X.(*ssa.Alloc); made {
		return false
	}
	return hasLock(fa.X.Type().Underlying().(*types.Pointer).Elem(), 0) || locked(fa.X)
}

// fieldAt is the field that a container was read from, nil for one that is no field.
func fieldAt(base ssa.Value) *ssa.FieldAddr {
	if u, ok := base.(*ssa.UnOp); ok {
		base = u.X
	}
	fa, _ := base.(*ssa.FieldAddr)
	return fa
}

// hasLock tells whether a structure has a lock, or what it embeds has one.
func hasLock(t types.Type, depth int) bool {
	if p, ok := t.Underlying().(*types.Pointer); ok {
		t = p.Elem()
	}
	st, ok := t.Underlying().(*types.Struct)
	if !ok || depth > 2 {
		return false
	}
	for f := range st.Fields() {
		if libs.Path(f.Type()) == "sync" || f.Embedded() && hasLock(f.Type(), depth+1) {
			return true
		}
	}
	return false
}

// reachable tells whether an exported function leads to fn.
func (j *judge) reachable(fn *ssa.Function, depth int) bool {
	if fn.Object() != nil && fn.Object().Exported() || len(j.calls.Values(fn)) > 0 {
		return fn.Name() != "init"
	}
	if depth > 6 {
		return false
	}
	for _, c := range j.calls.Calls(fn) {
		if j.reachable(c.Parent(), depth+1) {
			return true
		}
	}
	return false
}

// told notes a container that only grows, with the first place where it does: the
// mend is the same for all of them.
func (j *judge) told(g growing, who string) {
	if initial(g) {
		return
	}
	if t, ok := j.tales[g.holds]; !ok || t.who == who && g.pos < t.pos {
		j.tales[g.holds] = tale{g, who}
	}
}

// tale is a report to come.
type tale struct {
	growing
	who string
}

func (j *judge) tell() {
	for _, t := range slices.SortedFunc(maps.Values(j.tales), func(a, b tale) int { return int(a.pos - b.pos) }) {
		j.report(t.growing, t.who)
	}
}

func (j *judge) report(g growing, who string) {
	name := named(g.holds)
	out := "nothing in this package that can run takes anything out"
	if j.lazy[g.holds] {
		out = "what has expired is taken out only when the same key is asked for again"
	}
	j.Found(g.pos, tell.Story(
		name+" only grows: "+who+" add to it, and "+out,
		"  each new key or event adds an entry; whoever chooses the keys decides how many there are",
		"  entries of those who left stay: memory rises until the process is killed",
		"fix: evict by age while the lock is held (delete what is older than the window, at most once a minute); or use a cache with a limit (an LRU); or store it where it expires by itself",
	), nil)
}

func named(c container) string {
	switch c := c.(type) {
	case *ssa.Global:
		return c.Name()
	case *types.Var:
		return "the field " + c.Name()
	case *ssa.Alloc:
		return c.Comment
	}
	return "this map"
}
