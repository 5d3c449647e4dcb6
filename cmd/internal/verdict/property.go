package verdict

import (
	"github.com/ccheck/ccheck/analyzers/driver"
	"github.com/ccheck/ccheck/analyzers/history/fenced"
	"github.com/ccheck/ccheck/analyzers/report"
	"github.com/ccheck/ccheck/probes/history"
)

// properties are the states of the claims that are no query: bad with a finding
// that speaks of it, ok in a history that was judged to its end without one, and
// else not judged.
func properties(h *history.Header, res driver.Result) []report.ClaimState {
	var all []report.ClaimState
	for _, c := range h.Claims {
		if c.Kind != history.Property {
			continue
		}
		s := report.ClaimState{Name: c.Name, State: "ok", Checks: 1}
		if len(res.Reasons) > 0 {
			s.State, s.Checks = "waiting", 0
		}
		for _, f := range res.Findings {
			if f.Claim == c.Name {
				s.State, s.Bad, s.FirstBad = "bad", s.Bad+max(f.Count, 1), f.First
			}
		}
		s.Checks = max(s.Checks, s.Bad)
		all = append(all, s)
	}
	return all
}

// timeline is who held the lease, in the part of the history that tells most;
// nil when there is none.
func timeline(h *history.Header, path string) *report.Timeline {
	f, err := history.Open(path)
	if err != nil {
		return nil
	}
	return fenced.Timeline(h, f.Ops())
}
