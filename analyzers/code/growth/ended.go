package growth

import (
	"go/constant"
	"go/types"
	"regexp"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/ccheck/ccheck/analyzers/internal/cfg"
	"github.com/ccheck/ccheck/analyzers/internal/libs"
	"github.com/ccheck/ccheck/analyzers/internal/place"
	"github.com/ccheck/ccheck/analyzers/internal/tell"
)

// ended judges containers whose entries the package itself knows to be over, and
// keeps: their owners go away, they are marked as closed, or their lists run empty.
func (j *judge) ended(in ssa.Instruction) {
	g, ok := j.grows[in]
	if !ok || !shared(g) || !j.reachable(in.Parent(), 0) {
		return
	}
	if j.fires(g) {
		j.toldOver(g, "each entry is a timer, and stays when the timer has fired")
	}
	if j.shrinks[g.holds] || g.key != nil && bounded(g.key) {
		return
	}
	if g.key == nil {
		if visitor(g.val.Type()) && j.came(g.val, 0) {
			j.toldOver(g, "each "+libs.TypeName(g.val.Type())+" that comes is added, and kept alive when it is gone")
		}
		return
	}
	switch {
	case visitor(g.key.Type()):
		j.toldOver(g, "an entry for each "+libs.TypeName(g.key.Type())+" that comes, and keeps it alive when it is gone")
	case visitor(g.val.Type()) && client(g.key) && j.came(g.val, 0):
		j.toldOver(g, "an entry for each "+libs.TypeName(g.val.Type())+" that comes, and keeps it alive when it is gone")
	case j.marked[g.holds]:
		j.toldOver(g, "entries that are marked as over stay in it")
	case canceller(g.val.Type()) && identity(g.key) && !asked(g):
		j.toldOver(g, "each entry cancels one piece of work, and stays when that has ended")
	case j.emptied[g.holds] && !less(g.val) && !nothing(g) && (identity(g.key) || client(g.key) || counted(g.key, 0) || crowd(g)), j.group(g):
		j.toldOver(g, "a key stays when all that it had is taken out")
	default:
		j.answered(g)
	}
}

func (j *judge) toldOver(g growing, why string) {
	j.Found(g.pos, tell.Story(
		named(g.holds)+" only grows: "+why+", and nothing in this package that can run takes an entry out",
		"  somebody comes, and an entry is added",
		"  they leave, and the entry stays: memory rises until the process is killed",
		"fix: delete the entry where its owner ends, in the same function or deferred beside the add",
	), nil)
}

// shared tells whether a container is one of the process, or of a structure with a
// lock that lives longer than the call.
func shared(g growing) bool {
	switch h := g.holds.(type) {
	case *ssa.Global:
		return h.Pkg == g.in.Parent().Pkg
	case *types.Var:
		return locked(g.base)
	}
	return false
}

// visitorName are types of which there is one for everybody who comes.
var visitorName = regexp.MustCompile(`(?i)(client|conn|connection|session|peer|socket|stream|subscriber|request|player|visitor)(interface)?$`)

// visitor tells whether keys are the objects of those who come: behind a pointer or an
// interface, or with the connection in a structure that is copied.
func visitor(t types.Type) bool {
	if !visitorName.MatchString(libs.TypeName(t)) {
		return false
	}
	switch u := t.Underlying().(type) {
	case *types.Pointer, *types.Interface:
		return true
	case *types.Struct:
		for f := range u.Fields() {
			if visitor(f.Type()) || stream(f.Type()) {
				return true
			}
		}
	}
	return false
}

// stream tells whether a type is an interface that something is written to or read from.
func stream(t types.Type) bool {
	u, ok := t.Underlying().(*types.Interface)
	if !ok {
		return false
	}
	for m := range u.Methods() {
		if m.Name() == "Write" || m.Name() == "Read" {
			return true
		}
	}
	return false
}

// canceller tells whether a value ends a context, or is a timer: there is one for each
// piece of work.
func canceller(t types.Type) bool {
	return libs.Path(t) == "context" && libs.TypeName(t) == "CancelFunc" || libs.Path(t) == "time" && libs.TypeName(t) == "Timer"
}

