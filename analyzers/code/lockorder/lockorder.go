package lockorder

import (
	"fmt"
	"maps"
	"path"
	"slices"

	"golang.org/x/tools/go/analysis"

	"github.com/ccheck/ccheck/analyzers/internal/callers"
	"github.com/ccheck/ccheck/analyzers/internal/flow"
	"github.com/ccheck/ccheck/analyzers/internal/libs"
)

// Analyzer reports orders of locks that can end in a deadlock.
var Analyzer = &analysis.Analyzer{
	Name:      "lockorder",
	Doc:       Doc,
	Requires:  []*analysis.Analyzer{flow.Analyzer},
	FactTypes: []analysis.Fact{new(orders)},
	Run:       run,
}

// orders carries what a package does with locks to those that import it.
type orders struct {
	Edges  []edge
	Fields []list // of a field of function type: the functions stored in it
	Params []list // of "function#2", a parameter: the fields that it is stored in
	Selves []list // of a field: the types whose objects put themselves there
	Open   []open
}

// list is an entry of a map; facts hold no maps, whose order is not the same twice.
type list struct {
	Name string
	Of   []string
}

func lists(m map[string][]string) []list {
	var out []list
	for _, name := range slices.Sorted(maps.Keys(m)) {
		if len(m[name]) > 0 {
			out = append(out, list{name, m[name]})
		}
	}
	return out
}

func merge(m map[string][]string, ls []list) {
	for _, l := range ls {
		m[l.Name] = append(m[l.Name], l.Of...)
	}
}

// AFact marks the type as a fact.
func (*orders) AFact() {}

func (*orders) String() string { return "orders of locks" }

// edge says that a lock is taken while another is held.
type edge struct {
	From, To string // declarations
	At       flow.Pos
	Held     flow.Pos // where From was taken
	Under    []string // other locks that are held
	Func     string
	Through  string   // a callback that takes To, when it is one
	Inner    flow.Pos // where the callback takes it
	FromRead bool
	ToRead   bool
}

// judge looks at the functions of one package.
type judge struct {
	pass   *analysis.Pass
	pkg    *flow.Package
	calls  *callers.Index
	own    []edge
	all    []edge
	files  map[string]bool // of this package
	open   []open          // calls under a lock, here and in imports, whose targets other packages may have
	fields map[string][]string
	params map[string][]string
	selves map[string][]string
	impls  []flow.Impl
	writer map[string]bool // locks that somebody takes for writing
	said   map[flow.Pos]bool
}

func run(pass *analysis.Pass) (any, error) {
	pkg := pass.ResultOf[flow.Analyzer].(*flow.Package)
	if pkg.SSA == nil {
		return nil, nil
	}
	j := &judge{pass: pass, pkg: pkg, calls: callers.Of(pkg.Funcs), fields: map[string][]string{}, params: map[string][]string{}, selves: map[string][]string{}, writer: map[string]bool{}, said: map[flow.Pos]bool{}, files: map[string]bool{}}
	for _, f := range pass.Files {
		j.files[pass.Fset.Position(f.Name.Pos()).Filename] = true // behind the line directive of cgo
	}
	var before []list
	for _, f := range pass.AllPackageFacts() {
		o := f.Fact.(*orders)
		j.all = append(j.all, o.Edges...)
		j.open = append(j.open, o.Open...)
		merge(j.fields, o.Fields)
		merge(j.params, o.Params)
		before = append(before, o.Selves...)
	}
	j.impls = j.joined()
	fields, params := j.stored()
	selves := lists(j.selves)
	merge(j.selves, before)
	merge(j.fields, lists(fields))
	for _, s := range pkg.Own {
		j.collect(s)
	}
	j.forgotten()
	mine := j.closed()
	j.own = distinct(j.own)
	j.all = append(j.all, j.own...)
	j.cycles()
	if len(j.own)+len(fields)+len(params)+len(selves)+len(mine) > 0 {
		pass.ExportPackageFact(&orders{Edges: j.own, Fields: lists(fields), Params: lists(params), Selves: selves, Open: mine})
	}
	return nil, nil
}

