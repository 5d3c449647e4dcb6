package flow

import (
	"go/types"
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
		if call.Common().Signature().Recv() != nil && len(s.values) > 0 {
			e.Val = s.values[0]
		}
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
		fn, _ = callee.Object().(*types.Func)
		if o := callee.Origin(); o != nil {
			fn, _ = o.Object().(*types.Func)
		}
	}
	if row := libs.Lookup(fn); row != nil && row.Op == libs.FileEntry {
		m.placeEntry(s, c)
		return
	} else if row != nil {
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
		if m.ranged(s, c.Common()) {
			return
		}
		name := calledFull(c.Common())
		s.async, s.later = async || background[name], later || !immediate(name)
	}
	for i, a := range s.args {
		if c := closureOf(a); c != nil {
			m.callLiteral(s, c, func() []Value { return s.values[i].Bound })
			if name := calledFull(s.instr.(ssa.CallInstruction).Common()); immediate(name) {
				m.callMethod(s, i)
			}
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
	for _, p := range []string{"sort.", "slices.", "maps.", "strings.", "bytes.", "path/filepath.Walk", "io/fs.Walk", "os.Expand", "(*sync.Once).Do", "iter.", "(*sync.Map).Range", "go/ast."} {
		if strings.HasPrefix(name, p) {
			return true
		}
	}
	return false
}

// callLiteral folds a function literal of this function; nothing is known of
// its parameters, unless a walk calls it.
func (m *maker) callLiteral(s *site, c *ssa.MakeClosure, bound func() []Value) {
	fn := c.Fn.(*ssa.Function)
	sum := m.b.callee(fn)
	if sum == nil || m.closure[sum.Name] == nil {
		return
	}
	f := m.fold(s, sum, func() []Value {
		args := make([]Value, len(fn.Params))
		m.visit(s, args)
		return append(args, bound()...)
	})
	f.under = calledFull(s.instr.(ssa.CallInstruction).Common())
}

// callMethod folds a method value that a stranger calls before it returns.
func (m *maker) callMethod(s *site, i int) {
	on := s.values[i]
	sum := m.function(on.Desc)
	if sum == nil || sum.Parent != "" || len(on.Args) != 1 {
		return
	}
	f := m.fold(s, sum, func() []Value { return bind(s.values[i], sum, make([]Value, len(sum.Params)-1)) })
	f.under = calledFull(s.instr.(ssa.CallInstruction).Common())
}

// placeInvoke keeps a call through an interface of the module for Link.
func (m *maker) placeInvoke(s *site, c *ssa.CallCommon) {
	path, name := libs.Path(c.Value.Type()), libs.TypeName(c.Value.Type())
	if row := libs.ByShape(c.Method); row != nil {
		m.placeRow(s, row, c)
		if len(s.events) > 0 && name != "" && sameModule(path, m.b.pkg.Path) {
			e := &m.sum.Events[s.events[0]]
			e.Iface, e.Method = path+"."+name, c.Method.Name()
		}
		return
	}
	if row := libs.Resembling(c.Method); row != nil {
		m.placeRow(s, row, c)
		return
	}
	if name == "" || !sameModule(path, m.b.pkg.Path) {
		m.callbacks(s)
		return
	}
	e := m.newEvent(s.instr, libs.Calls, path+"."+name+"."+c.Method.Name())
	e.Iface, e.Method = path+"."+name, c.Method.Name()
	e.On = s.values[0]
	e.Args = s.values
	if c.Signature().Results().Len() == 0 {
		e.Note = Mute
	}
	m.push(s, e)
}

// Mute is the note of an unresolved call that answers nothing, as that of a queue
// or log does.
const Mute = "mute"

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
	e.On, e.Args, e.Behind = on, args(), m.b.hooks[on.Class]
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
