package flow

import (
	"go/token"
	"go/types"
	"strconv"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/ccheck/ccheck/analyzers/internal/libs"
)

// place makes the events of one instruction.
func (m *maker) place(in ssa.Instruction) {
	call, ok := in.(ssa.CallInstruction)
	if !ok {
		m.placeMemory(in)
		return
	}
	s := &site{instr: in}
	_, s.defers = in.(*ssa.Defer)
	_, s.async = in.(*ssa.Go)
	s.args = arguments(call.Common())
	for _, a := range s.args {
		s.values = append(s.values, m.value(a, nil))
	}
	if s.async {
		e := m.newEvent(in, libs.Go, calledName(call.Common()))
		e.On = m.calledValue(call.Common())
		m.push(s, e)
	}
	m.placeCall(s, call.Common())
	m.sites[in] = s
	m.order = append(m.order, s)
}

func (m *maker) placeCall(s *site, c *ssa.CallCommon) {
	if b, ok := c.Value.(*ssa.Builtin); ok {
		m.placeBuiltin(s, b)
		return
	}
	fn := c.Method
	callee := c.StaticCallee()
	if callee != nil {
		if callee.Origin() != nil {
			callee = callee.Origin()
		}
		fn, _ = callee.Object().(*types.Func)
	}
	if row := libs.Lookup(fn); row != nil {
		m.placeRow(s, row, c)
		return
	}
	if callee != nil {
		m.placeStatic(s, callee, fn)
		return
	}
	if c.IsInvoke() {
		m.placeInvoke(s, c)
		return
	}
	m.placeDynamic(s, c)
}

// placeStatic folds the callee, or lets a stranger call the function literals
// it is given.
func (m *maker) placeStatic(s *site, callee *ssa.Function, fn *types.Func) {
	sum := m.b.callee(callee)
	if sum == nil {
		if fn != nil && fn.Signature().Recv() != nil {
			if row := libs.ByShape(fn); row != nil {
				m.placeRow(s, row, s.instr.(ssa.CallInstruction).Common())
				return
			}
		}
		m.callbacks(s)
		return
	}
	if c := closureOf(s.instr.(ssa.CallInstruction).Common().Value); c != nil {
		s.values = append(s.values[:len(s.values):len(s.values)], m.value(c, nil).Bound...)
		s.args = append(s.args[:len(s.args):len(s.args)], c.Bindings...)
	}
	s.top = m.fold(s, sum, func() []Value { return s.values })
}

// callbacks lets an unknown function call the literals that it is given.
func (m *maker) callbacks(s *site) {
	async, later := s.async, s.later
	if c, ok := s.instr.(ssa.CallInstruction); ok {
		name := calledFull(c.Common())
		s.async, s.later = async || background[name], later || !immediate(name)
	}
	for i, a := range s.args {
		if c := closureOf(a); c != nil {
			m.callLiteral(s, c, func() []Value { return s.values[i].Bound })
		}
	}
	s.async, s.later = async, later
}

// background are functions that run what they are given in a goroutine.
var background = map[string]bool{
	"time.AfterFunc": true, "context.AfterFunc": true, "(*sync.WaitGroup).Go": true, "(*golang.org/x/sync/errgroup.Group).Go": true, "(*golang.org/x/sync/errgroup.Group).TryGo": true,
}

// immediate tells whether a function calls what it is given before it returns,
// and keeps nothing of it.
func immediate(name string) bool {
	for _, p := range []string{"sort.", "slices.", "maps.", "strings.", "bytes.", "path/filepath.Walk", "io/fs.Walk", "(*sync.Map).Range", "go/ast."} {
		if strings.HasPrefix(name, p) {
			return true
		}
	}
	return false
}

// callLiteral folds a function literal of this function; nothing is known of
// its parameters.
func (m *maker) callLiteral(s *site, c *ssa.MakeClosure, bound func() []Value) {
	fn := c.Fn.(*ssa.Function)
	sum := m.b.callee(fn)
	if sum == nil || m.closure[sum.Name] == nil {
		return
	}
	f := m.fold(s, sum, func() []Value { return append(make([]Value, len(fn.Params)), bound()...) })
	f.under = calledFull(s.instr.(ssa.CallInstruction).Common())
}

