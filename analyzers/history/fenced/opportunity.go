package fenced

import (
	"fmt"
	"slices"

	"github.com/ccheck/ccheck/probes/history"
)

// opportunity says what did not happen and would have been needed.
func (j *judgement) opportunity() {
	took := j.overtaken()
	switch {
	case len(j.r.grants) == 0:
		j.reasons = append(j.reasons, "nobody ever got the lease")
	case len(j.r.pauses) == 0:
		j.reasons = append(j.reasons, "no owner was paused")
	case took == 0:
		j.reasons = append(j.reasons, "no rival took the lease while its owner was paused: it did not end for much longer than its time to live")
	default:
		for _, what := range []string{"write", "renew", "release"} {
			if j.late[what] == 0 && len(j.findings) == 0 {
				j.reasons = append(j.reasons, "no late "+what+" was seen while a rival held the lease for certain: the machine was too slow for this time to live; give a longer --ttl")
			}
		}
	}
	if n := j.unknown(); n > 0 {
		j.reasons = append(j.reasons, fmt.Sprintf("the outcome of %s is not known: %s", plural(n, "call"), j.firstUnknown()))
	}
}

// overtaken is the number of pauses in which a rival took the lease.
func (j *judgement) overtaken() (took int) {
	for _, p := range j.r.pauses {
		if slices.ContainsFunc(j.r.grants, func(g *grant) bool { return g.lane != p.lane && g.start > p.from && g.end < p.to }) {
			took++
		}
	}
	return took
}

func (j *judgement) unknown() (n int) {
	for _, c := range j.r.calls {
		if c.outcome == history.Unknown {
			n++
		}
	}
	return n
}

func (j *judgement) firstUnknown() string {
	i := slices.IndexFunc(j.r.calls, func(c *call) bool { return c.outcome == history.Unknown })
	return j.r.calls[i].what + ": " + j.r.calls[i].why
}
