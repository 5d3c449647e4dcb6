package heapgrowth

import (
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/ccheck/ccheck/analyzers/internal/bound"
	"github.com/ccheck/ccheck/analyzers/report"
	"github.com/ccheck/ccheck/probes/heap/series"
)

// evidence is what is known of a bound of something that grows evenly. A cache
// that has not filled yet does so, and its counts are those of a leak.
type evidence struct {
	sign  bound.Sign
	found bool
	// entries is how many there are of what the bound counts, 0 where that is what was
	// counted.
	entries int64
	// open says why there can be no bound, "" where that is not known.
	open string
	// idle says of a bound that is written there why it has no effect, "" for none.
	idle string
}

// longer is how many times the work of the first rounds makes an even slope proof
// enough without the source: from 500 entries to more than 10000, say.
const longer = 20

// fills reports whether a kind of growth is what a cache or a pool does while it
// fills. Nobody caches listeners.
func fills(kind string) bool {
	return !slices.Contains([]string{listener.name, abort.name, promise.name}, kind)
}

// doubt takes a verdict back where something bounds what grows, and says how sure
// it is where nothing is seen to.
func (j *judge) doubt(g *report.Growth, e evidence) {
	n := len(j.Points)
	at := j.axis()
	far := at[n-1] >= longer*at[settled(n)]
	if e.idle != "" && !e.found {
		g.Why += "; " + e.idle
	}
	switch {
	case e.found:
		now := ""
		if g.Unit != string(series.Samples) && e.sign.Limit > 0 {
			now = fmt.Sprintf("; there are %d", e.count(g))
		}
		g.Verdict, g.Confidence = report.Growing, ""
		g.Why = fmt.Sprintf("it grows evenly, and has a bound that it may not have reached: %s%s", e.sign, now)
		j.wants(j.until(g, e))
	case g.Unit == string(series.Samples) && j.slows():
		g.Verdict, g.Confidence = report.Growing, ""
		g.Why += "; but all live objects together, which are counted and not sampled, grow less than half as fast as before"
		j.wants(int64(at[n-1]))
	case e.open != "":
		g.Why += "; " + e.open
	case far:
		g.Why += fmt.Sprintf("; it went on for %.0f times the work after which the first were counted", at[n-1]/at[settled(n)])
	default:
		if g.Confidence == "high" {
			g.Confidence = "medium"
		}
		g.Why += "; a cache that has not filled yet would look the same: twice as much load tells"
		j.wants(int64(at[n-1]))
	}
}

// slows reports whether the last round of a Go process left less than half of the
// objects that those before it did: samples are few, and their number is chance.
func (j *judge) slows() bool {
	n, at := len(j.Points), j.axis()
	first, last := settled(n), n-2
	if last <= first || !j.Points[n-1].Exact || at[n-1] == at[last] || at[last] == at[first] {
		return false
	}
	rate := func(a, b int) float64 { return float64(j.Points[b].Objects-j.Points[a].Objects) / (at[b] - at[a]) }
	return rate(last, n-1) < rate(first, last)/2
}

// wants asks for more rounds of work.
func (j *judge) wants(rounds int64) { j.res.More = max(j.res.More, rounds) }

// until is how many rounds there are to a bound, and a good part beyond; as many
// as there were where that is not known.
func (j *judge) until(g *report.Growth, e evidence) int64 {
	done := int64(j.axis()[len(j.Points)-1])
	if e.sign.Limit == 0 || g.Slope <= 0 || g.Unit == string(series.Samples) {
		return done
	}
	now := float64(e.count(g))
	slope := g.Slope * now / float64(g.Counts[len(g.Counts)-1])
	left := (1.3*float64(e.sign.Limit) - now) / slope
	return min(max(int64(left)+1, 2), 4*done)
}

func (e evidence) count(g *report.Growth) int64 {
	if e.entries > 0 {
		return e.entries
	}
	return g.Counts[len(g.Counts)-1]
}

// bounded looks for what bounds a class of a V8 heap: a table that was made large
// enough before, or the source of the functions and classes on the way to it.
func (j *judge) bounded(h *heap, c *held, row *series.Row) evidence {
	count := entries(c, row)
	if room := j.prepared(h, c, row); room > 0 {
		return evidence{sign: bound.Sign{File: "(array)", Limit: room, Does: fmt.Sprintf("was made with room for %d", room)}, found: room >= count, entries: count}
	}
	if ofModules(c) {
		return evidence{sign: bound.Sign{File: "require", Does: "keeps each module once"}, found: true}
	}
	if delay := j.pending(h, c); delay > 0 {
		return evidence{sign: bound.Sign{File: "setTimeout", Does: fmt.Sprintf("ends by itself after %v, and they were not watched for %d times as long", delay, patience)}, found: true}
	}
	files, names := j.around(h, c), h.names(c)
	removes, idle := false, ""
	for _, s := range files {
		for _, name := range names {
			sign, ok, takes := bound.JavaScript(s.File, s.Text, name)
			removes = removes || takes
			if !ok || sign.Limit > 0 && count > sign.Limit+sign.Limit/10+4 {
				continue
			}
			if idle = j.idle(h, c, sign); idle == "" {
				return evidence{sign: sign, found: true, entries: count}
			}
		}
	}
	if len(files) == 0 || len(names) == 0 {
		return evidence{sign: bound.Sign{File: c.owner, Does: "is of a class that bounds what it holds, by its name"}, found: called(c)}
	}
	if removes || !strings.HasPrefix(c.owner, "Array ") {
		return evidence{idle: idle} // its keys may come again one day
	}
	return evidence{open: fmt.Sprintf("nothing in %s takes anything out of %s", filepath.Base(files[0].File), names[0])}
}