// placeInvoke keeps a call through an interface of the module for Link.
func (m *maker) placeInvoke(s *site, c *ssa.CallCommon) {
	if row := libs.ByShape(c.Method); row != nil {
		m.placeRow(s, row, c)
		return
	}
	path, name := libs.Path(c.Value.Type()), libs.TypeName(c.Value.Type())
	if name == "" || !sameModule(path, m.fn.Pkg.Pkg.Path()) {
		m.callbacks(s)
		return
	}
	e := m.newEvent(s.instr, libs.Calls, path+"."+name+"."+c.Method.Name())
	e.Iface, e.Method = path+"."+name, c.Method.Name()
	e.On = s.values[0]
	e.Args = s.values
	m.push(s, e)
}

// placeDynamic calls a function value: a literal of this function, or something
// that only a caller can tell.
func (m *maker) placeDynamic(s *site, c *ssa.CallCommon) {
	n := len(s.args)
	s.args = append(s.args[:n:n], c.Value)
	s.values = append(s.values[:n:n], m.value(c.Value, nil))
	m.callValue(s, n, func() []Value { return s.values[:n] })
	m.callbacks(s)
}

// callValue folds the function behind an argument of the site, or leaves the
// call to the caller.
func (m *maker) callValue(s *site, fn int, args func() []Value) {
	on := s.values[fn]
	if sum := m.function(on.Desc); sum != nil {
		f := m.fold(s, sum, func() []Value { return bind(s.values[fn], sum, args()) })
		if s.row == nil {
			s.top = f
		}
		return
	}
	if on.Root != Param && on.Root != Local && on.Root != Global {
		return
	}
	e := m.newEvent(s.instr, libs.Calls, on.String())
	e.On, e.Args = on, args()
	m.push(s, e)
}

// function is the summary of a function value that is known.
func (m *maker) function(d Desc) *Summary {
	if d.Root != Func || d.Path != "" {
		return nil
	}
	if c := m.closure[d.Name]; c != nil {
		return m.b.callee(c.Fn.(*ssa.Function))
	}
	return m.b.byName(d.Name)
}

// bind puts what a function captured behind its arguments, and the receiver of
// a method value before them.
func bind(fn Value, sum *Summary, args []Value) []Value {
	bound := fn.Bound
	if len(bound) == 0 {
		for _, d := range fn.Args {
			bound = append(bound, Value{Desc: d})
		}
	}
	if len(bound) == 1 && sum.Parent == "" {
		return append(bound[:1:1], args...)
	}
	return append(args[:len(args):len(args)], bound...)
}

// placeRow makes the event that a table describes.
func (m *maker) placeRow(s *site, row *libs.Row, c *ssa.CallCommon) {
	s.row = row
	if row.Op == libs.Pass || row.Op == libs.Build || row.Op == libs.Scan {
		if row.Fn != libs.None {
			m.callbacks(s)
		}
		return
	}
	e := m.rowEvent(s, row, c)
	m.push(s, e)
	if row.Fn == libs.None || len(s.events) == 0 {
		m.callbacks(s)
		return
	}
	m.callRow(s, row, c)
}

func (m *maker) rowEvent(s *site, row *libs.Row, c *ssa.CallCommon) Event {
	e := m.newEvent(s.instr, row.Op, calledFull(c))
	e.Note = row.Note
	if i := m.position(row, row.On, c); i < len(s.values) {
		e.On = s.values[i]
	}
	e.Key, e.Val = m.rowArg(s, row, row.Key, c), m.rowArg(s, row, row.Val, c)
	e.Handle = e.On.Handle
	if e.Handle == libs.NoHandle && isStatement(row.Op) {
		e.Handle = libs.AnyHandle
	}
	if row.Args != libs.None {
		e.Args, e.Spread = m.boundValues(s, m.position(row, row.Args, c))
	}
	switch row.Op {
	case libs.Begin:
		e.Remark = m.b.remark(e.Site[0])
	case libs.Query, libs.Exec, libs.Prepare:
		e.Named = row.Note == "named"
		if row.Key != libs.None {
			e.SQL = textOf(e.Key.Desc)
			break
		}
		m.built(s, row, &e)
	}
	return e
}

func isStatement(op libs.Op) bool {
	switch op {
	case libs.Query, libs.Exec, libs.Begin, libs.Commit, libs.Rollback, libs.Prepare:
		return true
	}
	return false
}

func calledFull(c *ssa.CallCommon) string {
	if c.IsInvoke() {
		return c.Method.FullName()
	}
	if f := c.StaticCallee(); f != nil {
		return f.String()
	}
	return ""
}

