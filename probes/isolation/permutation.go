package isolation

import (
	"context"
	"fmt"
	"slices"
	"time"
)

// permutation plays one order of steps from setup to teardown.
func (p *play) permutation(ctx context.Context, permutation Permutation) error {
	p.outcome = Outcome{Permutation: permutation}
	fmt.Fprint(p.out, "\nstarting permutation:")
	for _, l := range permutation {
		fmt.Fprint(p.out, " ", l.Step.Name)
	}
	fmt.Fprintln(p.out)
	if err := p.setup(ctx); err != nil {
		return err
	}
	if err := p.steps(ctx, permutation); err != nil {
		return err
	}
	return p.teardown(ctx)
}

func (p *play) setup(ctx context.Context) error {
	for i := range p.spec.Setup {
		if err := p.block(ctx, p.control, &p.spec.Setup[i]); err != nil {
			return p.fault(&p.spec.Setup[i], "the setup", err)
		}
	}
	for i, s := range p.spec.Sessions {
		if err := p.block(ctx, p.sessions[i], s.Setup); err != nil {
			return p.fault(s.Setup, "the setup of session "+s.Name, err)
		}
	}
	return nil
}

// teardown goes on after an error of the server, as isolationtester does, so
// that each block gets its chance.
func (p *play) teardown(ctx context.Context) error {
	for i, s := range p.spec.Sessions {
		if err := p.block(ctx, p.sessions[i], s.Teardown); err != nil {
			p.complain("teardown of session "+s.Name, err)
		}
	}
	if err := p.block(ctx, p.control, p.spec.Teardown); err != nil {
		p.complain("teardown", err)
	}
	return ctx.Err()
}

// block runs SQL that is no step, and shows its last result.
func (p *play) block(ctx context.Context, c *conn, b *Block) error {
	if b == nil {
		return nil
	}
	r, err := c.exec(ctx, b.SQL)
	if err != nil {
		return err
	}
	if r.tuples {
		writeTable(p.out, r)
	}
	return c.err(r)
}

func (p *play) fault(b *Block, what string, err error) error {
	return fmt.Errorf("%s:%d:%d: %s failed: %w", p.spec.File, b.Line, b.Column, what, err)
}

func (p *play) complain(what string, err error) {
	p.out.Flush() //nolint:errcheck // the next write tells
	fmt.Fprintf(p.options.Err, "%s failed: %s\n", what, sentence(err))
}

// steps sends the steps in order. A step is sent when the one before it is
// complete or waits, and its session is free.
func (p *play) steps(ctx context.Context, permutation Permutation) error {
	var waiting []*flight
	for i := range permutation {
		var err error
		if waiting, err = p.free(ctx, p.sessions[permutation[i].Step.Session], waiting); err != nil {
			return err
		}
		f, err := p.launch(&permutation[i])
		if err != nil {
			return err
		}
		done, err := p.try(ctx, f, true)
		if err != nil {
			return err
		}
		if waiting, err = p.sweep(ctx, waiting, true); err != nil {
			return err
		}
		if !done {
			waiting = append(waiting, f)
		}
	}
	waiting, err := p.sweep(ctx, waiting, false)
	if err == nil && len(waiting) > 0 {
		err = fmt.Errorf("the permutation in line %d does not end: %s wait for each other by their markers", waiting[0].Line, names(waiting))
	}
	return err
}

// free waits until the session has no step under way. Its step may need others
// to be reported first, so those are tried in turn.
func (p *play) free(ctx context.Context, c *conn, waiting []*flight) ([]*flight, error) {
	begin, pause := time.Now(), soonest
	for c.active != nil {
		f := c.active
		done, err := p.try(ctx, f, false)
		if err != nil {
			return nil, err
		}
		if done {
			waiting = slices.DeleteFunc(waiting, func(w *flight) bool { return w == f })
		}
		if waiting, err = p.sweep(ctx, waiting, true); err != nil {
			return nil, err
		}
		if c.active == nil {
			break
		}
		if time.Since(begin) > 2*p.options.StepLimit {
			return nil, fmt.Errorf("step %s did not end in %v; under way are %s", f.Step.Name, 2*p.options.StepLimit, names(waiting))
		}
		time.Sleep(pause) // only a marker holds the step, and a sweep releases it
		pause = min(2*pause, slowest)
	}
	return waiting, nil
}

// sweep reports the waiting steps that are complete, in the order in which they
// began to wait, and returns the others. An end or a notice may free a step
// that was looked at before it, so it goes round until nothing more happens.
func (p *play) sweep(ctx context.Context, waiting []*flight, leave bool) ([]*flight, error) {
	for {
		before, noticed, marked := len(waiting), p.notices(), false
		var still []*flight
		for _, f := range waiting {
			done, err := p.try(ctx, f, leave)
			if err != nil {
				return nil, err
			}
			if !done {
				still = append(still, f)
				marked = marked || len(f.Markers) > 0
			}
		}
		waiting = still
		if !marked || len(waiting) == before && p.notices() == noticed {
			return waiting, nil
		}
	}
}

// notices counts those of all sessions.
func (p *play) notices() int {
	sum := 0
	for _, c := range p.sessions {
		sum += c.notices
	}
	return sum
}

func names(flights []*flight) string {
	var all string
	for i, f := range flights {
		if i > 0 {
			all += ", "
		}
		all += f.Step.Name
	}
	return all
}
