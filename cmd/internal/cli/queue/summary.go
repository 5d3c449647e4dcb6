package queue

import (
	"fmt"
	"strconv"
	"time"

	"github.com/ccheck/ccheck/analyzers/driver"
	"github.com/ccheck/ccheck/analyzers/report"
	"github.com/ccheck/ccheck/cmd/internal/build"
	"github.com/ccheck/ccheck/cmd/internal/place"
	"github.com/ccheck/ccheck/cmd/internal/verdict"
	"github.com/ccheck/ccheck/probes/history"
	"github.com/ccheck/ccheck/probes/queue"
)

// header is the head of a history of an application.
func (s *session) header() history.Header {
	return history.Header{
		Run: place.NewRun().ID, Version: build.Version(),
		Target: history.Target{Kind: "http", Address: s.o.url()},
	}
}

func title(c cell) string {
	if c.sc == nil {
		return "an application's queue"
	}
	return c.sc.Title
}

// head is what sinks are told when the run begins.
func (s *session) head() report.Run {
	h := s.header()
	h.Probe, h.Scenario, h.Title, h.Seed, h.Start = queue.Probe.Name, s.o.Name, "is each job done, and once?", s.o.Seed.Pick(), s.began
	switch {
	case s.place != nil:
		h.Target = history.Target{Version: s.place.Facts.Version, Address: s.place.Target.Address(), Throwaway: s.place.Server != nil}
		if h.Scenario == "" {
			h.Scenario = "every kind"
		}
	default:
		h.Scenario = "application"
	}
	r := verdict.Run(&h)
	r.Clients, r.Claims = s.o.Workers, []string{queue.ClaimDone, queue.ClaimOnce}
	return r
}

func (s *session) progress(c cell, p queue.Counts) report.Progress {
	return report.Progress{Phase: c.name, Elapsed: time.Since(s.began), Accepted: s.total.Done + p.Done, Unknown: s.total.Killed + p.Killed, Recorded: p.Recorded}
}

func newTable() report.Table {
	return report.Table{
		Title:   "who loses jobs, and who does them twice",
		Columns: []string{"queue", "jobs", "effects", "workers killed", "lost", "done twice", "verdict"},
		Notes:   []string{"effects are counted at a service outside of the database; one more than jobs for each worker that was killed after it is no fault of the queue"},
	}
}

func (s *session) row(c cell, counts queue.Counts, v driver.Result) {
	n := map[string]int{}
	for _, f := range v.Findings {
		n[f.Claim] += f.Count
	}
	s.table.Rows = append(s.table.Rows, []string{
		c.name, strconv.FormatInt(counts.Enqueued, 10), strconv.FormatInt(counts.Done, 10), strconv.FormatInt(counts.Killed, 10),
		strconv.Itoa(n[queue.ClaimDone]), strconv.Itoa(n[queue.ClaimOnce]), string(v.Verdict),
	})
	s.table.Bad = append(s.table.Bad, v.Verdict == report.Faulty)
}

// claims are the states of the two claims over all queues.
func (s *session) claims() []report.ClaimState {
	var states []report.ClaimState
	for _, name := range []string{queue.ClaimDone, queue.ClaimOnce} {
		c := report.ClaimState{Name: name, State: "ok", Checks: len(s.table.Rows), Note: "once the queue is drained"}
		if s.worst == report.Unknown {
			c.State = "waiting"
		}
		for _, f := range s.findings {
			if f.Claim == name {
				c.State, c.Bad = "bad", c.Bad+1
			}
		}
		states = append(states, c)
	}
	return states
}

// summary ends the run.
func (s *session) summary() report.Summary {
	elapsed := time.Since(s.began)
	sum := report.Summary{Verdict: s.worst, Reasons: s.reasons, Notes: s.notes, Tables: []report.Table{s.table}, History: s.history}
	sum.Final = report.Progress{Phase: "done", Elapsed: elapsed, Accepted: s.total.Done, Unknown: s.total.Killed, Claims: s.claims()}
	sum.Final.Rate = float64(s.total.Done) / max(elapsed.Seconds(), 0.001)
	sum.Line = fmt.Sprintf("ccheck: %s: %s in %s, %d jobs, %d effects, %.1fs, seed %d",
		s.worst, count(len(s.findings), "finding"), count(len(s.table.Rows), "queue"), s.total.Enqueued, s.total.Done, elapsed.Seconds(), s.o.Seed.Pick())
	if s.history != "" {
		sum.Timeline = verdict.Timeline(s.history)
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