// position is the place of a row's argument among the arguments of the site,
// of which a receiver is the first.
func (m *maker) position(row *libs.Row, n int, c *ssa.CallCommon) int {
	if c.IsInvoke() || c.Signature().Recv() != nil {
		return n + 1
	}
	return max(n, 0)
}

func (m *maker) rowArg(s *site, row *libs.Row, n int, c *ssa.CallCommon) Value {
	if i := m.position(row, n, c); n != libs.None && i < len(s.values) {
		if one := s.values[i].Elems; len(one) == 1 { // a variadic list of one
			return one[0]
		}
		return s.values[i]
	}
	return Value{}
}

// boundValues are the arguments from n on; those of a variadic call one by one.
func (m *maker) boundValues(s *site, n int) (vals []Value, spread bool) {
	if n >= len(s.values) {
		return nil, false
	}
	rest := s.values[n:]
	last := rest[len(rest)-1]
	if _, isSlice := s.args[len(s.args)-1].Type().Underlying().(*types.Slice); !isSlice || len(rest) > 1 {
		return rest, false
	}
	if last.Elems != nil {
		return last.Elems, false
	}
	if c, ok := s.args[len(s.args)-1].(*ssa.Const); ok && c.Value == nil {
		return nil, false
	}
	return rest, true
}

// callRow calls the function argument of a row: with the transaction, where the
// row begins one, and ends it then.
func (m *maker) callRow(s *site, row *libs.Row, c *ssa.CallCommon) {
	i := m.position(row, row.Fn, c)
	if i >= len(s.values) {
		return
	}
	sig, ok := s.args[i].Type().Underlying().(*types.Signature)
	if !ok {
		return
	}
	args := make([]Value, sig.Params().Len())
	on := Desc{Root: Result, N: s.events[len(s.events)-1], Path: ".#0", Handle: libs.Tx}
	for k := range args {
		if h := libs.HandleOf(sig.Params().At(k).Type()); h != libs.NoHandle && (row.Op == libs.Begin || row.Op == libs.Conn) {
			args[k].Desc = on
			if row.Op == libs.Conn {
				args[k].Handle = libs.Pinned
			}
		}
	}
	m.callValue(s, i, func() []Value { return args })
	if row.Op == libs.Begin {
		e := m.newEvent(s.instr, libs.Commit, "")
		e.On, e.Handle = Value{Desc: on}, libs.Tx
		m.push(s, e)
	}
}

func (m *maker) placeBuiltin(s *site, b *ssa.Builtin) {
	var e Event
	switch b.Name() {
	case "delete":
		e = m.newEvent(s.instr, libs.MapDelete, "delete")
		e.On, e.Key = s.values[0], s.values[1]
	case "clear":
		e = m.newEvent(s.instr, libs.MapDelete, "clear")
		e.On = s.values[0]
	default:
		return
	}
	if !shared(e.On.Desc) {
		return
	}
	s.row = &libs.Row{Op: e.Op, Dest: libs.None, Fn: libs.None}
	m.push(s, e)
}

// shared reports whether others can reach what is named: a global, or something
// behind a parameter.
func shared(d Desc) bool { return d.Root == Global || d.Root == Param }

// placeMemory makes the events of maps, globals and fields.
func (m *maker) placeMemory(in ssa.Instruction) {
	var e Event
	switch in := in.(type) {
	case *ssa.Lookup:
		if _, isMap := in.X.Type().Underlying().(*types.Map); !isMap {
			return
		}
		e = m.newEvent(in, libs.MapGet, "")
		e.On, e.Key = m.value(in.X, nil), m.value(in.Index, nil)
	case *ssa.MapUpdate:
		e = m.newEvent(in, libs.MapSet, "")
		e.On, e.Key, e.Val = m.value(in.Map, nil), m.value(in.Key, nil), m.value(in.Value, nil)
	case *ssa.Range:
		if _, isMap := in.X.Type().Underlying().(*types.Map); !isMap {
			return
		}
		e = m.newEvent(in, libs.MapRange, "")
		e.On = m.value(in.X, nil)
	case *ssa.Store:
		if !sharedPlace(in.Addr) {
			return
		}
		e = m.newEvent(in, libs.Store, "")
		e.On, e.Val = m.value(in.Addr, nil), m.value(in.Val, nil)
	case *ssa.UnOp:
		if in.Op != token.MUL || !sharedPlace(in.X) || !guardedField(in.X) {
			return
		}
		e = m.newEvent(in, libs.Load, "")
		e.On = m.value(in.X, nil)
	default:
		return
	}
	if !shared(e.On.Desc) {
		return
	}
	s := &site{instr: in, row: &libs.Row{Op: e.Op, Dest: libs.None, Fn: libs.None}}
	m.push(s, e)
	m.sites[in] = s
	m.order = append(m.order, s)
}

