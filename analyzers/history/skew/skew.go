package skew

import (
	"fmt"
	"strings"
	"time"

	"github.com/ccheck/ccheck/analyzers/check"
	"github.com/ccheck/ccheck/analyzers/report"
	"github.com/ccheck/ccheck/probes/history"
)

// Checker reports what clocks that differ decide.
var Checker = &check.Checker{Name: name, Doc: Doc, Run: run}

const (
	name  = "skew"
	probe = "clock" // the only one whose histories have readings
)

// The claims, as the probe words them.
const (
	claimOffset = "the clocks agree"
	claimOrder  = "stamps are in the order of the server"
	claimToken  = "a token is accepted in its time alone"
	claimStep   = "a duration does not depend on the wall clock"
)

func run(pass *check.Pass) error {
	if pass.Header.Probe != probe {
		return nil
	}
	r, err := collect(pass.Ops())
	if err != nil {
		return err
	}
	j := &judgement{r: r, header: pass.Header, tolerance: time.Second, leeway: 5 * time.Minute}
	j.take("tolerance", &j.tolerance)
	j.take("leeway", &j.leeway)
	j.judge()
	for _, f := range j.findings {
		pass.Report(f)
	}
	for _, why := range j.reasons {
		pass.Unknown(why)
	}
	return nil
}

// judgement is what is said of a history.
type judgement struct {
	r                 *record
	header            *history.Header
	tolerance, leeway time.Duration
	findings          []report.Finding
	reasons           []string
}

// take reads a parameter that is a duration, where the history has it.
func (j *judgement) take(param string, to *time.Duration) {
	if d, err := time.ParseDuration(j.header.Param(param)); err == nil {
		*to = d
	}
}

func (j *judgement) judge() {
	if by := j.r.set(); by != 0 {
		j.reason("the clock of this machine was set by %s during the run: what was read before and after cannot be put together; make the run again", brief(by))
	} else {
		j.offsets()
	}
	for _, part := range []struct {
		claim string
		judge func()
		seen  bool
	}{
		{claimOffset, nil, len(j.r.sources) > 0},
		{claimOrder, j.order, len(j.r.events) > 0},
		{claimToken, j.tokens, len(j.r.tries) > 0},
		{claimStep, j.durations, len(j.r.timed) > 0},
	} {
		switch {
		case part.seen && part.judge != nil:
			part.judge()
		case !part.seen && j.claimed(part.claim):
			j.reason("nothing was recorded about %q", part.claim)
		}
	}
	if !j.r.ended {
		j.reason("the run was broken off before its end")
	}
	if j.r.unknown > 0 {
		j.reason("questions without an answer: %d, the first a %s", j.r.unknown, j.r.why)
	}
}

func (j *judgement) claimed(claim string) bool {
	for _, c := range j.header.Claims {
		if c.Name == claim {
			return true
		}
	}
	return false
}

func (j *judgement) reason(format string, args ...any) {
	j.reasons = append(j.reasons, fmt.Sprintf(format, args...))
}

func (j *judgement) add(f report.Finding) {
	f.Rule, f.Help = name, "docs/analyzers/skew.md"
	if f.Claim != claimToken {
		f.Repro.Command = again(j.header)
	}
	j.findings = append(j.findings, f)
}

// again is how to make the run once more; servers, tokens and commands are not
// in a history.
func again(h *history.Header) string {
	words := []string{"ccheck clock"}
	for _, p := range []struct{ name, standard string }{{"events", "200"}, {"skew", "0s"}, {"step", "0s"}, {"measure", "wall"}, {"tolerance", "1s"}, {"leeway", "5m0s"}} {
		if v := h.Param(p.name); v != "" && v != p.standard {
			words = append(words, "--"+p.name+" "+v)
		}
	}
	return strings.Join(words, " ")
}
