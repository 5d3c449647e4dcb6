package fenced

import (
	"slices"

	"github.com/ccheck/ccheck/analyzers/report"
	"github.com/ccheck/ccheck/probes/history"
)

// writes looks for writes that were taken after the next owner had written.
func (j *judgement) writes() {
	var late, stuck *violation
	for i, c := range j.r.calls {
		g := j.r.byNumber[c.grant]
		if g == nil || c.what != "write" {
			continue
		}
		if h, other := j.overwritten(i, g, c); h != nil {
			if late == nil {
				late = &violation{first: c, grants: []*grant{g, h}, other: other}
			}
			late.count, late.last = late.count+1, c
		}
		if c.outcome == history.Refused && g.holds(c.start, c.end) {
			if stuck == nil {
				stuck = &violation{first: c, grants: []*grant{g}}
			}
			stuck.count, stuck.last = stuck.count+1, c
		}
	}
	if late != nil {
		j.add(late.lateWrite(j))
	}
	if stuck != nil && !slices.ContainsFunc(j.findings, func(f report.Finding) bool { return f.Claim == growing }) {
		j.add(stuck.refused(j))
	}
}

// overwritten finds the later owner whose accepted write was before the accepted
// write c: it had ended when c began, or it had when c ended, and what was read
// next is c's value.
func (j *judgement) overwritten(at int, g *grant, c *call) (*grant, *call) {
	if !c.ok() {
		return nil, nil
	}
	for _, w := range j.r.calls[:at] {
		h := j.r.byNumber[w.grant]
		if w.what != "write" || !w.ok() || w.key != c.key || h == nil || !h.since(g) {
			continue
		}
		if w.end < c.start || j.readBack(at, c) {
			return h, w
		}
	}
	return nil, nil
}

// readBack reports that c's value is read before anything else is written.
func (j *judgement) readBack(at int, c *call) bool {
	for _, o := range j.r.calls[at+1:] {
		switch {
		case o.key != c.key:
		case o.what == "write" && o.outcome != history.Refused:
			return false
		case o.what == "read" && o.ok() && o.start > c.end:
			return o.value == c.value
		}
	}
	return false
}