// sharedPlace reports whether an address is a global, a captured variable or a
// field.
func sharedPlace(v ssa.Value) bool {
	switch v := v.(type) {
	case *ssa.Global, *ssa.FreeVar:
		return true
	case *ssa.FieldAddr:
		_, isAlloc := v.X.(*ssa.Alloc)
		return !isAlloc
	}
	return false
}

// guardedField reports whether loads of the place are worth an event: a plain
// global, one of a type of its package, or a field beside a mutex. Others are
// too many.
func guardedField(v ssa.Value) bool {
	fa, ok := v.(*ssa.FieldAddr)
	if !ok {
		g, ok := v.(*ssa.Global)
		if !ok {
			return false
		}
		t := g.Type().Underlying().(*types.Pointer).Elem()
		_, isBasic := t.Underlying().(*types.Basic)
		return isBasic || g.Pkg != nil && libs.TypeName(t) != "" && libs.Path(t) == g.Pkg.Pkg.Path()
	}
	st, ok := fa.X.Type().Underlying().(*types.Pointer).Elem().Underlying().(*types.Struct)
	if !ok || libs.Path(st.Field(fa.Field).Type()) == "sync" {
		return false
	}
	for f := range st.Fields() {
		if libs.Path(f.Type()) == "sync" && (libs.TypeName(f.Type()) == "Mutex" || libs.TypeName(f.Type()) == "RWMutex") {
			return true
		}
	}
	return false
}

func (m *maker) newEvent(in ssa.Instruction, op libs.Op, call string) Event {
	return Event{Op: op, Call: call, Site: []Pos{m.pos(in)}, In: m.sum.Name}
}

// push adds an event to the summary and the site.
func (m *maker) push(s *site, e Event) {
	if len(m.sum.Events) >= tooMany {
		return
	}
	e.Deferred = e.Deferred || s.defers
	e.Async = e.Async || s.async && e.Op != libs.Go
	e.Later = e.Later || s.later
	s.events = append(s.events, len(m.sum.Events))
	m.sum.Events = append(m.sum.Events, e)
}

// value describes a value and its parts; the sources are filled in later.
func (m *maker) value(v ssa.Value, use ssa.Instruction) Value {
	out := Value{Desc: m.desc(v)}
	if use != nil {
		out.From = m.of(v, use)
	}
	if elems, ok := m.elements(v); ok {
		out.Elems = make([]Value, 0, len(elems))
		for _, e := range elems {
			out.Elems = append(out.Elems, m.value(e, use))
		}
		return out
	}
	if c := closureOf(v); c != nil {
		for _, b := range c.Bindings {
			out.Bound = append(out.Bound, Value{Desc: m.desc(b)})
		}
		return out
	}
	out.Parts = m.partsOf(v)
	return out
}

// partsOf names the fields of a structure that were set one by one.
func (m *maker) partsOf(v ssa.Value) map[string]Desc {
	root, base := address(v)
	if shape := m.shape(root); shape != nil && base == "" {
		return shape
	}
	if root.Referrers() == nil {
		return nil
	}
	if _, isAlloc := root.(*ssa.Alloc); !isAlloc && base != "" {
		return nil
	}
	if copied := m.copied(root); copied != nil {
		return m.partsOf(copied)
	}
	var parts map[string]Desc
	twice := map[string]bool{}
	for _, r := range *root.Referrers() {
		fa, ok := r.(*ssa.FieldAddr)
		if !ok {
			continue
		}
		for _, st := range *fa.Referrers() {
			if st, ok := st.(*ssa.Store); ok && st.Addr == ssa.Value(fa) {
				name, _ := fieldName(fa.X.Type(), fa.Field)
				if parts == nil {
					parts = map[string]Desc{}
				}
				twice[name] = parts["."+name].Root != Unknown
				parts["."+name] = m.desc(st.Val)
			}
		}
	}
	for name, t := range twice {
		if t {
			parts["."+name] = Desc{}
		}
	}
	return parts
}

