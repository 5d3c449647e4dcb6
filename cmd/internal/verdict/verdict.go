// Package verdict is what the commands that judge a history share: the way
// from a recorded file to findings, a summary and an exit code, the same for a
// run that has just ended (stress) and one that was stored (check, show).
package verdict

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/ccheck/ccheck/analyzers"
	"github.com/ccheck/ccheck/analyzers/check"
	"github.com/ccheck/ccheck/analyzers/driver"
	"github.com/ccheck/ccheck/analyzers/report"
	"github.com/ccheck/ccheck/probes/bleed"
	"github.com/ccheck/ccheck/probes/clock"
	"github.com/ccheck/ccheck/probes/deadlock"
	"github.com/ccheck/ccheck/probes/explore"
	"github.com/ccheck/ccheck/probes/history"
	"github.com/ccheck/ccheck/probes/lag"
	"github.com/ccheck/ccheck/probes/leader"
	"github.com/ccheck/ccheck/probes/lease"
	"github.com/ccheck/ccheck/probes/queue"
	"github.com/ccheck/ccheck/probes/retry"
	"github.com/ccheck/ccheck/probes/stress"
)

// Judge runs every checker over the history. Times in the findings count from
// the start gate, as those of the progress do, and not from the set-up on.
func Judge(ctx context.Context, f *history.File) (driver.Result, error) {
	if stress.IsShard(f.Header) {
		return ofShard(f.Header), nil
	}
	res, err := driver.Judge(ctx, f, judges(f.Header.Probe))
	if err != nil {
		return res, err
	}
	shift(res.Findings, stress.Gate(f))
	repeat(f.Header, res.Findings)
	return res, nil
}

// judges are those of the histories of a probe.
func judges(probe string) []*check.Checker {
	switch probe {
	case explore.Probe.Name:
		return analyzers.Explored
	case deadlock.Probe.Name:
		return analyzers.Circling
	case retry.Probe.Name:
		return analyzers.Retried
	case queue.Probe.Name:
		return analyzers.Delivered
	case clock.Probe.Name:
		return analyzers.Clocked
	case lag.Probe.Name:
		return analyzers.Lagging
	case bleed.Probe.Name:
		return analyzers.Bleeding
	case lease.Probe.Name, leader.Probe.Name:
		return analyzers.Leased
	}
	return analyzers.History
}

// shift moves the times of the findings back. What was seen before the gate
// opened, such as a claim that the set-up breaks, is at 0.
func shift(findings []report.Finding, by time.Duration) {
	for i := range findings {
		f := &findings[i]
		f.First, f.Last = max(f.First-by, 0), max(f.Last-by, 0)
		f.Steps = slices.Clone(f.Steps)
		for k := range f.Steps {
			s := &f.Steps[k]
			s.Start, s.End = max(s.Start-by, 0), max(s.End-by, 0)
		}
	}
}

// Run is the head of a history as sinks show it.
func Run(h *history.Header) report.Run {
	r := report.Run{
		ID: h.Run, Tool: "ccheck " + h.Version, Probe: h.Probe, Scenario: h.Scenario, Title: h.Title,
		Target: h.Target.Address, Server: Server(h.Target), Isolation: h.Target.Isolation,
		Seed: h.Seed, Started: h.Start,
	}
	if h.Target.Throwaway {
		r.Target = "a throw-away server"
	}
	fmt.Sscan(h.Param("clients"), &r.Clients)
	fmt.Sscan(h.Param("transactions"), &r.Limit)
	r.Duration, _ = time.ParseDuration(h.Param("duration"))
	for _, c := range h.Claims {
		r.Claims = append(r.Claims, c.Name)
	}
	return r
}

// servers are the names of the kinds of target, as people write them.
var servers = map[string]string{"redis": "Redis", "etcd": "etcd", "exec": "a command", "http": "an application", "clocks": "clocks"}

// Server names the system under test.
func Server(t history.Target) string {
	name, ok := servers[t.Kind]
	if !ok {
		name = "PostgreSQL"
	}
	return strings.TrimSpace(name + " " + t.Version)
}

