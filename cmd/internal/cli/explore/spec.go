package explore

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"text/tabwriter"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/ccheck/ccheck/cmd/internal/exit"
	"github.com/ccheck/ccheck/cmd/internal/input"
	"github.com/ccheck/ccheck/cmd/internal/place"
	"github.com/ccheck/ccheck/probes/isolation"
)

// isolationtester is the --format that prints what that tool prints. It is for
// specs alone and no format of findings, so it does not stand in output.All.
const isolationtester = "isolationtester"

// isSpec says that the name is a spec of PostgreSQL's isolationtester.
func (o *Options) isSpec() bool { return strings.HasSuffix(o.Name, ".spec") }

// resolveSpec refuses what a spec has no use for: it says itself which sessions
// there are, in which orders they run, and at which level.
func (o *Options) resolveSpec() error {
	for _, f := range []struct {
		name string
		set  bool
	}{
		{"--variant", o.Variant != ""}, {"--fix", o.Fix != ""}, {"--lanes", o.Lanes != ""}, {"--isolation", o.Isolation.Text != ""},
		{"--schedule", o.Schedule != ""}, {"--save", o.Save != ""}, {"--replay", o.Replay != ""}, {"--jobs", o.Jobs != 1},
	} {
		if f.set {
			return exit.Usagef("%s does not go with a spec, which names its sessions, orders and levels itself", f.name).WithHint("leave %s out", f.name)
		}
	}
	if formats := o.Output.Formats; o.Output.JSON || o.Output.Output != "" || len(formats) > 1 ||
		len(formats) == 1 && formats[0] != "text" && formats[0] != isolationtester {
		return exit.Usagef("a spec is told as text or isolationtester, on standard output").WithHint("use --format isolationtester for what PostgreSQL's tool prints")
	}
	return o.Display.Check()
}

// play plays the permutations of a spec. A spec claims nothing, so there is
// nothing to judge: the exit code says whether it could be played.
func (o *Options) play(ctx context.Context) error {
	src, err := input.Read(o.Name)
	if errors.Is(err, os.ErrNotExist) {
		return exit.Usagef("there is no file %s", o.Name).WithHint("a name that ends in .spec is a spec of PostgreSQL's isolationtester")
	}
	if err != nil {
		return exit.Usagef("%w", err)
	}
	spec, err := isolation.Parse(o.Name, src)
	if err != nil {
		return exit.Usagef("%w", err)
	}
	p, err := o.Place.Open(ctx, o.Streams, len(spec.Sessions)+2)
	if err != nil {
		return err
	}
	defer p.Close(ctx)
	if p.Server != nil {
		return o.playThrowaway(ctx, p, spec)
	}
	box, err := p.Sandbox(ctx)
	if err != nil {
		return err
	}
	err = o.playOn(ctx, p, spec, box.Config())
	if note := box.Leave(ctx, o.Keep); note != "" {
		o.Streams.Warnf("%s", note)
	}
	return err
}

// playThrowaway plays in a database as PostgreSQL's own suite has it: the spec
// may do all that a superuser may.
func (o *Options) playThrowaway(ctx context.Context, p *place.Place, spec *isolation.Spec) error {
	config := p.Server.Config()
	conn, err := pgconn.ConnectConfig(ctx, config)
	if err != nil {
		return p.Target.Explain(err)
	}
	defer conn.Close(context.WithoutCancel(ctx))
	if _, err := conn.Exec(ctx, "CREATE DATABASE "+isolation.Database+" TEMPLATE template0").ReadAll(); err != nil {
		return exit.Failedf("making a database for the spec: %w", err)
	}
	config.Database = isolation.Database
	isolation.Regress(config)
	return o.playOn(ctx, p, spec, config)
}

func (o *Options) playOn(ctx context.Context, p *place.Place, spec *isolation.Spec, config *pgconn.Config) error {
	t := &told{spec: spec}
	options := isolation.Options{Config: config, Out: io.Discard, Err: io.Discard, Played: t.add}
	if len(o.Output.Formats) == 1 && o.Output.Formats[0] == isolationtester {
		options.Out, options.Err = o.Streams.Out, o.Streams.Err
		return played(isolation.Run(ctx, spec, options))
	}
	err := isolation.Run(ctx, spec, options)
	if writeErr := t.write(o.Streams.Out, p.Facts.Version); err == nil {
		err = writeErr
	}
	return played(err)
}

func played(err error) error {
	if err == nil || errors.Is(err, context.Canceled) {
		return err
	}
	return exit.Failedf("%w", err)
}

// told is what the text format says of a spec: one line for each permutation.
type told struct {
	spec    *isolation.Spec
	lines   []string
	waited  int // permutations in which a step waited
	refused int // permutations in which the server refused one
}

func (t *told) add(o isolation.Outcome) {
	var refused []string
	for _, r := range o.Refused {
		refused = append(refused, fmt.Sprintf("%s: %s %s", r.Step, r.SQLState, r.Message))
	}
	if len(o.Waited) > 0 {
		t.waited++
	}
	if len(refused) > 0 {
		t.refused++
	}
	t.lines = append(t.lines, fmt.Sprintf("%v\t%s\t%s", o.Permutation, strings.Join(o.Waited, " "), strings.Join(refused, "; ")))
}

func (t *told) write(out io.Writer, version string) error {
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 3, ' ', 0)
	fmt.Fprintln(w, "order of the steps\twaited\trefused")
	for _, line := range t.lines {
		fmt.Fprintln(w, line)
	}
	if err := w.Flush(); err != nil {
		return err
	}
	fmt.Fprintf(out, "%s on PostgreSQL %s: %s\n\n", t.spec.File, version, count(len(t.spec.Sessions), "session"))
	for line := range strings.Lines(b.String()) {
		fmt.Fprintln(out, strings.TrimRight(line, " \n"))
	}
	fmt.Fprintf(out, "\n%s of %v played: a step waited in %d, the server refused one in %d.\n",
		count(len(t.lines), "permutation"), t.spec.Count(), t.waited, t.refused)
	_, err := fmt.Fprintln(out, "A spec claims nothing, so nothing was judged; --format isolationtester prints what the steps answered.")
	return err
}
