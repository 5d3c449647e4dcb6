package flow

import (
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/ccheck/ccheck/analyzers/internal/libs"
)

// maker summarises one function in three steps: it places the events in order,
// lets the sources flow until nothing changes, and then fills in what the
// events depend on.
type maker struct {
	b     *builder
	fn    *ssa.Function
	sum   *Summary
	ctl   *control
	sites map[ssa.Instruction]*site
	order []*site
	loops []*loop

	descs   map[ssa.Value]Desc
	flows   map[ssa.Value][]Part
	writes  map[ssa.Value][]write
	ranges  map[*ssa.BasicBlock]int // position of a block in the order
	closure map[string]*ssa.MakeClosure
	origins map[int]origin
	sorted  map[ssa.Value]bool // lists that the function sorts; nil: not looked for
	changed bool
	loud    int               // 0: not looked at; 1: no; 2: yes
	ways    map[ssa.Value]int // on which ordered came by a value, for one question
}

// site is an instruction that does something others can see, directly or in
// what it calls.
type site struct {
	instr  ssa.Instruction
	events []int
	row    *libs.Row
	args   []ssa.Value // receiver first
	values []Value     // of args
	frames []*frame
	top    *frame // of the function that is called, when its result is the call's
	defers bool
	async  bool
	later  bool
	over   ssa.Value // the sequence that it ranges over, whose loop it is
}

func newMaker(b *builder, fn *ssa.Function, s *Summary) *maker {
	return &maker{b: b, fn: fn, sum: s, sites: map[ssa.Instruction]*site{}, descs: map[ssa.Value]Desc{}, flows: map[ssa.Value][]Part{},
		writes: map[ssa.Value][]write{}, closure: map[string]*ssa.MakeClosure{}, origins: map[int]origin{}, ranges: map[*ssa.BasicBlock]int{}}
}

func (m *maker) make() {
	m.head()
	m.ctl = newControl(m.fn)
	m.loops = findLoops(m.fn)
	blocks := order(m.fn)
	for i, b := range blocks {
		m.ranges[b] = i
	}
	m.findClosures(blocks)
	for _, deferred := range []bool{false, true} {
		for _, b := range blocks {
			for _, in := range b.Instrs {
				if _, isDefer := in.(*ssa.Defer); isDefer == deferred {
					m.place(in)
				}
			}
		}
	}
	m.flow(blocks)
	m.sum.Loud = m.isHeard()
	m.fill()
	m.results()
}

// head notes the signature.
func (m *maker) head() {
	for _, p := range m.fn.Params {
		m.sum.Params = append(m.sum.Params, p.Type().String())
		m.sum.Names = append(m.sum.Names, p.Name())
	}
	for _, v := range m.fn.FreeVars {
		m.sum.Params = append(m.sum.Params, v.Type().String())
		m.sum.Names = append(m.sum.Names, v.Name())
	}
	if m.fn.Parent() != nil {
		m.sum.Parent = funcName(m.fn.Parent())
		return
	}
	if f, ok := m.fn.Object().(*types.Func); ok {
		m.sum.Exported = f.Exported()
	}
}

// order is a reverse postorder: what must happen first comes first.
func order(fn *ssa.Function) []*ssa.BasicBlock {
	seen := make([]bool, len(fn.Blocks))
	var post []*ssa.BasicBlock
	var visit func(b *ssa.BasicBlock)
	visit = func(b *ssa.BasicBlock) {
		seen[b.Index] = true
		for _, s := range slices.Backward(b.Succs) {
			if !seen[s.Index] {
				visit(s)
			}
		}
		post = append(post, b)
	}
	visit(fn.Blocks[0])
	if fn.Recover != nil && !seen[fn.Recover.Index] {
		visit(fn.Recover)
	}
	slices.Reverse(post)
	return post
}

func (m *maker) findClosures(blocks []*ssa.BasicBlock) {
	for _, b := range blocks {
		for _, in := range b.Instrs {
			if c, ok := in.(*ssa.MakeClosure); ok {
				m.closure[funcName(c.Fn.(*ssa.Function))] = c
			}
		}
	}
}

// loop is a natural loop.
type loop struct {
	head *ssa.BasicBlock
	body map[*ssa.BasicBlock]bool
}

func findLoops(fn *ssa.Function) []*loop {
	heads := map[*ssa.BasicBlock]*loop{}
	var all []*loop
	for _, b := range fn.Blocks {
		for _, h := range b.Succs {
			if !h.Dominates(b) {
				continue
			}
			if heads[h] == nil {
				heads[h] = &loop{head: h, body: map[*ssa.BasicBlock]bool{h: true}}
				all = append(all, heads[h])
			}
			heads[h].add(b)
		}
	}
	slices.SortFunc(all, func(a, b *loop) int { return len(b.body) - len(a.body) })
	return all
}

func (l *loop) add(b *ssa.BasicBlock) {
	if l.body[b] {
		return
	}
	l.body[b] = true
	for _, p := range b.Preds {
		l.add(p)
	}
}

// describe says what the loop ranges over.
func (m *maker) describe(l *loop) Loop {
	out := Loop{Own: true, In: m.sum.Name}
	for _, in := range l.head.Instrs {
		switch in := in.(type) {
		case *ssa.Next:
			r := in.Iter.(*ssa.Range)
			_, isMap := r.X.Type().Underlying().(*types.Map)
			return Loop{Over: m.value(r.X, in), Map: isMap, In: m.sum.Name, Pos: m.pos(in)}
		case *ssa.BinOp:
			if x := lengthOf(in.Y); x != nil {
				return Loop{Over: m.value(x, in), In: m.sum.Name, Pos: m.pos(in)}
			}
			out.Pos = m.pos(in)
		}
	}
	return out
}

func lengthOf(v ssa.Value) ssa.Value {
	c, ok := v.(*ssa.Call)
	if !ok {
		return nil
	}
	if b, ok := c.Call.Value.(*ssa.Builtin); ok && b.Name() == "len" {
		return c.Call.Args[0]
	}
	return nil
}

// pos is where an instruction is; calls are where their name is called.
func (m *maker) pos(in ssa.Instruction) Pos {
	p := in.Pos()
	if c, ok := in.(ssa.CallInstruction); ok && c.Common().Pos().IsValid() {
		p = c.Common().Pos()
	}
	if !p.IsValid() {
		p = near(in)
	}
	return m.b.pos(p)
}

// before reports whether a always runs before b does; no place is before nil.
func before(a, b ssa.Instruction) bool {
	if b == nil {
		return false
	}
	if a.Block() != b.Block() {
		return a.Block().Dominates(b.Block())
	}
	for _, in := range a.Block().Instrs {
		switch in {
		case a:
			return a != b
		case b:
			return false
		}
	}
	return false
}
