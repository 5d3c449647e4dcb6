package explore

import (
	"container/heap"
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"
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
	draw := rand.New(rand.NewPCG(x.Seed, uint64(len(x.seats))))
	for open.Len() > 0 {
		if x.counts.Cut = x.cut(); x.counts.Cut != "" {
			x.counts.Left = open.Len()
			return nil
		}
		b := x.next(open, draw)
		if err := x.try(ctx, b); err != nil {
			return err
		}
		x.fork(open, b)
	}
	if x.counts.Disturbed > 0 {
		x.counts.Cut = x.disturbance()
	}
	x.counts.Whole = x.counts.Disturbed == 0
	return x.shrink(ctx)
}

// cut tells why no more schedules are run, "" while they are.
func (x *explorer) cut() string {
	switch {
	case x.stopped():
		return "ended on request"
	case x.Longest > 0 && time.Since(x.begun) > x.Longest:
		return fmt.Sprintf("the limit of %s was reached, in the order of their switches", x.Longest)
	case x.counts.Schedules+x.counts.Skipped >= x.Max:
		return fmt.Sprintf("the limit of %d was reached; the first %d in the order of their switches, then at random with seed %d", x.Max, x.Max/2, x.Seed)
	}
	return ""
}

// try runs one branch.
func (x *explorer) try(ctx context.Context, b *branch) error {
	x.exec.asleep = b.sleep
	if err := x.round(ctx, Explored, x.all(), b.prefix, stay); err != nil {
		return err
	}
	if x.exec.missed {
		x.counts.Missed++
	}
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
func (x *explorer) fork(open *frontier, b *branch) {
	schedule := x.schedule()
	last := -1
	var c cost
	sleep := b.sleep
	for i := range x.exec.trace {
		p := &x.exec.trace[i]
		if i >= len(b.prefix) {
			if x.exec.idle && allAsleep(sleep, p.options) {
				return // what follows is known from elsewhere
			}
			sleep = x.alternatives(open, p, schedule[:i], c, last, sleep)
		}
		c = c.after(last, p.chosen, p.options)
		if p.chosen.step() {
			last = p.chosen.Lane
		}
	}
}

// alternatives adds the other options of a point, and returns what sleeps after
// the choice that was made.
func (x *explorer) alternatives(open *frontier, p *point, before Schedule, c cost, last int, sleep []Access) []Access {
	reduce := x.commute != nil && p.waiting == 0 && p.steps != nil
	made := slices.Clone(sleep)
	if reduce {
		made = append(made, p.accessOf(p.chosen))
	}
	for _, alt := range p.options {
		if alt == p.chosen || reduce && asleep(sleep, alt.Lane) {
			continue
		}
		x.known++
		b := &branch{prefix: append(slices.Clone(before), alt), cost: c.after(last, alt, p.options), order: x.known}
		if reduce {
			b.sleep = x.commuting(made, p.accessOf(alt))
			made = append(made, p.accessOf(alt))
		}
		heap.Push(open, b)
	}
	if !reduce {
		return nil
	}
	return x.commuting(sleep, p.accessOf(p.chosen))
}

// shrink looks among the schedules that were left out for one with fewer
// switches that breaks, too: of schedules that give the same, not the smallest
// was run.
func (x *explorer) shrink(ctx context.Context) error {
	if x.commute == nil || x.counts.Broken == 0 {
		return nil
	}
	x.commute = nil
	bound, broken := x.firstCost, x.counts.Broken
	open := &frontier{{}}
	for open.Len() > 0 && (*open)[0].cost.less(bound) && x.cut() == "" {
		b := heap.Pop(open).(*branch)
		if err := x.try(ctx, b); err != nil {
			return err
		}
		if x.counts.Broken > broken {
			return nil
		}
		x.fork(open, b)
	}
	return nil
}

// costOf is the cost of the schedule that was just run.
func (x *explorer) costOf() (c cost) {
	last := -1
	for _, p := range x.exec.trace {
		c = c.after(last, p.chosen, p.options)
		if p.chosen.step() {
			last = p.chosen.Lane
		}
	}
	return c
}