// distinct keeps one edge of those that say the same.
func distinct(edges []edge) []edge {
	seen := map[string]bool{}
	return slices.DeleteFunc(edges, func(e edge) bool {
		key := fmt.Sprint(e.From, e.To, e.Under, e.FromRead, e.ToRead)
		old := seen[key]
		seen[key] = true
		return old
	})
}

// collect gathers the edges of a function, and reports what is wrong by itself.
func (j *judge) collect(s *flow.Summary) {
	for i := range s.Events {
		e := &s.Events[i]
		switch {
		case e.Op == libs.Lock || e.Op == libs.Conn || e.Op == libs.Begin && e.Handle == libs.Pool:
			j.writer[class(e)] = true
			j.taken(s, i)
			j.listed(s, i)
		case e.Op == libs.RLock:
			j.taken(s, i)
		case e.Op == libs.Calls && len(e.Held) > 0 && !e.Async && !e.Later:
			j.called(s, e)
		case e.Op == libs.Wait && !e.Async && !e.Later:
			j.waits(s, e)
		case e.Op == libs.Send && !e.Async && !e.Later:
			j.sends(s, e)
		case e.Op == libs.Recv && !e.Async && !e.Later && len(e.Held) > 0:
			j.joins(s, e)
		}
	}
	j.pooled(s)
}

// taken looks at a lock that is taken while others are held.
func (j *judge) taken(s *flow.Summary, i int) {
	e := &s.Events[i]
	for _, h := range e.Held {
		held := &s.Events[h]
		if h == i || elsewhere(held, e) || givenBack(s, h, i) {
			continue
		}
		from, to := class(held), class(e)
		switch {
		case from == "" || to == "":
		case sameLock(held, e):
			j.again(s, held, e)
		case from == to:
			j.siblings(s, held, e)
		default:
			j.own = append(j.own, edge{From: from, To: to, At: j.at(e), Held: innermost(held), Under: j.under(s, e, h), Func: s.Name, FromRead: held.Op == libs.RLock, ToRead: e.Op == libs.RLock})
		}
	}
}

// elsewhere tells whether an event runs in another goroutine than the one that
// took the lock, or may run when it is given back.
func elsewhere(held, e *flow.Event) bool {
	return e.Async && !held.Async || e.Later && !(held.Later && held.In == e.In)
}

// givenBack tells whether the callee that takes the lock i gives back the held
// one first: a function that is entered with a lock and returns without.
func givenBack(s *flow.Summary, h, i int) bool {
	held, e := &s.Events[h], &s.Events[i]
	if len(e.Site) < 2 || held.Site[0] == e.Site[0] {
		return false
	}
	for u := range i { // what comes later, in a loop, gives back what was taken here
		o := &s.Events[u]
		if (o.Op == libs.Unlock || o.Op == libs.RUnlock) && !o.Deferred && o.Site[0] == e.Site[0] && len(o.Site) > 1 && o.On.String() == held.On.String() && s.After(u, i) {
			return true
		}
	}
	return false
}

// class is the declaration of a lock, or of the pool that a connection is
// waited for from; "" for a lock that is a local variable.
func class(e *flow.Event) string {
	switch e.Op {
	case libs.Conn, libs.Begin, libs.Query, libs.Exec:
		return "pool:" + e.On.Class
	}
	if e.On.Root == flow.Local && e.On.Path == "" {
		return ""
	}
	return e.On.Class
}

// sameLock tells whether both events take one lock of one value.
func sameLock(a, b *flow.Event) bool { return a.On.Same(b.On.Desc) }

func (j *judge) under(s *flow.Summary, e *flow.Event, but int) []string {
	var out []string
	for _, h := range e.Held {
		if h != but {
			out = append(out, class(&s.Events[h]))
		}
	}
	return out
}

// at is the place of an event: the innermost one within the package.
func (j *judge) at(e *flow.Event) flow.Pos {
	for _, p := range slices.Backward(e.Site) {
		if path.Dir(p.File) == path.Dir(e.Site[0].File) {
			return p
		}
	}
	return e.Site[0]
}

func innermost(e *flow.Event) flow.Pos { return e.Site[len(e.Site)-1] }
