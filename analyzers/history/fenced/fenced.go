package fenced

import (
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/anishathalye/porcupine"

	"github.com/ccheck/ccheck/analyzers/check"
	"github.com/ccheck/ccheck/analyzers/report"
	"github.com/ccheck/ccheck/probes/history"
)

// Checker reports leases that let two owners in, or a late one through.
var Checker = &check.Checker{Name: name, Doc: Doc, Run: run}

const (
	name = "fenced"

	// The probes whose histories have owners.
	leases  = "lease"
	leaders = "leader"
)

func run(pass *check.Pass) error {
	if pass.Header.Probe != leases && pass.Header.Probe != leaders {
		return nil
	}
	r, err := collect(pass.Ops())
	if err != nil {
		return err
	}
	j := r.judge(pass.Header)
	for _, f := range j.findings {
		pass.Report(f)
	}
	for _, why := range j.reasons {
		pass.Unknown(why)
	}
	return nil
}

// The claims, as the probe words them; docs/analyzers/fenced.md tells them.
const (
	oneOwner   = "at most one owner at a time"
	growing    = "every owner's token is greater than all before"
	lateWrite  = "a late owner's write is refused"
	onlyOwners = "only the owner renews and releases"

	oneLeader = "at most one leader at a time"
	onceEach  = "each tick fires once"
	deposed   = "a deposed leader does nothing"
)

// judgement is what is said of a history.
type judgement struct {
	r        *record
	header   *history.Header
	findings []report.Finding
	reasons  []string
	culprits []*call        // of the findings
	stage    *grant         // where two led by what they said; nil where none did
	late     map[string]int // calls of late owners, by what they were
	// exclusive is that nothing speaks against one owner at a time, so far.
	exclusive bool
}

func (r *record) judge(h *history.Header) *judgement {
	j := r.look(h)
	if j.exclusive {
		j.linear()
	}
	if h.Probe == leaders {
		j.elections()
	} else {
		j.opportunity()
	}
	return j
}

// look finds all but what takes a search.
func (r *record) look(h *history.Header) *judgement {
	j := &judgement{r: r, header: h, late: map[string]int{}}
	switch {
	case told(h):
		r.reign(h)
		j.lateCalls()
		j.rivals()
		j.jobs()
		return j
	case h.Probe == leaders:
		j.lateCalls()
		j.exclusive = !j.owners(false)
		j.jobs()
		return j
	}
	j.lateCalls()
	strange := j.strangers()
	owners := j.owners(strange)
	j.exclusive = !strange && !owners
	j.tokens()
	j.writes()
	return j
}

// lateCalls counts what was asked on a lease that was somebody else's for
// certain when the answer came.
func (j *judgement) lateCalls() {
	for _, c := range j.r.calls {
		if g := j.r.byNumber[c.grant]; g != nil && c.what != "acquire" && j.successor(g, c) != nil {
			j.late[c.what]++
		}
	}
}

// successor is the owner that holds the lease of g for certain when call c ends,
// and held it before.
func (j *judgement) successor(g *grant, c *call) *grant {
	for _, h := range j.r.after(g) {
		if h.start >= c.end {
			return nil
		}
		if h.end < c.end && h.holds(max(c.start, h.end), c.end) {
			return h
		}
	}
	return nil
}

// strangers looks for renewals and releases by one who is not the owner. They
// count when the owner had the lease before the call, and still has it after.
func (j *judgement) strangers() (found bool) {
	seen := map[string]*violation{}
	for _, c := range j.r.calls {
		g := j.r.byNumber[c.grant]
		if g == nil || !c.ok() || c.what != "renew" && c.what != "release" {
			continue
		}
		h := j.successor(g, c)
		if h == nil || h.end >= c.start || c.what == "release" && g.over(c.start) > c.start {
			continue // the second: it was renewed late, and that is told
		}
		v := seen[c.what]
		if v == nil {
			v = &violation{first: c, grants: []*grant{g, h}}
			seen[c.what] = v
		}
		v.count, v.last = v.count+1, c
	}
	for _, what := range []string{"renew", "release"} {
		if v := seen[what]; v != nil {
			j.add(v.stranger(j, what))
			found = true
		}
	}
	return found
}

// owners looks for an acquisition inside a time in which another owner holds for
// certain. After a stranger's call it is the consequence, and no finding of its
// own.
func (j *judgement) owners(strange bool) bool {
	var v *violation
	for _, name := range j.r.names {
		var open []*grant // that may hold still
		for _, h := range j.r.byName[name] {
			open = slices.DeleteFunc(open, func(g *grant) bool { return g.gone(h.start) })
			for _, g := range open {
				if !g.holds(h.start, h.end) {
					continue
				}
				if v == nil {
					v = &violation{first: h.call, grants: []*grant{g, h}}
				}
				v.count, v.last = v.count+1, h.call
			}
			open = append(open, h)
		}
	}
	if v != nil && !strange {
		j.add(v.twoOwners(j))
	}
	return v != nil
}

// tokens looks at the acquisitions of each name in the order of time.
func (j *judgement) tokens() {
	for _, name := range j.r.names {
		if v := unordered(j.r.byName[name]); v != nil {
			j.add(v.token(j))
			return // one counter, one finding
		}
	}
}

// unordered finds the first acquisition that began after one with a token that
// is not smaller had ended. The grants are in the order of their beginning.
func unordered(of []*grant) *violation {
	byEnd := slices.Clone(of)
	slices.SortFunc(byEnd, func(a, b *grant) int { return int(a.end - b.end) })
	var v *violation
	var top *grant // of those that had ended, the one with the greatest token
	next := 0
	for _, g := range of {
		for ; byEnd[next].end < g.start; next++ {
			if top == nil || less(top.token, byEnd[next].token) {
				top = byEnd[next]
			}
		}
		if top == nil || less(top.token, g.token) {
			continue
		}
		if v == nil {
			v = &violation{first: g.call, grants: []*grant{top, g}}
		}
		v.count, v.last = v.count+1, g.call
	}
	return v
}

// less compares tokens as numbers. What is no number is less than nothing.
func less(a, b string) bool {
	x, err1 := strconv.ParseUint(a, 10, 64)
	y, err2 := strconv.ParseUint(b, 10, 64)
	return err1 == nil && err2 == nil && x < y
}

// linear asks for the whole lock, where nothing simpler was found.
func (j *judgement) linear() {
	switch j.r.linearizable() {
	case porcupine.Illegal:
		claim := oneOwner
		if j.header.Probe == leaders {
			claim = oneLeader
		}
		j.add(report.Finding{
			Severity: report.High, Claim: claim, Repro: report.Repro{Command: "ccheck " + j.header.Probe + " " + again(j.header)}, Anomaly: "lock not linearizable",
			Message: "no order of the accepted acquisitions, renewals and releases, with leases that end after their time, gives at most one owner at a time",
		})
	case porcupine.Unknown:
		j.reasons = append(j.reasons, fmt.Sprintf("whether the lock is linearizable was not decided within %s: judge a shorter run", limit))
	}
}

// violation is what is wrong, the first time and how often.
type violation struct {
	first, last *call
	grants      []*grant
	other       *call
	count       int
}

func (j *judgement) add(f report.Finding) {
	f.Rule, f.Help = name, "docs/analyzers/fenced.md"
	f.Repro.Seed = j.header.Seed
	j.findings = append(j.findings, f)
}

// lag is how long after the end of its lease the call ended, as its owner could
// have known.
func (g *grant) lag(c *call) time.Duration { return c.end - g.over(c.start) }
