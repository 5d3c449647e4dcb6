package explore

import (
	"container/heap"
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
)

// branch is a schedule that is known and was not run: up to its last choice it
// is like one that was.
type branch struct {
	prefix Schedule
	cost   cost
	order  int
	sleep  []Access // steps that need not come next: another branch has them
}

// frontier are the branches, those of the fewest switches first, so that the
// first schedule that breaks is already the smallest.
type frontier []*branch

func (f frontier) Len() int      { return len(f) }
func (f frontier) Swap(i, j int) { f[i], f[j] = f[j], f[i] }
func (f frontier) Less(i, j int) bool {
	if f[i].cost != f[j].cost {
		return f[i].cost.less(f[j].cost)
	}
	return f[i].order < f[j].order
}
func (f *frontier) Push(b any) { *f = append(*f, b.(*branch)) }
func (f *frontier) Pop() any {
	last := len(*f) - 1
	b := (*f)[last]
	*f = (*f)[:last]
	return b
}

// search runs schedules until there are none left. Stateless: each is run from
// the start (Godefroid, "Model checking for programming languages using
// VeriSoft", POPL 1997). Beyond Max it stops; the second half of Max is then
// drawn from what is known, so that not only small schedules are seen.
func (x *explorer) search(ctx context.Context) error {
	open := &frontier{{}}
	order := 0
	draw := rand.New(rand.NewPCG(x.Seed, uint64(len(x.seats))))
	for open.Len() > 0 {
		switch {
		case x.stopped():
			x.counts.Cut = "ended on request"
		case x.counts.Schedules >= x.Max:
			x.counts.Cut = fmt.Sprintf("the limit of %d was reached; the first %d in the order of their switches, then at random with seed %d", x.Max, x.Max/2, x.Seed)
		}
		if x.counts.Cut != "" {
			x.counts.Left = open.Len()
			return nil
		}
		b := x.next(open, draw)
		if err := x.round(ctx, Explored, x.all(), b.prefix, stay); err != nil {
			return err
		}
		if x.exec.missed {
			x.counts.Missed++
		}
		order = x.fork(open, b, order)
	}
	x.counts.Whole = true
	return nil
}

func (x *explorer) next(open *frontier, draw *rand.Rand) *branch {
	if x.counts.Schedules < x.Max/2 || open.Len() < x.Max/2 {
		return heap.Pop(open).(*branch)
	}
	return heap.Remove(open, draw.IntN(open.Len())).(*branch)
}

// fork adds what could have been chosen instead, at each point that the branch
// did not prescribe.
func (x *explorer) fork(open *frontier, b *branch, order int) int {
	trace := x.exec.trace
	schedule := x.schedule()
	last := -1
	var c cost
	sleep := b.sleep
	for i, p := range trace {
		if i >= len(b.prefix) {
			for _, alt := range p.options {
				if alt == p.chosen {
					continue
				}
				order++
				prefix := append(slices.Clone(schedule[:i]), alt)
				heap.Push(open, &branch{prefix: prefix, cost: c.after(last, alt, p.options), order: order})
			}
		}
		c = c.after(last, p.chosen, p.options)
		if !p.chosen.Victim {
			last = p.chosen.Lane
		}
	}
	_ = sleep
	return order
}
