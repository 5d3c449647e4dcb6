package stress

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/ccheck/ccheck/cmd/internal/place"
	"github.com/ccheck/ccheck/probes/scenario"
	"github.com/ccheck/ccheck/probes/server/postgres"
	"github.com/ccheck/ccheck/probes/target"
)

// plan shows what a run would do. On the user's server it sends read-only
// catalogue queries and nothing else.
func plan(ctx context.Context, o *Options, sc *scenario.Scenario) error {
	in, counted, err := intent(o, sc)
	if err != nil {
		return err
	}
	w := o.Streams.Out
	if !o.Place.Named(o.Streams) {
		fmt.Fprintln(w, "target       a throw-away PostgreSQL that ccheck would start, and remove afterwards")
		printIntent(w, o, sc, in)
		printStatements(w, slices.Concat(in.Setup, in.Work), counted)
		return nil
	}
	at, err := o.Place.Find(ctx, o.Streams, in.Clients, postgres.Options{})
	if err != nil {
		return err
	}
	run := place.NewRun()
	conn, err := at.Target.Connect(ctx, run, at.Limits)
	if err != nil {
		return err
	}
	defer conn.Close(context.WithoutCancel(ctx))
	p, err := at.Target.Plan(ctx, conn, run, at.Limits, in)
	if err != nil {
		return err
	}
	at.Facts = p.Facts
	clients, capped := (&session{o: o, place: at}).lanes(sc)
	if capped == nil {
		p.Intent.Clients = connections(sc, clients)
	}
	printPlan(w, o, sc, p, counted)
	if err := target.Refuse(p.Facts, target.Override{Database: o.Place.KnownAs}); err != nil {
		return err
	}
	return capped
}

// intent is what the run is to do. counted are the variables of its invariants
// that have a value in a run only, each with what it is.
func intent(o *Options, sc *scenario.Scenario) (in target.Intent, counted []string, err error) {
	in = target.Intent{
		Scenario: sc.FullName(), Clients: connections(sc, o.wanted(sc)), Duration: o.Duration, Transactions: o.Transactions,
		Raised: o.Place.MaxConnections,
	}
	for _, src := range sc.Setup {
		text, err := scenario.SQL(src.Text, sc.Params)
		if err != nil {
			return in, nil, err
		}
		in.Setup = append(in.Setup, text)
	}
	for _, a := range sc.Actors {
		for _, st := range a.Script.Stmts {
			in.Work = append(in.Work, st.SQL)
		}
	}
	for _, inv := range sc.Invariants {
		text, more, err := sc.Preview(inv)
		if err != nil {
			return in, nil, err
		}
		in.Work = append(in.Work, text)
		counted = append(counted, more...)
	}
	slices.Sort(counted)
	return in, slices.Compact(counted), nil
}

func printIntent(w io.Writer, o *Options, sc *scenario.Scenario, in target.Intent) {
	fmt.Fprintf(w, "scenario     %s\nisolation    %s\nconnections  %d\n", in.Scenario, levelWords(o, sc), in.Clients)
	if in.Duration > 0 {
		fmt.Fprintf(w, "duration     %v\n", in.Duration)
	}
	if in.Transactions > 0 {
		fmt.Fprintf(w, "calls        %d of each lane\n", in.Transactions)
	}
}

// levelWords names the levels that the run would be made at.
func levelWords(o *Options, sc *scenario.Scenario) string {
	var words []string
	for _, l := range o.levelsOf(sc) {
		words = append(words, cmp.Or(string(l), string(scenario.ReadCommitted)))
	}
	return strings.Join(words, ", then ")
}

func printPlan(w io.Writer, o *Options, sc *scenario.Scenario, p target.Plan, counted []string) {
	fmt.Fprintf(w, "target       %s\nserver       %s\nschema       %s\n", p.Target, p.Server, p.Schema)
	printIntent(w, o, sc, p.Intent)
	list(w, "limits of every session", p.Limits)
	printStatements(w, p.Statements, counted)
	list(w, "the rails would refuse this server", p.Reasons)
	for _, o := range p.Leftovers {
		fmt.Fprintf(w, "left behind  schema %s by %s\n", o.Schema, o.Owner)
	}
	list(w, "warnings", p.Warnings)
}

func printStatements(w io.Writer, statements, counted []string) {
	list(w, "statements, in order; what lanes repeat once", statements)
	list(w, "in these, known when it runs", counted)
}

func list(w io.Writer, title string, lines []string) {
	if len(lines) == 0 {
		return
	}
	fmt.Fprintf(w, "\n%s:\n", title)
	for _, l := range lines {
		fmt.Fprintf(w, "  %s\n", strings.ReplaceAll(strings.TrimSpace(l), "\n", "\n  "))
	}
}
