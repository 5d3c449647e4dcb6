// Package clean is the command that removes what runs left behind that were
// killed before they could: throw-away servers on this machine, and schemas on
// a server that is named.
package clean

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/ccheck/ccheck/cmd/internal/build"
	"github.com/ccheck/ccheck/cmd/internal/exit"
	"github.com/ccheck/ccheck/cmd/internal/flags"
	"github.com/ccheck/ccheck/cmd/internal/stdio"
	"github.com/ccheck/ccheck/probes/server/etcd"
	"github.com/ccheck/ccheck/probes/server/postgres"
	"github.com/ccheck/ccheck/probes/server/redis"
	"github.com/ccheck/ccheck/probes/target"
)

// Options are what the command is run with.
type Options struct {
	Streams   *stdio.Streams
	Target    flags.Target
	OlderThan time.Duration
	Force     bool
	List      bool
	Servers   func(ctx context.Context, dir string) ([]string, error)
	Dirs      []string // in which servers work
}

// New returns the command.
func New(s *stdio.Streams, runF func(context.Context, *Options) error) *cobra.Command {
	opts := &Options{Streams: s, Servers: orphans, Dirs: postgres.Dirs()}
	cmd := &cobra.Command{
		Use:   "clean",
		Short: "Remove what killed runs left behind",
		Long: "Clean removes the throw-away servers of runs that are gone and, on the server that --dsn names, the schemas of such runs. " +
			"It touches only what carries ccheck's own marker, and never a run that is alive.",
		Example: "ccheck clean\nccheck clean --dsn env:STAGING --list",
		Args:    flags.Args(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if opts.OlderThan < 0 {
				return exit.Usagef("--older-than is %v, before the beginning", opts.OlderThan).WithHint("use a time such as 1h, or --force for any age")
			}
			if runF != nil {
				return runF(cmd.Context(), opts)
			}
			return run(cmd.Context(), opts)
		},
	}
	opts.Target.Register(cmd.Flags())
	cmd.Flags().DurationVar(&opts.OlderThan, "older-than", time.Hour, "leave schemas that are younger, unless their run was of this machine and is over")
	cmd.Flags().BoolVar(&opts.Force, "force", false, "remove schemas of any age")
	cmd.Flags().BoolVar(&opts.List, "list", false, "list the schemas and remove nothing")
	return cmd
}

func run(ctx context.Context, opts *Options) error {
	found := 0
	if !opts.List {
		removed, err := servers(ctx, opts)
		if err != nil {
			return err
		}
		found += removed
	}
	if opts.Target.Named(opts.Streams) {
		n, err := schemas(ctx, opts)
		if err != nil {
			return err
		}
		found += n
	} else if opts.List {
		return exit.Usagef("--list needs a server").WithHint("name one with --dsn; servers of ccheck's own on this machine are removed, not listed")
	}
	if found == 0 {
		fmt.Fprintln(opts.Streams.Out, "nothing was left behind")
	}
	return nil
}

// orphans removes what servers of all kinds left in a folder.
func orphans(ctx context.Context, dir string) (removed []string, err error) {
	for _, clean := range []func(context.Context, string) ([]string, error){postgres.Clean, redis.Clean, etcd.Clean} {
		list, fault := clean(ctx, dir)
		removed, err = append(removed, list...), errors.Join(err, fault)
	}
	return removed, err
}

// servers removes what servers left in each of the folders in which they work.
func servers(ctx context.Context, opts *Options) (int, error) {
	n := 0
	var errs []error
	for _, dir := range opts.Dirs {
		removed, err := opts.Servers(ctx, dir)
		for _, dir := range removed {
			fmt.Fprintf(opts.Streams.Out, "removed  the throw-away server in %s\n", dir)
		}
		n += len(removed)
		errs = append(errs, err)
	}
	if err := errors.Join(errs...); err != nil {
		return 0, exit.Failedf("cannot remove every throw-away server: %w", err).WithHint("the user who started it, or root, can")
	}
	return n, nil
}

func schemas(ctx context.Context, opts *Options) (int, error) {
	t, err := opts.Target.Parse(opts.Streams)
	if err != nil {
		return 0, err
	}
	conn, err := t.Connect(ctx, target.NewRun(build.Version(), time.Now()), target.DefaultSettings())
	if err != nil {
		return 0, err
	}
	defer conn.Close(context.WithoutCancel(ctx))
	if opts.List {
		orphans, err := t.Orphans(ctx, conn)
		for _, o := range orphans {
			print(opts.Streams, "found", t, o, state(o))
		}
		return len(orphans), err
	}
	cleaned, err := t.Clean(ctx, conn, opts.OlderThan, opts.Force)
	for _, c := range cleaned {
		word := "kept"
		if c.Removed {
			word = "removed"
		}
		print(opts.Streams, word, t, c.Orphan, c.Why)
	}
	return len(cleaned), err
}

func state(o target.Orphan) string {
	if o.Alive {
		return "its run is alive"
	}
	return "its run is gone"
}

func print(s *stdio.Streams, word string, t *target.Target, o target.Orphan, why string) {
	fmt.Fprintf(s.Out, "%-8s schema %s of %s: %d tables, %s, %v old, begun by %s on %s", word, o.Schema, t.Address(),
		o.Tables, size(o.Size), o.Age.Round(time.Second), o.Owner, o.Run.Host)
	if why != "" {
		fmt.Fprintf(s.Out, "; %s", why)
	}
	fmt.Fprintln(s.Out)
}

// size is a number of bytes as PostgreSQL's pg_size_pretty writes it, in kB and
// MB of 1024.
func size(n int64) string {
	if n < 10<<20 {
		return fmt.Sprintf("%d kB", n>>10)
	}
	return fmt.Sprintf("%d MB", n>>20)
}
