package lockorder

import (
	"go/types"
	"slices"
	"strings"

	"github.com/ccheck/ccheck/analyzers/internal/flow"
	"github.com/ccheck/ccheck/analyzers/internal/libs"
	"github.com/ccheck/ccheck/analyzers/internal/tell"
)

// cycles reports each cycle in the order of locks that this package completes.
func (j *judge) cycles() {
	from := map[string][]edge{}
	for _, e := range j.all {
		from[e.From] = append(from[e.From], e)
	}
	seen := map[string]bool{}
	for _, e := range j.own {
		ring := ringOf(e, from)
		if ring == nil || !j.deadly(ring) {
			continue
		}
		key := names(ring)
		if seen[key] {
			continue
		}
		seen[key] = true
		j.tell(ring)
	}
}

// ringOf is the shortest way round from an edge back to where it begins.
func ringOf(e edge, from map[string][]edge) []edge {
	type way struct {
		at   string
		path []edge
	}
	work, seen := []way{{e.To, []edge{e}}}, map[string]bool{e.To: true}
	for len(work) > 0 {
		w := work[0]
		work = work[1:]
		for _, n := range from[w.at] {
			path := append(slices.Clone(w.path), n)
			if n.To == e.From && !gated(path) {
				return path
			}
			if !seen[n.To] && len(path) < 6 {
				seen[n.To] = true
				work = append(work, way{n.To, path})
			}
		}
	}
	return nil
}

// gated tells whether one more lock is held on every edge: whoever has it is
// alone, and the order below it does not matter.
func gated(ring []edge) bool {
	for _, g := range ring[0].Under {
		if !slices.ContainsFunc(ring[1:], func(e edge) bool { return !slices.Contains(e.Under, g) }) {
			return true
		}
	}
	return false
}

// deadly tells whether every lock of the ring can make somebody wait: one that
// is only ever taken for reading cannot.
func (j *judge) deadly(ring []edge) bool {
	for i, e := range ring {
		before := ring[(i+len(ring)-1)%len(ring)]
		if e.FromRead && before.ToRead && !j.writer[e.From] {
			return false
		}
	}
	return true
}

func names(ring []edge) string {
	var out []string
	for _, e := range ring {
		out = append(out, e.From)
	}
	slices.Sort(out)
	return strings.Join(out, " ")
}

// tell reports a ring at the edge that goes against the grain: from the part
// to the whole, or against the order of declaration; else at its callback, or
// its last.
func (j *judge) tell(ring []edge) {
	at := j.place(ring)
	if at < 0 {
		return
	}
	e := ring[at]
	next := ring[(at+1)%len(ring)]
	lines := []string{
		"deadlock: " + short(e.To) + " is taken while " + short(e.From) + " is held, and elsewhere it is the other way round",
		"  goroutine A, in " + short(e.Func) + ": holds " + short(e.From) + ", wants " + short(e.To) + through(e),
		"  goroutine B, in " + short(next.Func) + ": holds " + short(next.From) + ", wants " + short(next.To) + through(next),
	}
	if len(ring) > 2 {
		lines = append(lines, "  and so on round "+strings.Join(chain(ring), ", "))
	}
	lines = append(lines, "  each waits for the other, for ever",
		"fix: one order for the whole program; or give back the first lock before the call that takes the second, with a copy of what is needed")
	f := flow.Found{At: e.At, Severity: "high", Message: tell.Story(lines...)}
	f.Related = append(f.Related, flow.Note{At: next.At, Text: "the other order: " + short(next.To) + " while " + short(next.From) + " is held"},
		flow.Note{At: e.Held, Text: short(e.From) + " was taken here"})
	for _, o := range []edge{e, next} {
		if o.Through != "" {
			f.Related = append(f.Related, flow.Note{At: o.Inner, Text: short(o.Through) + " takes " + short(o.To) + " here"})
		}
	}
	j.report(f)
}

// place picks the edge of a ring at which it is reported, -1 for none. The edges of
// a package that only joins others, which know nothing of each other, are theirs.
func (j *judge) place(ring []edge) int {
	at := -1
	for i, e := range ring {
		if j.mine(e) && (at < 0 || e.Through != "" || ring[at].Through == "") {
			at = i
		}
	}
	for i, e := range ring {
		if j.mine(e) && (j.inverted(e) || strings.HasPrefix(e.To, "pool:")) {
			return i
		}
	}
	if at >= 0 {
		return at
	}
	for i, e := range ring {
		if at < 0 || e.At.String() < ring[at].At.String() {
			at = i
		}
	}
	return at
}

