package heapgrowth

import (
	"regexp"
	"slices"
	"strings"

	"github.com/ccheck/ccheck/analyzers/report"
	"github.com/ccheck/ccheck/probes/heap/series"
)

// resource is what a package of the standard library opens and the program must
// close. An open one has goroutines of that package, none of whose stacks has the
// function that opened it; what allocates for it does.
type resource struct {
	kind kind
	// first are the goroutines of which one stands for one that is open; others those
	// that come with it, by the kind that they would have; none where that is "".
	first  *regexp.Regexp
	others string
	// parts are the functions that allocate for one, uses what a program calls of it.
	parts, uses *regexp.Regexp
}

var resources = []resource{
	{
		kind: body, first: regexp.MustCompile(`net/http\.\(\*persistConn\)\.readLoop$`), others: body.name,
		parts: regexp.MustCompile(`^(net|bufio|crypto/tls|internal/poll|vendor/golang\.org/x/net)[./]`),
		uses:  regexp.MustCompile(`^net/http\.(\(\*(Client|Transport|persistConn)\)\.|NewRequest)`),
	},
	{
		kind: query, first: regexp.MustCompile(`^database/sql\.\(\*(Tx|Rows|DB)\)\.(awaitDone|connectionOpener)$`),
		parts: regexp.MustCompile(`^(database/sql|context)\.`), uses: regexp.MustCompile(`^database/sql\.`),
	},
}

// open tells each resource that is never closed once: all that grows with it belongs
// to it.
func (j *judge) open() {
	for _, r := range resources {
		all := j.res.Heap.Growths
		first := slices.IndexFunc(all, func(g report.Growth) bool { return leaksGoroutines(g) && r.first.MatchString(g.Name) })
		if first < 0 {
			continue
		}
		told := &all[first]
		told.Kind = r.kind.name
		for i := range all {
			if g := &all[i]; i != first && r.part(g, told, j.frames[g.Name]) {
				told.With = append(told.With, g.Name)
				j.put(g, told)
			}
		}
		slices.Sort(told.With)
		if stack := j.opener(r); stack != nil {
			told.Allocated = calls(stack)
		}
		j.res.Heap.Growths = slices.DeleteFunc(all, func(g report.Growth) bool { return g.Verdict == report.Noise })
	}
}

// part reports whether what grows belongs to a resource that is told already. Stack is
// where samples of it are allocated.
func (r resource) part(g, told *report.Growth, stack []series.Frame) bool {
	if g.Unit != string(series.Samples) {
		return leaksGoroutines(*g) && g.Slope <= 1.1*told.Slope && (g.Kind == r.others || r.first.MatchString(g.Name))
	}
	return r.parts.MatchString(g.Name) || slices.ContainsFunc(stack, func(f series.Frame) bool { return r.uses.MatchString(f.Func) })
}

// put counts what grows to what is told already.
func (j *judge) put(g, to *report.Growth) {
	to.Bytes, to.Share = to.Bytes+g.Bytes, min(1, to.Share+g.Share)
	g.Verdict = report.Noise
	j.res.Heap.Folded++
}

func leaksGoroutines(g report.Growth) bool {
	return g.Verdict == report.Leak && g.Unit == string(series.Goroutines)
}

// inside counts what goroutines that leak have allocated themselves to them.
func (j *judge) inside() {
	all := j.res.Heap.Growths
	for i := range all {
		for k := range all {
			if leaksGoroutines(all[k]) && all[i].Unit == string(series.Samples) && all[i].Name == all[k].Name {
				j.put(&all[i], &all[k])
			}
		}
	}
	j.res.Heap.Growths = slices.DeleteFunc(all, func(g report.Growth) bool { return g.Verdict == report.Noise })
}

// opener is the stack of the program that uses a resource: of those with samples that
// of the most which stayed, or else of the most that came, from the function that
// somebody wrote.
func (j *judge) opener(of resource) []series.Frame {
	var best []series.Frame
	var most, came float64
	for i := range j.Rows {
		r := &j.Rows[i]
		at := slices.IndexFunc(r.Stack, func(f series.Frame) bool { return of.uses.MatchString(f.Func) })
		if r.Unit != series.Samples || at < 0 {
			continue
		}
		stayed, all := float64(max(kept(r), 0)), r.Cells[len(r.Cells)-1].Added
		mine := slices.IndexFunc(r.Stack[at:], func(f series.Frame) bool { return !isStd(f.Func) })
		if mine >= 0 && (best == nil || stayed > most || stayed == most && all > came) {
			best, most, came = r.Stack[at+mine:], stayed, all
		}
	}
	return best
}

// ticks are the ways to wait for a ticker.
var ticks = regexp.MustCompile(`\brange\s+(?:\w+\.)*\w+\.C\b|<-\s*(?:\w+\.)*\w+\.C\b|\btime\.Tick\(`)

// waitsForTicker reports whether the line at which goroutines wait reads a ticker.
func (j *judge) waitsForTicker(r *series.Row) bool {
	for _, f := range r.Stack {
		if isStd(f.Func) {
			continue
		}
		i := slices.IndexFunc(j.Sources, func(s series.Source) bool { return s.File == f.File })
		if i < 0 {
			return false
		}
		lines := strings.Split(j.Sources[i].Text, "\n")
		return f.Line >= 1 && f.Line <= len(lines) && ticks.MatchString(lines[f.Line-1])
	}
	return false
}
