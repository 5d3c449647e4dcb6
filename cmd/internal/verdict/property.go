package verdict

import (
	"iter"

	"github.com/ccheck/ccheck/analyzers/driver"
	"github.com/ccheck/ccheck/analyzers/history/delivery"
	"github.com/ccheck/ccheck/analyzers/history/fenced"
	"github.com/ccheck/ccheck/analyzers/history/once"
	"github.com/ccheck/ccheck/analyzers/report"
	"github.com/ccheck/ccheck/probes/history"
	"github.com/ccheck/ccheck/probes/leader"
	"github.com/ccheck/ccheck/probes/queue"
	"github.com/ccheck/ccheck/probes/retry"
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

// unproven takes the word of claims that no look saw broken in a run that was too
// short or too easy to break them: such a claim is not known to hold.
func unproven(claims []report.ClaimState, res driver.Result) []report.ClaimState {
	easy := res.Evidence != (report.Evidence{}) && !res.Evidence.Enough
	if res.Verdict == report.Clean || res.Verdict == report.Faulty && !easy {
		return claims
	}
	for i := range claims {
		if claims[i].State == "ok" {
			claims[i].State = "unproven"
		}
	}
	return claims
}

// Timeline is that of a stored history, for a command that runs several; nil where
// it has none.
func Timeline(path string) *report.Timeline {
	f, err := history.Open(path)
	if err != nil {
		return nil
	}
	return timeline(f.Header, path)
}

// timeline is the time line of a run in which calls are retried or jobs done; nil
// of any other.
func timeline(h *history.Header, path string) *report.Timeline {
	draw := map[string]func(*history.Header, iter.Seq2[*history.Op, error]) *report.Timeline{
		retry.Probe.Name: once.Timeline, queue.Probe.Name: delivery.Timeline,
	}[h.Probe]
	if draw == nil {
		return nil
	}
	f, err := history.Open(path)
	if err != nil {
		return nil // it was read a moment ago; the findings stand without
	}
	return draw(h, f.Ops())
}

// leased tells what is known of leases beside the findings: who held one in the
// part of the history that tells most, and what was tried.
func leased(sum *report.Summary, h *history.Header) {
	f, err := history.Open(sum.History)
	if err != nil {
		return // it was read a moment ago; the findings stand without
	}
	if told := h.Target.Kind == leader.KindCommand || h.Target.Kind == leader.KindWatch; told && h.Probe == leader.Probe.Name {
		sum.Final.P50, sum.Final.P99, sum.Final.Max = 0, 0, 0 // how long a call took is not known
	}
	sum.Timeline = fenced.Timeline(h, f.Ops())
	sum.Notes = append(sum.Notes, fenced.Notes(h, f)...)
}