func (j *judge) report(f flow.Found) {
	if j.said[f.At] {
		return
	}
	j.said[f.At] = true
	f.Report(j.pass, "lockorder")
}

func chain(ring []edge) []string {
	var out []string
	for _, e := range ring {
		out = append(out, short(e.From))
	}
	return out
}

func through(e edge) string {
	if e.Through == "" {
		return ""
	}
	return " through " + short(e.Through)
}

// short drops the folders of an import path.
func short(name string) string {
	name = strings.TrimPrefix(name, "pool:")
	open := strings.LastIndexByte(name, '(')
	if i := strings.LastIndexByte(name, '/'); i >= 0 {
		return name[:open+1] + name[i+1:]
	}
	return name
}

// mine tells whether an edge can be reported here.
func (j *judge) mine(e edge) bool { return j.files[e.At.File] }

// inverted tells whether an edge goes from a part to the whole that holds many
// of it, or, among variables declared side by side, from a later to an earlier.
func (j *judge) inverted(e edge) bool {
	from, to := j.decl(e.From), j.decl(e.To)
	if from == nil || to == nil {
		return false
	}
	if from.owner == nil && to.owner == nil || from.owner == to.owner {
		return from.obj.Pkg() == to.obj.Pkg() && from.obj.Pos() > to.obj.Pos()
	}
	if from.owner == nil || to.owner == nil {
		return false
	}
	up, down := holds(to.owner, from.owner), holds(from.owner, to.owner)
	return up > down
}

// decl is the declaration of a lock: a variable, or a field of a type.
type decl struct {
	obj   types.Object
	owner *types.TypeName
}

func (j *judge) decl(class string) *decl {
	dot := strings.LastIndexByte(class, '.')
	slash := strings.LastIndexByte(class, '/')
	if dot < 0 {
		return nil
	}
	parts := strings.SplitN(class[slash+1:], ".", 3)
	pkg := j.find(class[:slash+1] + parts[0])
	if pkg == nil || len(parts) < 2 {
		return nil
	}
	obj := pkg.Scope().Lookup(parts[1])
	tn, isType := obj.(*types.TypeName)
	switch {
	case obj == nil:
		return nil
	case !isType:
		return &decl{obj: obj}
	case len(parts) < 3:
		return nil
	}
	st, ok := tn.Type().Underlying().(*types.Struct)
	if !ok {
		return nil
	}
	for f := range st.Fields() {
		if f.Name() == parts[2] {
			return &decl{obj: f, owner: tn}
		}
	}
	return nil
}

func (j *judge) find(path string) *types.Package {
	if path == j.pass.Pkg.Path() {
		return j.pass.Pkg
	}
	for _, p := range j.pass.Pkg.Imports() {
		if p.Path() == path {
			return p
		}
	}
	return nil
}

// holds says how much one type holds of another: 2 in a map, slice or type
// argument, 1 in a field, 0 not at all. A generic container holds whatever it
// is used with.
func holds(whole, part *types.TypeName) int {
	n, ok := whole.Type().(*types.Named)
	if ok && n.TypeParams().Len() > 0 && part.Pkg() != whole.Pkg() {
		return 2
	}
	st, ok := whole.Type().Underlying().(*types.Struct)
	if !ok {
		return 0
	}
	best := 0
	for f := range st.Fields() {
		best = max(best, amount(f.Type(), part))
	}
	return best
}

func amount(t types.Type, part *types.TypeName) int {
	switch u := types.Unalias(t).(type) {
	case *types.Pointer:
		return amount(u.Elem(), part)
	case *types.Map:
		return 2 * min(1, amount(u.Elem(), part))
	case *types.Slice:
		return 2 * min(1, amount(u.Elem(), part))
	case *types.Array:
		return 2 * min(1, amount(u.Elem(), part))
	case *types.Named:
		for i := range u.TypeArgs().Len() {
			if amount(u.TypeArgs().At(i), part) > 0 {
				return 2
			}
		}
		if u.Obj() == part || libs.TypeName(t) == part.Name() && libs.Path(t) == part.Pkg().Path() {
			return 1
		}
	}
	return 0
}