// came tells whether a value is a connection that somebody opened from outside: it
// was accepted, here or by whoever calls this function.
func (j *judge) came(v ssa.Value, depth int) bool {
	if depth > 4 { // a function may call itself
		return false
	}
	switch v := v.(type) {
	case *ssa.Extract:
		return j.came(v.Tuple, depth+1)
	case *ssa.Call:
		return acceptName.MatchString(place.CalleeName(v.Common()))
	case *ssa.Parameter:
		args, _ := j.calls.Args(v)
		return listened(v, 0) || slices.ContainsFunc(args, func(a ssa.Value) bool { return j.came(a, depth+1) })
	}
	return false
}

// listened tells whether a function reads from a connection that it was given until
// there is nothing more: itself, or by way of what it has made around it.
func listened(v ssa.Value, depth int) bool {
	if depth > 2 || v.Referrers() == nil {
		return false
	}
	return slices.ContainsFunc(*v.Referrers(), func(r ssa.Instruction) bool {
		switch r := r.(type) {
		case *ssa.ChangeInterface:
			return listened(r, depth+1)
		case *ssa.MakeInterface:
			return listened(r, depth+1)
		case *ssa.Call:
			if cfg.Within(r.Block()) {
				return readName.MatchString(calledAs(r.Common()))
			}
			return listened(r, depth+1)
		}
		return false
	})
}

var readName = regexp.MustCompile(`(?i)\b(read\w*|scan|decode|recv\w*|receive\w*)$`)

var acceptName = regexp.MustCompile(`\.(Accept|AcceptTCP|AcceptUnix|Upgrade|Hijack)$`)

// endName are fields that say that an entry is over.
var endName = regexp.MustCompile(`(?i)^(is_?)?(closed?|ended|finished|done|dead|disconnected|left|terminated|stopped|gone)_?(at|time|on)?$`)

// mark notes a store that says of an entry that it is over.
func (j *judge) mark(in ssa.Instruction) {
	st, ok := in.(*ssa.Store)
	if !ok {
		return
	}
	fa, ok := st.Addr.(*ssa.FieldAddr)
	if !ok || !endName.MatchString(place.FieldOf(fa.X.Type(), fa.Field).Name()) || !final(st.Val) {
		return
	}
	if l := lookup(fa.X); l != nil {
		if h := heldBy(l.X); h != nil {
			j.marked[h] = true
		}
	}
}

// final tells whether a value is true, or the time now.
func final(v ssa.Value) bool {
	switch v := v.(type) {
	case *ssa.Const:
		return v.Value != nil && v.Value.Kind() == constant.Bool && constant.BoolVal(v.Value)
	case *ssa.Call:
		name := place.CalleeName(v.Common())
		return name == "time.Now" || name == "(time.Time).UTC" && final(v.Call.Args[0])
	}
	return false
}

// lookup is the look into a map that a value comes from.
func lookup(v ssa.Value) *ssa.Lookup {
	switch v := v.(type) {
	case *ssa.Lookup:
		return v
	case *ssa.Extract:
		return lookup(v.Tuple)
	case *ssa.Slice:
		return lookup(v.X)
	}
	return nil
}

// emptying notes what takes something out of the list or map of one key, and leaves
// the key.
func (j *judge) emptying(in ssa.Instruction) {
	var l *ssa.Lookup
	var of container
	switch in := in.(type) {
	case *ssa.MapUpdate:
		if of = heldBy(in.Map); less(in.Value) {
			l = lookup(in.Value.(*ssa.Call).Call.Args[0])
		}
	case *ssa.Call:
		if place.CalleeName(in.Common()) == "builtin.delete" {
			l = lookup(in.Call.Args[0])
		}
	}
	if l == nil {
		return
	}
	if h := heldBy(l.X); h != nil && (of == nil || of == h) {
		j.emptied[h] = true
	}
}

// less tells whether a value is a list with something taken out:
// append(l[:i], l[i+1:]...) or slices.Delete.
func less(v ssa.Value) bool {
	c, ok := v.(*ssa.Call)
	if !ok || len(c.Call.Args) < 2 {
		return false
	}
	switch place.CalleeName(c.Common()) {
	case "builtin.append":
		_, before := c.Call.Args[0].(*ssa.Slice)
		return before
	case "slices.Delete", "slices.DeleteFunc", "golang.org/x/exp/slices.Delete":
		return true
	}
	return false
}

// over looks for all that says so in a package.
func (j *judge) over() {
	for _, fn := range j.fns {
		cfg.Each(fn, j.mark)
		cfg.Each(fn, j.emptying)
		cfg.Each(fn, j.void)
	}
	for _, fn := range j.fns {
		cfg.Each(fn, j.ended)
	}
}
