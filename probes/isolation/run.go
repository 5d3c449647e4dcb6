package isolation

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgproto3"
)

// StepLimit is how long a step may take before it is cancelled, unless Options
// say otherwise. It is isolationtester's.
const StepLimit = 5 * time.Minute

// Options say where a spec is played.
type Options struct {
	// Config is the server and the database, with the password. The role must
	// be allowed what the spec does; PostgreSQL's own specs want a superuser.
	Config *pgconn.Config
	// Out takes what isolationtester writes to its standard output, Err what it
	// writes to standard error and goes on. Neither is buffered beyond a
	// permutation. They may be the same writer.
	Out, Err io.Writer
	// StepLimit bounds one step; 0 is StepLimit.
	StepLimit time.Duration
	// Played is called after each permutation; nil is allowed.
	Played func(Outcome)
}

// Outcome is what happened in one permutation, for those who count.
type Outcome struct {
	Permutation Permutation
	Waited      []string  // steps that were reported as waiting, in that order
	Refused     []Refusal // errors that the server answered to steps
}

// Refusal is an error that a step got.
type Refusal struct {
	Step     string
	SQLState string
	Message  string
}

// Run plays the permutations of a spec one after the other on connections that
// it opens: one for each session, in the spec's order, and one to control. It
// returns when all are closed. A refused step is no error, it is output; a
// refused setup is one, as are a server that goes away and a step that does
// not end even when cancelled. After an error the teardown is tried all the
// same, so that no table is left.
func Run(ctx context.Context, spec *Spec, o Options) error {
	if o.StepLimit == 0 {
		o.StepLimit = StepLimit
	}
	out := bufio.NewWriter(o.Out)
	p := &play{spec: spec, options: o, out: out}
	for _, name := range spec.unused() {
		fmt.Fprintf(o.Err, "unused step name: %s\n", name)
	}
	fmt.Fprintf(out, "Parsed test spec with %d sessions\n", len(spec.Sessions))
	defer p.close()
	if err := p.connect(ctx); err != nil {
		return errors.Join(err, out.Flush())
	}
	return p.all(ctx)
}

// play is a run of a spec.
type play struct {
	spec    *Spec
	options Options
	out     *bufio.Writer

	control  *conn
	sessions []*conn
	watcher  *watcher
	outcome  Outcome // of the permutation that is played
}

func (p *play) all(ctx context.Context) error {
	for permutation := range p.spec.All() {
		err := p.permutation(ctx, permutation)
		if err == nil {
			err = p.gone(fmt.Sprintf("permutation %v", permutation))
		}
		if flushed := p.out.Flush(); err == nil && flushed != nil {
			return fmt.Errorf("writing the output: %w", flushed)
		}
		if err != nil {
			p.abandon(ctx)
			return err
		}
		if p.options.Played != nil {
			p.options.Played(p.outcome)
		}
	}
	return nil
}

// connect opens all connections at once: forking a backend is the longest part
// of playing a short spec.
func (p *play) connect(ctx context.Context) error {
	p.control = &conn{name: "control connection", notice: func(*pgproto3.NoticeResponse, string) {}}
	conns := []*conn{p.control}
	for _, s := range p.spec.Sessions {
		c := &conn{name: s.Name, notice: p.writeNotice(s.Name)}
		conns, p.sessions = append(conns, c), append(p.sessions, c)
	}
	errs := make([]error, len(conns))
	var wait sync.WaitGroup
	for i, c := range conns {
		wait.Go(func() { errs[i] = p.open(ctx, c) })
	}
	wait.Wait()
	for _, err := range errs {
		if err != nil {
			return err // the first says it; the others say the same
		}
	}
	var err error
	p.watcher, err = newWatcher(ctx, p.control, p.sessions)
	return err
}

// open makes one connection and names it as isolationtester does, where specs
// look for their sessions: in application_name, as something set after the
// start, so that RESET takes it back.
func (p *play) open(ctx context.Context, c *conn) error {
	config := p.options.Config.Copy()
	config.RuntimeParams["application_name"] = "isolation/" + p.spec.Test()
	var err error
	if c.pg, err = pgconn.ConnectConfig(ctx, config); err != nil {
		return fmt.Errorf("connecting for %s: %w", c.name, err)
	}
	const name = "SELECT pg_catalog.set_config('application_name', pg_catalog.current_setting('application_name') || '/' || $1, false)"
	if r := c.pg.ExecParams(ctx, name, [][]byte{[]byte(c.name)}, nil, nil, nil).Read(); r.Err != nil {
		return fmt.Errorf("naming the session of %s: %w", c.name, r.Err)
	}
	if err := c.pg.SyncConn(ctx); err != nil {
		return fmt.Errorf("connecting for %s: %w", c.name, err)
	}
	return nil
}

// ending bounds what is done on the server after the end of a run.
const ending = 5 * time.Second

func (p *play) close() {
	ctx, cancel := context.WithTimeout(context.Background(), ending)
	defer cancel()
	for _, c := range append(p.sessions, p.control) {
		if c != nil && c.pg != nil {
			c.pg.Close(ctx) //nolint:errcheck // nothing is left to lose
		}
	}
}

// abandon takes back an unfinished permutation: no step goes on, and what the
// setup made is taken away as the spec does it, if it can be.
func (p *play) abandon(ctx context.Context) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), ending)
	defer cancel()
	for _, c := range p.sessions {
		if c.active != nil && !c.answered() {
			p.cancel(ctx, c) //nolint:errcheck // the connection is closed next
		}
		c.pg.Close(ctx) //nolint:errcheck // the server sees its end in any case
	}
	if p.spec.Teardown != nil {
		p.control.exec(ctx, p.spec.Teardown.SQL) //nolint:errcheck // the first error is told
	}
}

func (p *play) cancel(ctx context.Context, c *conn) error {
	ctx, done := context.WithTimeout(ctx, ending)
	defer done()
	if err := c.pg.CancelRequest(ctx); err != nil {
		return fmt.Errorf("cancelling the step of session %s: %w", c.name, err)
	}
	return nil
}
