package stress

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/ccheck/ccheck/probes/scenario"
	"github.com/ccheck/ccheck/probes/target"
)

// plan shows what a run would do. On the user's server it sends read-only
// catalogue queries and nothing else.
func plan(ctx context.Context, o *Options, sc *scenario.Scenario) error {
	in, err := intent(o, sc)
	if err != nil {
		return err
	}
	if !o.named() {
		fmt.Fprintln(o.Streams.Out, "target       a throw-away PostgreSQL that ccheck would start, and remove afterwards")
		printIntent(o.Streams.Out, in)
		return nil
	}
	s := &session{o: o, set: target.DefaultSettings()}
	if err := s.find(ctx, in.Clients); err != nil {
		return err
	}
	run := s.newRun()
	conn, err := s.target.Connect(ctx, run, s.set)
	if err != nil {
		return err
	}
	defer conn.Close(context.WithoutCancel(ctx))
	p, err := s.target.Plan(ctx, conn, run, s.set, in)
	if err != nil {
		return err
	}
	s.facts = p.Facts
	clients, capped := s.lanes(sc)
	if capped == nil {
		p.Intent.Clients = connections(sc, clients)
	}
	printPlan(o.Streams.Out, p)
	if err := target.Refuse(p.Facts, target.Override{Database: o.KnownAs}); err != nil {
		return err
	}
	return capped
}

func intent(o *Options, sc *scenario.Scenario) (target.Intent, error) {
	in := target.Intent{
		Scenario: sc.FullName(), Clients: connections(sc, o.wanted(sc)), Duration: o.Duration, Transactions: o.Transactions,
		Raised: o.MaxConnections,
	}
	for _, src := range sc.Setup {
		text, err := scenario.SQL(src.Text, sc.Params)
		if err != nil {
			return in, err
		}
		in.Setup = append(in.Setup, text)
	}
	for _, a := range sc.Actors {
		for _, st := range a.Script.Stmts {
			in.Work = append(in.Work, st.SQL)
		}
	}
	for _, inv := range sc.Invariants {
		in.Work = append(in.Work, inv.SQL.Text)
	}
	return in, nil
}

func printIntent(w io.Writer, in target.Intent) {
	fmt.Fprintf(w, "scenario     %s\nconnections  %d\n", in.Scenario, in.Clients)
	if in.Duration > 0 {
		fmt.Fprintf(w, "duration     %v\n", in.Duration)
	}
	if in.Transactions > 0 {
		fmt.Fprintf(w, "calls        %d of each lane\n", in.Transactions)
	}
}

func printPlan(w io.Writer, p target.Plan) {
	fmt.Fprintf(w, "target       %s\nserver       %s\nschema       %s\n", p.Target, p.Server, p.Schema)
	printIntent(w, p.Intent)
	list(w, "limits of every session", p.Limits)
	list(w, "statements, in order; what lanes repeat once", p.Statements)
	list(w, "the rails would refuse this server", p.Reasons)
	for _, o := range p.Leftovers {
		fmt.Fprintf(w, "left behind  schema %s by %s\n", o.Schema, o.Owner)
	}
	list(w, "warnings", p.Warnings)
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
