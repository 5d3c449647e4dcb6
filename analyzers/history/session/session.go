package session

import (
	"fmt"
	"strings"

	"github.com/ccheck/ccheck/analyzers/check"
	"github.com/ccheck/ccheck/analyzers/report"
	"github.com/ccheck/ccheck/probes/history"
)

// Checker reports sessions that read the past.
var Checker = &check.Checker{Name: name, Doc: Doc, Run: run}

const (
	name  = "session"
	probe = "lag" // the only one whose histories have sessions with versions
)

// enough is how many reads of a kind must have had the opportunity to go wrong.
const enough = 3

func run(pass *check.Pass) error {
	if pass.Header.Probe != probe {
		return nil
	}
	r, err := collect(pass.Ops())
	if err != nil {
		return err
	}
	j := &judgement{r: r, header: pass.Header, policy: pass.Header.Param("reads")}
	for _, k := range []kind{own, read, cause, money} {
		if f, ok := j.finding(k); ok {
			pass.Report(f)
		}
	}
	for _, why := range j.reasons() {
		pass.Unknown(why)
	}
	return nil
}

// claims are those of the probe, by what a read contradicts.
var claims = map[kind]string{
	own:   "a session reads its own writes",
	read:  "a session never reads backwards",
	cause: "no effect is seen before its cause",
	money: "no money is spent twice on a stale balance",
}

// judgement is what is said of a history.
type judgement struct {
	r      *record
	header *history.Header
	policy string
}

// of yields the reads of the kind under the policy that is judged.
func (j *judgement) of(k kind) (all []*event) {
	for _, e := range j.r.events {
		if e.kind == k && e.policy == j.policy && (e.what == "read" || e.what == "pay") {
			all = append(all, e)
		}
	}
	return all
}

// claimed reports whether the run was about the claim: that of an application
// has no money.
func (j *judgement) claimed(k kind) bool {
	for _, c := range j.header.Claims {
		if c.Name == claims[k] {
			return true
		}
	}
	return false
}

// reasons say what did not happen and would have been needed.
func (j *judgement) reasons() (all []string) {
	late := 0
	for _, s := range j.r.sights {
		if s.stale > 0 {
			late++
		}
	}
	if len(j.r.sights) == 0 {
		all = append(all, "no write was ever looked for on a replica")
	} else if late == 0 {
		all = append(all, fmt.Sprintf("no lag at all was seen: each of %d writes could be read on every replica at the first look, so that nothing could be stale", len(j.r.sights)))
	} else {
		all = append(all, j.missing()...)
	}
	if why := j.unknown(); why != "" {
		all = append(all, why)
	}
	if !j.r.ended {
		all = append(all, "the run was broken off before its end")
	}
	return all
}

// missing names the claims that too few reads could have broken.
func (j *judgement) missing() (all []string) {
	var few []string
	for _, k := range []kind{own, read, cause, money} {
		if !j.claimed(k) {
			continue
		}
		behind, stale := 0, 0
		for _, e := range j.of(k) {
			if e.behind {
				behind++
			}
			if e.stale {
				stale++
			}
		}
		if stale == 0 && behind < enough {
			few = append(few, fmt.Sprintf("%q: %d", claims[k], behind))
		}
	}
	if len(few) > 0 {
		all = append(all, fmt.Sprintf("too few reads were made while a replica was seen to lack what the session knew (%s): the lag is short against the time of a read; give a longer --duration, or more load on the primary", strings.Join(few, ", ")))
	}
	return all
}

// unknown tells of calls without an answer.
func (j *judgement) unknown() string {
	n, first := 0, ""
	for _, e := range j.r.events {
		if e.outcome == history.Unknown {
			if n == 0 {
				first = e.what + ": " + e.why
			}
			n++
		}
	}
	if n == 0 {
		return ""
	}
	return fmt.Sprintf("calls without an answer: %d, the first a %s", n, first)
}

// finding tells the first read that breaks the claim, and how often it happened.
func (j *judgement) finding(k kind) (f report.Finding, found bool) {
	all := j.of(k)
	var first, last *event
	n := 0
	for _, e := range all {
		if !e.stale {
			continue
		}
		if first == nil {
			first = e
		}
		last = e
		n++
	}
	if first == nil {
		return f, false
	}
	f = report.Finding{
		Rule: name, Severity: severities[k], Claim: claims[k], Anomaly: anomalies[k], Help: "docs/analyzers/session.md",
		Count: n, First: first.end, Last: last.end,
	}
	j.tell(&f, first, n, len(all))
	f.Fixes = j.fixes(k)
	if j.header.Target.Kind != "http" {
		f.Repro.Command = again(j.header)
	}
	return f, true
}

// Money that is lost is graver than a page that is old.
var severities = map[kind]report.Severity{own: report.Medium, read: report.Medium, cause: report.Medium, money: report.High}

var anomalies = map[kind]string{
	own:   "own write not read",
	read:  "read backwards",
	cause: "effect before its cause",
	money: "decision on stale money",
}

// again is how to make the run once more; servers are not in a history.
func again(h *history.Header) string {
	words := []string{"ccheck lag"}
	for _, p := range []string{"reads", "delay", "replicas", "partition", "every", "duration"} {
		if v := h.Param(p); v != "" {
			words = append(words, "--"+p+" "+v)
		}
	}
	return strings.Join(words, " ")
}
