package deadlock

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/ccheck/ccheck/analyzers/report"
	"github.com/ccheck/ccheck/cmd/internal/build"
	"github.com/ccheck/ccheck/cmd/internal/display"
	"github.com/ccheck/ccheck/cmd/internal/exit"
	"github.com/ccheck/ccheck/cmd/internal/flags"
	"github.com/ccheck/ccheck/cmd/internal/output"
	"github.com/ccheck/ccheck/cmd/internal/place"
	"github.com/ccheck/ccheck/cmd/internal/stdio"
	"github.com/ccheck/ccheck/cmd/internal/verdict"
	"github.com/ccheck/ccheck/probes/deadlock"
	"github.com/ccheck/ccheck/probes/history"
	"github.com/ccheck/ccheck/probes/target"
)

// WatchOptions are what the watch is run with.
type WatchOptions struct {
	Streams *stdio.Streams

	Every    time.Duration
	Duration time.Duration
	Long     time.Duration

	Target  flags.Target
	Output  output.Flags
	Display display.Flags
	Outcome flags.Outcome
}

const watchLong = `Looks at a live server again and again: who waits for a lock, whom for, with what
statement, since when. It explains each circle as it is seen, and waits that were
long. It sends SELECT and nothing else, on one connection, in a read-only session.

It goes on until --duration is over or Ctrl-C. The server's own count of deadlocks
tells whether one fell between two looks; where its log can be read, what that
says of it is told.`

const watchExample = `
# ten minutes of a staging server
ccheck deadlock watch --dsn env:STAGING_DSN --duration 10m

# look every 20 ms, and tell waits of half a second
ccheck deadlock watch --dsn env:STAGING_DSN --every 20ms --long 500ms`

// newWatch returns the command.
func newWatch(s *stdio.Streams, runF func(context.Context, *WatchOptions) error) *cobra.Command {
	o := &WatchOptions{Streams: s}
	cmd := &cobra.Command{
		Use:     "watch",
		Short:   "Look at a live server, and explain who waits in a circle or for long",
		Long:    watchLong,
		Example: watchExample,
		Args:    flags.Args(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := o.resolve(); err != nil {
				return err
			}
			if runF != nil {
				return runF(cmd.Context(), o)
			}
			return watch(cmd.Context(), o)
		},
	}
	f := cmd.Flags()
	f.DurationVar(&o.Every, "every", 100*time.Millisecond, "pause between two looks")
	f.DurationVar(&o.Duration, "duration", 0, "how long it looks (default: until Ctrl-C)")
	f.DurationVar(&o.Long, "long", time.Second, "tell waits that took at least this long")
	o.Outcome.Register(f)
	o.Display.Register(f)
	o.Target.Register(f)
	o.Output.Register(f)
	return cmd
}

// resolve checks what can be checked before anything is opened.
func (o *WatchOptions) resolve() error {
	switch {
	case o.Every < 10*time.Millisecond || o.Every > time.Minute:
		return exit.Usagef("--every %v is no pause between two looks", o.Every).WithHint("it is from 10ms to 1m; the default is 100ms")
	case o.Duration < 0:
		return exit.Usagef("--duration %v is negative", o.Duration).WithHint("write it as 10m, or leave it out to go on until Ctrl-C")
	case o.Long < o.Every:
		return exit.Usagef("--long %v is shorter than the pause of %v between two looks", o.Long, o.Every).WithHint("raise --long, or look more often with --every")
	case !o.Target.Named(o.Streams):
		return exit.Usagef("there is no server to watch").WithHint("name it with --dsn, CCHECK_DSN or the PG* variables; `ccheck deadlock` makes deadlocks of its own")
	}
	for _, check := range []func() error{o.Outcome.Check, o.Display.Check, o.Output.Check} {
		if err := check(); err != nil {
			return err
		}
	}
	return nil
}

// watch looks until it is over and judges what was seen.
func watch(ctx context.Context, o *WatchOptions) error {
	t, err := o.Target.Parse(o.Streams)
	if err != nil {
		return err
	}
	set := target.DefaultSettings()
	set.Params = map[string]string{"default_transaction_read_only": "on"}
	run := place.NewRun()
	conn, err := t.Connect(ctx, run, set)
	if err != nil {
		return err
	}
	defer conn.Close(context.WithoutCancel(ctx))
	path, err := verdict.Path(o.Streams, "", run.ID)
	if err != nil {
		return err
	}
	show, err := display.Open(o.Streams, &o.Display, &o.Output)
	if err != nil {
		return err
	}
	defer show.Close()
	h := history.Header{
		Run: run.ID, Probe: deadlock.Probe.Name, Version: build.Version(), Scenario: "watch", Title: "a live server", Start: time.Now(),
		Target: history.Target{Kind: "postgresql", Version: conn.ParameterStatus("server_version"), Address: t.Address()},
	}
	return show.Judged(ctx, &o.Outcome, func(ctx context.Context, sink report.Sink) (*output.Recording, error) {
		if err := sink.Begin(verdict.Run(&h)); err != nil {
			return nil, err
		}
		counts, err := deadlock.Watch(context.WithoutCancel(ctx), deadlock.WatchOptions{
			Conn: conn, Header: h, Path: path, Every: o.Every, Duration: o.Duration, Long: o.Long, Stop: ctx.Done(),
			Progress: func(c deadlock.Watched) {
				sink.Progress(report.Progress{Phase: "watching", Elapsed: c.Elapsed, Total: o.Duration, Evidence: report.Evidence{LockWaits: c.Waits}})
			},
		})
		if err != nil {
			return nil, explainWatch(t, err)
		}
		return o.judge(ctx, path, counts)
	})
}

func (o *WatchOptions) judge(ctx context.Context, path string, counts deadlock.Watched) (*output.Recording, error) {
	all, err := verdict.Read(ctx, path)
	if err != nil {
		return nil, err
	}
	all.Summary.Notes = append(all.Summary.Notes, fmt.Sprintf("%s, one each %v; the server counted %s meanwhile", count(int(counts.Looks), "look"), o.Every, count(int(counts.Deadlocks), "deadlock")))
	return all, nil
}

func explainWatch(t *target.Target, err error) error {
	if errors.Is(err, context.Canceled) {
		return err
	}
	return t.Explain(err)
}
