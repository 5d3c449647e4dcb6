package flow

import (
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/ccheck/ccheck/analyzers/internal/libs"
)

// link is one call in a chain of a builder's methods.
type link struct {
	row  *libs.Row
	args []ssa.Value // without the receiver
	call *ssa.Call
}

// chain walks from a value back over the calls that built it.
func (m *maker) chain(v ssa.Value) (links []link, base ssa.Value) {
	taken := map[*ssa.Phi]int{}
	for range 60 {
		call, ok := unwrap(v, taken).(*ssa.Call)
		if !ok {
			break
		}
		row := m.rowOf(call)
		if inner, arg := m.helper(call); row == nil && arg != nil {
			slices.Reverse(inner)
			links, v = append(links, inner...), arg
			continue
		}
		if row == nil || row.Op != libs.Build {
			break
		}
		args := arguments(&call.Call)
		l := link{row: row, call: call}
		if row.Type == "" {
			l.args, v = args, nil
		} else {
			l.args, v = args[1:], args[0]
		}
		links = append(links, l)
		if row.Note == "scopes" {
			links = append(links, m.scopes(l.args)...)
		}
		if v == nil {
			break
		}
	}
	slices.Reverse(links)
	return links, v
}

// helper looks into a function of the package that adds clauses to a builder it
// is given, as forUpdate(db) does: what it adds, and the argument it adds to.
func (m *maker) helper(call *ssa.Call) (links []link, arg ssa.Value) {
	fn := call.Call.StaticCallee()
	if fn == nil || fn.Pkg != m.fn.Pkg || libs.HandleOf(call.Type()) == libs.NoHandle || fn == m.fn {
		return nil, nil
	}
	links, base := m.added(fn)
	p, ok := base.(*ssa.Parameter)
	if i := slices.Index(fn.Params, p); ok && i >= 0 && i < len(call.Call.Args) {
		return links, call.Call.Args[i]
	}
	return nil, nil
}

// scopes are the clauses that the functions add which gorm's Scopes calls.
func (m *maker) scopes(args []ssa.Value) []link {
	var all []link
	for _, a := range args {
		elems, ok := m.elements(a)
		if !ok {
			elems = []ssa.Value{a}
		}
		for _, e := range elems {
			if ct, ok := e.(*ssa.ChangeType); ok {
				e = ct.X
			}
			if fn, ok := e.(*ssa.Function); ok {
				links, _ := m.added(fn)
				all = append(all, links...)
			}
		}
	}
	return all
}

// added are the clauses that do not depend on what the function is given: locks,
// conflicts, orders.
func (m *maker) added(fn *ssa.Function) (links []link, base ssa.Value) {
	for _, b := range fn.Blocks {
		if r, ok := b.Instrs[len(b.Instrs)-1].(*ssa.Return); ok && len(r.Results) == 1 {
			links, base = m.chain(r.Results[0])
		}
	}
	return slices.DeleteFunc(links, func(l link) bool {
		switch l.row.Note {
		case "clauses", "for", "suffix", "order", "limit", "option":
			return false
		}
		return true
	}), base
}

func (m *maker) rowOf(call *ssa.Call) *libs.Row {
	if call.Call.IsInvoke() {
		if row := libs.Lookup(call.Call.Method); row != nil {
			return row
		}
		return libs.Resembling(call.Call.Method)
	}
	if f := call.Call.StaticCallee(); f != nil {
		if fn, ok := f.Object().(*types.Func); ok {
			return libs.Lookup(fn)
		}
	}
	return nil
}

// unwrap looks through copies of a builder: variables that are set once, and
// branches that add to it, of which the longest is taken. taken counts how often
// it came to each of them: a loop adds to a builder once, and what was there
// before the loop is next.
func unwrap(v ssa.Value, taken map[*ssa.Phi]int) ssa.Value {
	for range 20 {
		switch x := v.(type) {
		case *ssa.Phi:
			v = branch(x, taken[x])
			taken[x]++
		case *ssa.UnOp:
			a, ok := x.X.(*ssa.Alloc)
			if !ok || x.Op != token.MUL {
				return v
			}
			st := lastStore(a, x)
			if st == nil {
				return v
			}
			v = st.Val
		case *ssa.ChangeInterface:
			v = x.X
		default:
			return v
		}
	}
	return v
}