// Progress is the state of a run as sinks show it.
func Progress(s stress.Snapshot, total time.Duration) report.Progress {
	p := report.Progress{
		Phase: s.Phase, Elapsed: s.Elapsed, Total: total,
		Accepted: s.Total.Accepted, Refused: s.Total.Refused, Failed: s.Total.Failed, Unknown: s.Total.Unknown,
		Commits: s.Total.Accepted, Retries: s.Retries, Rate: s.Rate, P50: s.P50, P99: s.P99, Max: s.Max,
		Slot: s.Slot, Throughput: s.Throughput, Bands: stress.Bands, Heat: s.Heat, Recorded: s.Recorded,
		Evidence: report.Evidence{
			Calls: s.Total.Calls(), Tries: s.Total.Calls() + s.Retries, LockWaits: s.Waits, Checks: s.Checks,
		},
	}
	for state, n := range s.Errors {
		p.Errors = append(p.Errors, report.Count{Key: state, N: n})
		if conflict(state) {
			p.Evidence.Conflicts += n
		}
	}
	slices.SortFunc(p.Errors, func(a, b report.Count) int {
		if a.N != b.N {
			return int(b.N - a.N)
		}
		return strings.Compare(a.Key, b.Key)
	})
	for _, m := range s.Marks {
		p.Marks = append(p.Marks, report.Mark{Slot: m.Slot, Kind: m.Kind})
	}
	for _, c := range s.Claims {
		p.Claims = append(p.Claims, report.ClaimState{Name: c.Name, State: c.State, Checks: c.Checks, Bad: c.Bad, FirstBad: c.FirstBad, Note: c.Note})
	}
	for i, v := range s.Violations {
		p.Violations = append(p.Violations, report.Violation{ID: i + 1, At: v.At, Claim: v.Claim, Text: v.Text, Finding: -1})
	}
	return p
}

// conflict reports whether the server answers so when transactions collide: a
// rollback (class 40), or a row that another one made first.
func conflict(sqlstate string) bool {
	return strings.HasPrefix(sqlstate, "40") || sqlstate == "23505" || sqlstate == "23P01"
}

// Summary puts the end of a run together.
func Summary(h *history.Header, s stress.Snapshot, res driver.Result, path string) report.Summary {
	total, _ := time.ParseDuration(h.Param("duration"))
	sum := report.Summary{
		Verdict: res.Verdict, Reasons: res.Reasons, Evidence: res.Evidence, History: path,
		Final: Progress(s, total),
	}
	sum.Final.Evidence = res.Evidence
	if secs := s.Elapsed.Seconds(); secs > 0 {
		sum.Final.Rate = float64(s.Total.Calls()) / secs // of the whole run, no longer of its last moment
	}
	for i := range sum.Final.Violations {
		v := &sum.Final.Violations[i]
		v.Finding = slices.IndexFunc(res.Findings, func(f report.Finding) bool { return f.Claim == v.Claim })
	}
	sum.Final.Claims = append(unproven(sum.Final.Claims, res), properties(h, res)...)
	if h.Probe == lease.Probe.Name || h.Probe == leader.Probe.Name {
		leased(&sum, h)
	}
	if t := timeline(h, path); t != nil {
		sum.Timeline = t
	}
	if h.Probe == clock.Probe.Name {
		clocked(&sum)
	}
	if h.Probe == lag.Probe.Name {
		lagging(&sum, h)
	}
	sum.Notes = append(sum.Notes, shardNotes(h)...)
	sum.Line = Line(res.Verdict, res.Findings, s, h.Seed, path)
	return sum
}

// Line is the last line of the output, made for grep.
func Line(v report.Verdict, findings []report.Finding, s stress.Snapshot, seed uint64, path string) string {
	var b strings.Builder
	b.WriteString("ccheck: ")
	switch {
	case len(findings) > 0:
		b.WriteString(count(len(findings), "finding") + " (" + kinds(findings) + ")")
	case v == report.Clean:
		b.WriteString("clean: nothing found")
	default:
		b.WriteString("unknown: nothing found, and too little seen to say that it holds")
	}
	fmt.Fprintf(&b, " in %s, %.1fs", count(int(s.Total.Calls()), "call"), s.Elapsed.Seconds())
	if seed != 0 { // else nothing was chosen at random
		fmt.Fprintf(&b, ", seed %d", seed)
	}
	if path != "" {
		b.WriteString(", history " + path)
	}
	return b.String()
}

// kinds counts the findings by what happened. A race that breaks several claims
// happened once.
func kinds(findings []report.Finding) string {
	var names []string
	n := map[string]int{}
	for _, f := range findings {
		name := f.Anomaly
		if name == "" {
			name = f.Rule
		}
		name, _, _ = strings.Cut(name, " (")
		if f.SameAs != "" {
			name = "the same race"
		}
		if n[name] == 0 {
			names = append(names, name)
		}
		n[name]++
	}
	for i, name := range names {
		names[i] = fmt.Sprintf("%s %d", name, n[name])
	}
	return strings.Join(names, ", ")
}

func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