// shape names the fields of what a function of the module made and returned.
func (m *maker) shape(v ssa.Value) map[string]Desc {
	k := 0
	if x, ok := v.(*ssa.Extract); ok {
		v, k = x.Tuple, x.Index
	}
	call, ok := v.(*ssa.Call)
	if !ok || m.sites[call] == nil || m.sites[call].top == nil {
		return nil
	}
	f := m.sites[call].top
	if k >= len(f.sum.Shapes) || len(f.sum.Shapes[k]) == 0 {
		return nil
	}
	out := make(map[string]Desc, len(f.sum.Shapes[k]))
	for p, d := range f.sum.Shapes[k] {
		out[p] = f.desc(d)
	}
	return out
}

// copied is the variable whose value a variable is a copy of.
func (m *maker) copied(root ssa.Value) ssa.Value {
	a, ok := root.(*ssa.Alloc)
	if !ok {
		return nil
	}
	var from ssa.Value
	for _, r := range *a.Referrers() {
		if st, ok := r.(*ssa.Store); ok && st.Addr == ssa.Value(a) {
			if from != nil {
				return nil
			}
			from = st.Val
		}
	}
	if from != nil && m.shape(from) != nil {
		return from
	}
	if u, ok := from.(*ssa.UnOp); ok && u.Op == token.MUL {
		if src, _ := address(u); src != root {
			if _, isAlloc := src.(*ssa.Alloc); isAlloc {
				return src
			}
		}
	}
	return nil
}

func (m *maker) calledValue(c *ssa.CallCommon) Value {
	if c.IsInvoke() {
		return Value{Desc: Desc{Root: Func, Name: c.Method.FullName()}}
	}
	return m.value(c.Value, nil)
}

// fold puts the events of a callee behind those of this function. args gives
// its arguments and what it captured; it is asked again when the sources of
// the site's values are known.
func (m *maker) fold(s *site, sum *Summary, args func() []Value) *frame {
	lit := m.closure[sum.Name] != nil
	f := &frame{sum: sum, way: []Pos{m.pos(s.instr)}, inline: lit, again: args, args: args(), locals: m.fn.Name() + "@" + strconv.Itoa(len(m.order)) + "."}
	sum.Folded = sum.Folded || lit
	m.foldEvents(s, f, 0)
	s.frames = append(s.frames, f)
	return f
}

// deepest is the number of function values inside of function values that are
// followed.
const deepest = 6

func (m *maker) foldEvents(s *site, f *frame, depth int) {
	f.index = make([]int, len(f.sum.Events))
	for i := range f.sum.Events {
		f.index[i] = -1
		e := f.event(&f.sum.Events[i])
		if fn := m.resolved(&e); fn != nil && depth < deepest {
			m.foldValue(s, f, i, fn, depth)
			continue
		}
		if len(m.sum.Events) < tooMany && !m.private(&e) {
			f.index[i] = len(m.sum.Events)
			m.origins[f.index[i]] = origin{f, i, s}
			m.push(s, e)
		}
	}
}

// memory are the operations on memory of this process.
var memory = map[libs.Op]bool{
	libs.MapGet: true, libs.MapSet: true, libs.MapDelete: true, libs.MapRange: true, libs.MapCAS: true, libs.Load: true, libs.Store: true, libs.CAS: true,
	libs.Lock: true, libs.RLock: true, libs.TryLock: true, libs.Unlock: true, libs.RUnlock: true,
}

// private reports whether an event of a callee concerns nobody else: memory
// that this function made, or too much of it.
func (m *maker) private(e *Event) bool {
	return memory[e.Op] && (!shared(e.On.Desc) || len(m.sum.Events) > tooMany/2 || len(e.Site) > 5)
}

// foldValue folds the function behind a call that the callee could not resolve.
func (m *maker) foldValue(s *site, f *frame, i int, fn *Summary, depth int) {
	lit := m.closure[fn.Name] != nil
	args := func() []Value {
		old := &f.sum.Events[i]
		return bind(f.value(old.On), fn, f.values(old.Args))
	}
	g := &frame{sum: fn, way: f.places(f.sum.Events[i].Site), inline: lit, again: args, args: args(), locals: f.locals + strconv.Itoa(i) + ".", outer: f, call: i}
	if f.calls == nil {
		f.calls = map[int]*frame{}
	}
	f.calls[i] = g
	fn.Folded = fn.Folded || lit
	m.foldEvents(s, g, depth+1)
}

// origin is where a folded event comes from.
type origin struct {
	frame *frame
	index int
	site  *site
}

// resolved is the function behind an unresolved call of a function value.
func (m *maker) resolved(e *Event) *Summary {
	if e.Op != libs.Calls || e.Iface != "" {
		return nil
	}
	return m.function(e.On.Desc)
}