// branch is the n-th longest of the ways that meet: that of the call which comes
// last in the source is the longest.
func branch(x *ssa.Phi, n int) ssa.Value {
	edges := slices.Clone(x.Edges)
	slices.SortStableFunc(edges, func(a, b ssa.Value) int {
		_, isA := a.(*ssa.Call)
		_, isB := b.(*ssa.Call)
		switch {
		case isA != isB && isA:
			return -1
		case isA != isB:
			return 1
		}
		return int(b.Pos()) - int(a.Pos())
	})
	return edges[min(n, len(edges)-1)]
}

func lastStore(a *ssa.Alloc, use ssa.Instruction) *ssa.Store {
	var last *ssa.Store
	for _, r := range *a.Referrers() {
		st, ok := r.(*ssa.Store)
		if ok && st.Addr == ssa.Value(a) && before(st, use) && (last == nil || before(last, st)) {
			last = st
		}
	}
	return last
}

// built gives an event the statement that a builder has collected.
func (m *maker) built(s *site, row *libs.Row, e *Event) {
	if row.Note == "prepared" {
		m.prepared(s.args[0], e)
		return
	}
	links, base := m.chain(s.args[0])
	w := &writer{m: m, use: s.instr, links: links, verb: row.Note, row: row}
	if n := row.Dest; n != libs.None && n+1 < len(s.args) && !isNil(s.args[n+1]) {
		w.dest, w.more = s.args[n+1], s.args[n+2:]
		if elems, ok := m.elements(w.dest); ok && len(elems) > 0 && row.Path == xormPath {
			w.dest = elems[0]
		}
	}
	if row.Note == "set" || row.Note == "sets" || row.Note == "ent get" {
		w.more = s.args[1:]
	}
	if base != nil {
		e.On = m.value(base, s.instr)
		e.Handle = max(libs.AnyHandle, libs.HandleOf(base.Type()), e.On.Handle)
		if e.On.Given == "" {
			e.On.Given = m.runsOn(base)
		}
	}
	e.SQL, e.Args = w.statement()
	e.Note = w.note(e.Note)
	if w.kind == "insert" {
		e.Val = w.rowsOf(s.instr)
	}
}

// runsOn names the handle that a function of the package gives to the builder with
// which it answers.
func (m *maker) runsOn(base ssa.Value) (name string) {
	call, ok := base.(*ssa.Call)
	if !ok {
		return ""
	}
	fn := call.Call.StaticCallee()
	if fn == nil || fn.Pkg != m.fn.Pkg || fn == m.fn {
		return ""
	}
	for _, b := range fn.Blocks {
		r, ok := b.Instrs[len(b.Instrs)-1].(*ssa.Return)
		if !ok || len(r.Results) != 1 {
			continue
		}
		links, _ := m.chain(r.Results[0])
		for _, l := range links {
			if l.row.Note == "handle" && len(l.args) > 0 {
				name = sourceName(behind(l.args[0]))
			}
		}
	}
	return name
}

func extracted(v ssa.Value) ssa.Value {
	if x, ok := v.(*ssa.Extract); ok {
		return x.Tuple
	}
	return v
}

// model is the value that receives what a chain reads: bun's Model.
func (m *maker) model(v ssa.Value) ssa.Value {
	links, _ := m.chain(v)
	for _, l := range links {
		if l.row.Note == "model" && len(l.args) > 0 {
			return l.args[0]
		}
	}
	return nil
}

// tableOf is the table that an ORM stores a type in, "" when the type does not
// say: what TableName returns, bun's tag, or the plural of the name.
func (m *maker) tableOf(v ssa.Value) string {
	named := structType(v)
	if named == nil {
		return ""
	}
	if name := tableName(m.fn.Prog, named); name != "" {
		return name
	}
	st := named.Underlying().(*types.Struct)
	for i := range st.NumFields() {
		for part := range strings.SplitSeq(tagValue(st.Tag(i), "bun"), ",") {
			if name, ok := strings.CutPrefix(part, "table:"); ok {
				return name
			}
		}
	}
	return plural(snake(named.Obj().Name()))
}

// structType is the named structure behind pointers, slices and interfaces.
func structType(v ssa.Value) *types.Named {
	t := v.Type()
	if mi, ok := v.(*ssa.MakeInterface); ok {
		t = mi.X.Type()
	}
	for range 6 {
		switch x := types.Unalias(t).(type) {
		case *types.Pointer:
			t = x.Elem()
		case *types.Slice:
			t = x.Elem()
		case *types.Named:
			if _, ok := x.Underlying().(*types.Struct); ok {
				return x
			}
			t = x.Underlying()
		default:
			return nil
		}
	}
	return nil
}
