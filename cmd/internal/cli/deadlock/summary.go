package deadlock

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/ccheck/ccheck/analyzers/driver"
	"github.com/ccheck/ccheck/analyzers/report"
	"github.com/ccheck/ccheck/cmd/internal/build"
	"github.com/ccheck/ccheck/cmd/internal/place"
	"github.com/ccheck/ccheck/cmd/internal/verdict"
	"github.com/ccheck/ccheck/probes/deadlock"
	"github.com/ccheck/ccheck/probes/history"
)

// head is what sinks are told when the run begins.
func (s *session) head(cells []*cell) report.Run {
	name := s.o.Name
	if name == "" {
		name = "every shape"
	}
	h := history.Header{
		Run: place.NewRun().ID, Probe: deadlock.Probe.Name, Version: build.Version(), Scenario: name, Title: "transactions that wait for each other",
		Seed: s.o.Seed.Pick(), Start: s.began,
		Target: history.Target{
			Version: s.place.Facts.Version, Address: s.place.Target.Address(), Throwaway: s.place.Server != nil, Isolation: string(s.o.level),
		},
	}
	r := verdict.Run(&h)
	r.Clients = len(cells[0].team.Actors)
	return r
}

func newTable() report.Table {
	return report.Table{
		Title:   "who waits in a circle, and what cures it",
		Columns: []string{"shape", "version", "lanes", "run", "deadlocks", "dropped calls", "verdict"},
		Notes:   []string{"deadlocks: schedules in which lanes waited in a circle, or 40P01 of the server at full speed; one whose victim starts over drops nothing"},
	}
}

func (s *session) row(c *cell, res deadlock.Result, v driver.Result) {
	lanes := strconv.Itoa(len(c.team.Actors))
	how := count(res.Schedules, "schedule")
	if c.load {
		n, duration := s.load(c)
		lanes, how = strconv.Itoa(n), fmt.Sprintf("%d calls in %v", res.Calls, duration)
	}
	if c.own {
		lanes = strings.Join(c.team.Actors, ",")
	}
	s.table.Rows = append(s.table.Rows, []string{
		c.name, c.version(), lanes, how, strconv.FormatInt(res.Deadlocks, 10), strconv.FormatInt(res.Failed, 10), string(v.Verdict),
	})
	s.table.Bad = append(s.table.Bad, v.Verdict == report.Faulty)
}

// outcome tells what a cure has shown.
func outcome(res deadlock.Result) string {
	run := count(res.Schedules, "schedule")
	if res.Schedules == 0 {
		run = fmt.Sprintf("%d calls", res.Calls)
	}
	if res.Deadlocks == 0 {
		return "no deadlock in " + run
	}
	return fmt.Sprintf("%s in %s, every victim started over and went through", count(int(res.Deadlocks), "deadlock"), run)
}

// summary ends the run.
func (s *session) summary() report.Summary {
	elapsed := time.Since(s.began)
	sum := report.Summary{Verdict: s.worst, Reasons: s.reasons, Tables: []report.Table{s.table}, History: s.history, Evidence: s.sum}
	sum.Final = report.Progress{Phase: "done", Elapsed: elapsed, Accepted: s.total.Calls - s.total.Failed, Failed: s.total.Failed, Evidence: s.sum}
	sum.Final.Rate = float64(s.total.Calls) / max(elapsed.Seconds(), 0.001)
	sum.Line = fmt.Sprintf("ccheck: %s: %s, %s in %s, %.1fs", s.worst, count(len(s.findings), "finding"),
		count(int(s.total.Deadlocks), "deadlock"), count(len(s.table.Rows), "run"), elapsed.Seconds())
	if s.history != "" {
		sum.Line += ", history " + s.history
	}
	return sum
}

func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