// entries is how many of a class their owner holds itself: an entry may have several.
func entries(c *held, row *series.Row) int64 {
	count, first := row.Cells[len(row.Cells)-1].Count, c.groups[0]
	if all := first.members[first.class]; all > first.tops {
		count = count * int64(first.tops) / int64(all)
	}
	return count
}

// prepared is the room of the table that holds the new objects, where it is as old
// as the second snapshot and they are more than it could have had to spare: V8
// makes a table that is full half as large again, or twice.
func (j *judge) prepared(h *heap, c *held, row *series.Row) int64 {
	if len(c.raw) == 0 || len(c.groups) != 1 && c.groups[0].tops < 2*c.groups[0].members[c.groups[0].class]/3 {
		return 0
	}
	store := h.From(c.raw[len(c.raw)-1])
	if elements, ok := h.Find(store, "elements"); ok && h.Kind[store] == series.Object {
		store = elements
	}
	before, now := row.Cells[settled(len(row.Cells))].Count, row.Cells[len(row.Cells)-1].Count
	old := j.base().Has(h.ID[store], series.Mark(h.Kind[store], h.Self[store]))
	if h.Kind[store] != series.Array || !old || now < 2*before+before/5+64 {
		return 0
	}
	return (int64(h.Self[store]) - 16) / 8
}

// patience is for how many times its delay a timer must have been watched to be called
// one that does not end. A busy process ends its timers late, and where rounds of load
// become longer there are more that wait at the end of each.
const patience = 6

// pending is the delay of the timers that grow, where setTimeout made them and
// they were not watched for long enough to see them end; 0 for others.
func (j *judge) pending(h *heap, c *held) time.Duration {
	n := len(j.Points)
	delay := time.Duration(0)
	for _, e := range c.raw {
		if h.Link[e] == series.Element && h.Text(h.To[e]) == "TimersList" {
			delay = time.Duration(h.LinkName[e]) * time.Millisecond
		}
	}
	if delay == 0 || patience*delay < j.Points[n-1].At-j.Points[settled(n)].At {
		return 0
	}
	f, ok := h.Find(h.To[c.raw[len(c.raw)-1]], "_onTimeout")
	if !ok {
		return 0
	}
	at, ok := h.Place(f)
	file := h.script(f)
	i := slices.IndexFunc(j.Sources, func(s series.Source) bool { return s.File == file })
	if !ok || i < 0 {
		return 0
	}
	lines := strings.Split(j.Sources[i].Text, "\n")
	if at.Line > len(lines) || !strings.Contains(lines[at.Line-1], "setTimeout") {
		return 0
	}
	return delay
}

// ofModules reports whether what grows is the table of loaded modules.
func ofModules(c *held) bool {
	return strings.Contains(c.owner, "_cache") && strings.Contains(c.owner, "Module")
}

var cacheName = regexp.MustCompile(`(?i)lru|ttl_?cache|ring_?buffer|circular`)

// called reports whether the path has a class that is named after a bound.
func called(c *held) bool {
	return slices.ContainsFunc(c.paths[0], func(s report.Held) bool { return cacheName.MatchString(s.Class) })
}

// around are the sources of the functions on the way, and of the classes of the
// objects on it.
func (j *judge) around(h *heap, c *held) []series.Source {
	var out []series.Source
	add := func(n uint32) {
		file := h.script(n)
		i := slices.IndexFunc(j.Sources, func(s series.Source) bool { return s.File == file })
		if i >= 0 && !slices.ContainsFunc(out, func(s series.Source) bool { return s.File == file }) {
			out = append(out, j.Sources[i])
		}
	}
	for _, e := range slices.Backward(slices.Concat(c.other, c.raw)) {
		n := h.To[e]
		switch h.Kind[n] {
		case series.Closure:
			add(n)
		case series.Object:
			if proto, ok := h.Find(n, "__proto__"); ok {
				if made, ok := h.Find(proto, "constructor"); ok && h.Kind[made] == series.Closure {
					add(made)
				}
			}
			if h.isContext(n) {
				if f := h.closureOf(n); f != 0 {
					add(f)
				}
			}
		}
	}
	return out
}

// names are the variables and properties that hold what gathers the objects, and
// those below them on the way; and the properties of an owner that somebody wrote.
func (h *heap) names(c *held) []string {
	var out []string
	add := func(name string) {
		if bound.Identifier(name) && !slices.Contains(out, name) && name != "__proto__" && name != "constructor" {
			out = append(out, name)
		}
	}
	below := false
	for i, e := range c.raw {
		n := h.To[e]
		below = below || n == c.holder
		if below && h.silent(n) && h.isContext(n) {
			continue
		}
		// The name of the holder is that of the last reference with one before it.
		if last := i == len(c.raw)-1; below && !last || n == c.holder {
			add(h.edge(e))
		}
	}
	for _, p := range c.paths {
		for _, s := range p {
			if s.Owner || c.owner == "" {
				add(s.Name)
			}
		}
	}
	if h.Kind[c.holder] == series.Object && !builtin[h.Text(c.holder)] && !h.silent(c.holder) {
		for e := h.First[c.holder]; e < h.First[c.holder+1] && len(out) < 12; e++ {
			if h.Link[e] == series.Property {
				add(h.Strings.At(h.LinkName[e]))
			}
		}
	}
	return out
}
