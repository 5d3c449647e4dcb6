package heapverdict

import (
	"fmt"
	"strings"
	"time"

	"github.com/ccheck/ccheck/analyzers/report"
	"github.com/ccheck/ccheck/tui/story"
)

// collected is the table of what garbage collection cost.
func collected(c *report.Collector) report.Table {
	o := story.Options{}
	t := report.Table{Title: "garbage collection", Columns: []string{"", "", "from"}}
	add := func(what, value, from string) { t.Rows = append(t.Rows, []string{what, value, from}) }
	add("collections", fmt.Sprint(c.Count), c.Source)
	add("pause p50, p99, max", fmt.Sprintf("%s, %s, %s", o.Dur(c.P50), o.Dur(c.P99), o.Dur(c.Max)), c.Source)
	add("of the time", fmt.Sprintf("%.2f %%", 100*c.Share), c.Source)
	if c.CPU > 0 {
		add("of the CPU time", fmt.Sprintf("%.1f %%", 100*c.CPU), "/cpu/classes/gc/total:cpu-seconds")
	}
	if c.What != "" {
		add("a collection", scanned(c), c.What)
	}
	if c.Limited {
		add("limiter", "at work: the collector could not keep up", "/gc/limiter/last-enabled:gc-cycle")
	}
	if s := c.Stalls; s != nil {
		add("slowest 1 % of calls", fmt.Sprintf("%.0f %% met a pause, of all calls %.0f %%%s", 100*s.Share, 100*s.Chance, beyond(s)), fmt.Sprintf("%d calls of the load, %d above %s", s.Calls, s.Slow, o.Dur(s.Limit)))
		add("p99 of calls", fmt.Sprintf("%s with a pause, %s without", o.Dur(s.With), o.Dur(s.Without)), "the load")
	}
	t.Notes = append(t.Notes, c.Missing...)
	if c.Stalls != nil && !c.Stalls.More {
		t.Notes = append(t.Notes, "a pause meets each lane once at most, so a load of few lanes shows it in few calls: more lanes, or a rate, show more")
	}
	return t
}

func beyond(s *report.Stalls) string {
	if s.More {
		return ": pauses make calls slow"
	}
	return ": no more than chance"
}

// scanned writes how the work of a collection grew.
func scanned(c *report.Collector) string {
	write := func(v float64) string { return story.Bytes(int64(v)) }
	if strings.HasPrefix(c.What, "ns ") {
		o := story.Options{}
		write = func(v float64) string { return o.Dur(time.Duration(v)) }
	}
	text := write(c.First) + " → " + write(c.Last)
	if c.First > 0 {
		text += fmt.Sprintf(" (%+.0f %%)", 100*(c.Last/c.First-1))
	}
	return text
}
