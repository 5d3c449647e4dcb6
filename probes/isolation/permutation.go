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
	fmt.Fprintf(p.out, "\nstarting permutation: %v\n", permutation)
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
		if err := p.prepare(ctx, p.control, &p.spec.Setup[i], "setup"); err != nil {
			return err
		}
	}
	for i, s := range p.spec.Sessions {
		if err := p.prepare(ctx, p.sessions[i], s.Setup, "setup of session "+s.Name); err != nil {
			return err
		}
	}
	return nil
}

// prepare is a block that must succeed.
func (p *play) prepare(ctx context.Context, c *conn, b *Block, what string) error {
	refused, err := p.block(ctx, c, b, what)
	if refused != nil {
		return p.fault(b, "the "+what+" failed", refused)
	}
	return err
}

// teardown goes on after an error of the server, as isolationtester does, so
// that each block gets its chance.
func (p *play) teardown(ctx context.Context) error {
	for i, s := range p.spec.Sessions {
		if err := p.cleanup(ctx, p.sessions[i], s.Teardown, "teardown of session "+s.Name); err != nil {
			return err
		}
	}
	return p.cleanup(ctx, p.control, p.spec.Teardown, "teardown")
}

// cleanup is a block that may be refused, which is told.
func (p *play) cleanup(ctx context.Context, c *conn, b *Block, what string) error {
	refused, err := p.block(ctx, c, b, what)
	if refused == nil || err != nil {
		return err
	}
	if err := p.out.Flush(); err != nil { // both streams may be one
		return fmt.Errorf("writing the output: %w", err)
	}
	fmt.Fprintf(p.options.Err, "%s failed: %s\n", what, c.words(refused))
	return nil
}

// block runs SQL that is no step, and shows its last result. Refused is what
// the server said against it, or that it is gone. An error ends the run: the
// block was interrupted, or waits for a lock that no session will give up.
func (p *play) block(ctx context.Context, c *conn, b *Block, what string) (refused, err error) {
	if b == nil {
		return nil, nil
	}
	limited, cancel := context.WithTimeout(ctx, p.options.StepLimit)
	defer cancel()
	r, err := c.exec(limited, b.SQL)
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case err != nil:
		return nil, p.fault(b, "the "+what, fmt.Errorf("did not end in %v; a session may hold a lock that it waits for", p.options.StepLimit))
	case r.tuples:
		writeTable(p.out, r)
	}
	return c.err(r), nil
}

// fault is an error at a place of the spec.
func (p *play) fault(b *Block, what string, err error) error {
	return fmt.Errorf("%s:%d:%d: %s: %w", p.spec.File, b.Line, b.Column, what, err)
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
		err = fmt.Errorf("permutation %v does not end: by their markers %s wait for each other", permutation, names(waiting))
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
