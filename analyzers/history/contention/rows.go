package contention

import (
	"slices"
	"time"

	"github.com/ccheck/ccheck/analyzers/internal/lanes"
	"github.com/ccheck/ccheck/analyzers/internal/sqlread"
	"github.com/ccheck/ccheck/probes/history"
)

// slotCount rows are remembered, with the last slotDepth transactions each. A
// row that falls into the slot of another one pushes it out, so the count is
// never too high.
const (
	slotCount = 1 << 15
	slotDepth = 8
)

// slot remembers who was at a row last.
type slot struct {
	row  uint64
	next int
	last [slotDepth]visit
}

// visit is one transaction at one row.
type visit struct {
	txn        int64
	process    int
	start, end time.Duration
	wrote      bool
	actor      *actor
}

// open is a transaction that has not ended.
type open struct {
	start  time.Duration
	read   time.Duration // end of its first read that was not locked, 0 before
	visits []touched
	actor  *actor
}

// touched is a row that an open transaction has been at.
type touched struct {
	row   uint64
	wrote bool
}

// invoked is a statement that waits for its answer.
type invoked struct {
	op   *history.Op
	plan *plan
}

// query takes a statement or its answer.
func (m *meter) query(o *history.Op) {
	if o.Kind == history.Invoke {
		if o.Stmt != nil {
			m.pending[o.Process] = append(m.pending[o.Process], invoked{o, m.planOf(o.Stmt)})
		}
		return
	}
	queue := m.pending[o.Process]
	i := slices.IndexFunc(queue, func(v invoked) bool { return v.op.Stmt == o.Stmt && v.op.Txn == o.Txn })
	if i < 0 {
		return
	}
	v := queue[i]
	m.pending[o.Process] = append(queue[:i], queue[i+1:]...)
	m.answer(v, o)
}

func (m *meter) answer(v invoked, o *history.Op) {
	m.e.Statements++
	if conflict(o.SQLState) {
		m.e.Conflicts++
	}
	if refused(o.SQLState) {
		m.met = true
		m.lanes[o.Process].sees()
	}
	x := m.open[o.Txn]
	if x == nil {
		x = &open{start: v.op.Time, actor: m.lanes[o.Process]}
		m.open[o.Txn] = x
	}
	if o.Kind == history.OK && x.actor != nil {
		x.actor.acts = x.actor.acts || acts(v.plan.access, x.read > 0)
	}
	m.touch(x, v, o)
	control := v.plan.access.Control
	ended := o.Ended() || o.Status == 0 && (control == sqlread.Commit || control == sqlread.Rollback) || o.Kind == history.Info
	if ended {
		delete(m.open, o.Txn)
		m.end(x, o)
	}
}

// touch notes the rows of a statement and the gap between check and act.
func (m *meter) touch(x *open, v invoked, o *history.Op) {
	for i := range v.plan.rows {
		r := &v.plan.rows[i]
		h, ok := r.hash(v.op.Args)
		if !ok {
			continue
		}
		wrote := r.write && o.Kind == history.OK
		if wrote && x.read > 0 {
			m.closest(v.op.Time - x.read)
		}
		if n := slices.IndexFunc(x.visits, func(t touched) bool { return t.row == h }); n >= 0 {
			x.visits[n].wrote = x.visits[n].wrote || wrote
			continue
		}
		x.visits = append(x.visits, touched{h, wrote})
	}
	for _, h := range m.returned(v.plan, o) {
		if !slices.ContainsFunc(x.visits, func(t touched) bool { return t.row == h }) {
			x.visits = append(x.visits, touched{row: h})
		}
	}
	if x.read == 0 && len(v.plan.access.Tables) > 0 && v.plan.access.Tables[0].Kind == sqlread.Select {
		x.read = o.Time
	}
}

// mostReturned bounds the rows of one answer that are looked at.
const mostReturned = 20

// returned are the rows of a query's answer, by the primary key in it: a row that
// was asked for in another way meets those who write it by its key.
func (m *meter) returned(p *plan, o *history.Op) (hashes []uint64) {
	if o.Kind != history.OK || p.returns == nil {
		return nil
	}
	var at []int
	for _, c := range p.returns {
		i := slices.Index(o.Columns, c.Column)
		if i < 0 {
			return nil
		}
		at = append(at, i)
	}
	for _, row := range o.Rows[:min(len(o.Rows), mostReturned)] {
		h := p.returns.id(p.access.Tables[0].Name)
		for _, i := range at {
			h = text(h, row[i].Text)
		}
		hashes = append(hashes, h)
	}
	return hashes
}

func (m *meter) closest(gap time.Duration) {
	if gap > 0 && (m.gap == 0 || gap < m.gap) {
		m.gap = gap
	}
}

func (r *rowPlan) hash(args []history.Value) (uint64, bool) {
	h := r.seed
	if r.all {
		for _, a := range args {
			h = text(h, a.Text)
		}
	}
	for _, v := range r.values {
		value, ok := v.Text, true
		switch {
		case v.Kind == sqlread.Expr:
			value, ok = reckon(v, args)
		case v.Kind == sqlread.Param:
			if value, ok = arg(args, v.N); ok {
				value = sqlread.Apply(v.Func, value)
			}
		default:
			value = sqlread.Apply(v.Func, value)
		}
		if !ok {
			return 0, false
		}
		h = text(h, value)
	}
	return h, true
}

// arg is the text of $n; NULL names no row.
func arg(args []history.Value, n int) (string, bool) {
	if n < 1 || n > len(args) || args[n-1].Null {
		return "", false
	}
	return args[n-1].Text, true
}

// reckon tells a value that the statement makes of its arguments.
func reckon(v sqlread.Value, args []history.Value) (string, bool) {
	texts, ok := v.Resolve(func(n int) (string, bool) { return arg(args, n) })
	if !ok || len(texts) != 1 {
		return "", false
	}
	return texts[0], true
}

// end counts the transactions that this one met, and leaves its visits behind.
func (m *meter) end(x *open, o *history.Op) {
	m.e.Transactions++
	m.partner = m.partner[:0]
	for _, t := range x.visits {
		s := &m.slots[t.row%slotCount]
		if s.row != t.row {
			*s = slot{row: t.row}
		}
		m.meet(s, t, x, o)
		s.last[s.next%slotDepth] = visit{o.Txn, o.Process, x.start, o.Time, t.wrote, x.actor}
		s.next++
	}
}

func (m *meter) meet(s *slot, t touched, x *open, o *history.Op) {
	for i := range s.last {
		v := &s.last[i]
		if v.txn == 0 || v.process == o.Process || !v.wrote && !t.wrote || !lanes.Overlap(v.start, v.end, x.start, o.Time) || slices.Contains(m.partner, v.txn) {
			continue
		}
		m.partner = append(m.partner, v.txn)
		m.e.Overlaps++
		m.met = true
		x.actor.meets()
		if v.actor != x.actor {
			v.actor.meets()
		}
	}
}
