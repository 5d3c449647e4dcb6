package volley

import (
	"errors"

	"github.com/ccheck/ccheck/probes/explore"
	"github.com/ccheck/ccheck/probes/history"
	"github.com/ccheck/ccheck/probes/pg"
	"github.com/ccheck/ccheck/probes/scenario"
)

func claimsOf(sc *scenario.Scenario) []history.Claim {
	if sc == nil {
		return nil
	}
	var list []history.Claim
	for _, inv := range sc.Invariants {
		list = append(list, history.Claim{
			Name: inv.Name, Kind: history.Invariant, SQL: inv.SQL.Text, When: string(inv.When), Where: inv.Where.String(), Fixes: inv.Fixes,
		})
	}
	return list
}

// claims looks at the invariants when a round has ended.
func (r *run) claims(team []string, ends []explore.Ending) error {
	if r.Scenario == nil {
		return nil
	}
	counts := r.counts(team, ends)
	for _, inv := range r.Scenario.Invariants {
		sql, err := scenario.SQL(inv.SQL.Text, r.Scenario.Params, r.Scenario.Counters(counts))
		if err != nil {
			return &ClaimError{Claim: inv.Name, Where: inv.SQL.Where.String(), Err: err}
		}
		if err := r.claim(inv, sql); err != nil {
			return err
		}
	}
	return nil
}

// ClaimError says that an invariant cannot be looked at.
type ClaimError struct {
	Claim, Where string
	Err          error
}

func (e *ClaimError) Error() string {
	return e.Where + `: invariant "` + e.Claim + `": ` + e.Err.Error()
}
func (e *ClaimError) Unwrap() error { return e.Err }

func (r *run) claim(inv scenario.Invariant, sql string) error {
	res, err := r.conn.Ask(sql)
	var server *pg.Error
	if errors.As(err, &server) {
		return &ClaimError{Claim: inv.Name, Where: inv.SQL.Where.String(), Err: err}
	}
	if err != nil {
		return err
	}
	kept := min(len(res.Rows), history.MaxRows)
	r.rec.Record(&history.Op{
		Scope: history.ScopeCheck, Kind: history.OK, Text: inv.Name,
		Columns: res.Columns, Rows: res.Rows[:kept], More: len(res.Rows) - kept,
	})
	return nil
}

// counts are the answers of the actors, with those on the way to the boundary.
func (r *run) counts(team []string, ends []explore.Ending) []scenario.Count {
	var list []scenario.Count
	for _, l := range r.Service.Learnt {
		n := scenario.Count{Actor: l.Name, OK: r.staged[l.Name]}
		for i, e := range ends {
			if team[i] == l.Name {
				n.Add(e.Outcome)
			}
		}
		list = append(list, n)
	}
	return list
}
