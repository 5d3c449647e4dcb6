package stress

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"github.com/ccheck/ccheck/probes/history"
	"github.com/ccheck/ccheck/probes/internal/lab"
	"github.com/ccheck/ccheck/probes/pg"
	"github.com/ccheck/ccheck/probes/scenario"
)

// prepare runs the scenario's setup in the sandbox.
func (r *run) prepare(ctx context.Context) error {
	admin, err := pg.Connect(ctx, r.Config(), nil, pg.Simple)
	if err != nil {
		return err
	}
	r.admin = admin
	admin.Watch(ctx)
	for _, src := range r.sc.Setup {
		if err := lab.RunSource(admin, src, r.sc.Params, "setup"); err != nil {
			admin.Close()
			return err
		}
	}
	if r.tables, err = r.Tables(ctx); err == nil {
		err = r.follow(ctx)
	}
	if err != nil {
		admin.Close()
	}
	return err
}

// header completes the head of the history.
func (r *run) header() history.Header {
	h := r.Header
	h.Probe = cmp.Or(h.Probe, Probe.Name)
	h.Scenario, h.Title = r.sc.FullName(), r.sc.Title
	h.Seed = r.Seed
	h.Start = time.Now()
	h.Target.Isolation = string(r.Isolation)
	h.Claims, h.Actors = r.claims(), r.actors()
	h.Tables = r.tables
	mode := r.sc.Load.Mode
	if mode == "" {
		mode = scenario.Loop
	}
	h.Params = append(h.Params,
		history.Parameter{Name: "mode", Value: string(mode)},
		history.Parameter{Name: "clients", Value: fmt.Sprint(r.Clients)},
		history.Parameter{Name: "duration", Value: r.Duration.String()},
		history.Parameter{Name: "transactions", Value: fmt.Sprint(r.Transactions)},
		history.Parameter{Name: "rate", Value: fmt.Sprint(r.Rate)},
		history.Parameter{Name: "think", Value: fmt.Sprintf("%v-%v", r.Think.Min, r.Think.Max)},
		history.Parameter{Name: "protocol", Value: string(r.Protocol)},
		history.Parameter{Name: "max-tries", Value: fmt.Sprint(r.MaxTries)},
	)
	if r.Shard != nil {
		h.Params = append(h.Params, r.Shard.params(h.Start)...)
	}
	return h
}

func (r *run) claims() []history.Claim {
	var list []history.Claim
	for _, inv := range r.sc.Invariants {
		list = append(list, history.Claim{
			Name: inv.Name, Kind: history.Invariant, SQL: inv.SQL.Text, When: string(inv.When),
			Where: inv.Where.String(), Fixes: inv.Fixes,
		})
	}
	if len(r.ledgerTables()) > 0 {
		list = append(list, history.Claim{Name: LedgerClaim, Kind: history.Ledger, When: string(scenario.End)})
	}
	return list
}

// LedgerClaim is the name of the claim that the effects of the actors make.
const LedgerClaim = "nothing accepted was dropped, nothing refused took effect"

func (r *run) actors() []history.Actor {
	var list []history.Actor
	for _, a := range r.sc.Actors {
		actor := history.Actor{Name: a.Name, File: a.Path, Script: a.Text, Retry: a.Script.Retry, Refuse: a.Script.Refuse}
		for _, e := range a.Effects {
			actor.Effects = append(actor.Effects, history.Effect{Table: e.Table, Key: e.Key, Column: e.Column, KeyVar: e.AtText, AddVar: e.AddText})
		}
		list = append(list, actor)
	}
	return list
}

// open connects the lanes and the checker, a few at a time: a server that
// forks 200 backends at once answers none of them quickly.
func (r *run) open(ctx context.Context) error {
	conn, err := pg.Connect(ctx, r.Config(), nil, pg.Simple)
	if err != nil {
		return err
	}
	conn.Watch(ctx)
	if r.check, err = r.newChecker(conn); err != nil {
		return err
	}
	from, to := r.share()
	r.lanes = make([]*lane, to-from)
	errs := make(chan error, to-from)
	slots := make(chan struct{}, 8)
	for i := range r.lanes {
		go func() {
			slots <- struct{}{}
			defer func() { <-slots }()
			l, err := r.newLane(ctx, from+i)
			r.lanes[i] = l
			errs <- err
		}()
	}
	var first error
	for range r.lanes {
		if err := <-errs; err != nil && first == nil {
			first = err
		}
	}
	if first != nil {
		r.lanes = slicesNonNil(r.lanes)
		r.close()
	}
	return first
}

func slicesNonNil(lanes []*lane) []*lane {
	var kept []*lane
	for _, l := range lanes {
		if l != nil {
			kept = append(kept, l)
		}
	}
	return kept
}
