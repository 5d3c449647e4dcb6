package heapgrowth

import (
	"regexp"
	"slices"
	"strings"

	"github.com/ccheck/ccheck/analyzers/report"
	"github.com/ccheck/ccheck/probes/heap/series"
)

// connections tells an open connection once. It has two goroutines, its buffers, and
// at the other end, where that is in the same process, a third: all of them grow, and
// none of their stacks has the function that opened it. What allocates for the
// request does.
func (j *judge) connections() {
	all := j.res.Heap.Growths
	first := slices.IndexFunc(all, func(g report.Growth) bool { return open(g) && strings.HasSuffix(g.Name, ".readLoop") })
	if first < 0 {
		return
	}
	told := &all[first]
	for i := range all {
		g := &all[i]
		part := open(*g) && g.Slope <= 1.1*told.Slope || g.Unit == string(series.Samples) && ofConnection.MatchString(g.Name) || j.requests(g)
		if i == first || !part {
			continue
		}
		told.With, told.Bytes, told.Share = append(told.With, g.Name), told.Bytes+g.Bytes, min(1, told.Share+g.Share)
		g.Verdict = report.Noise
		j.res.Heap.Folded++
	}
	slices.Sort(told.With)
	if stack := j.opener(); stack != nil {
		told.Allocated = calls(stack)
	}
	j.res.Heap.Growths = slices.DeleteFunc(all, func(g report.Growth) bool { return g.Verdict == report.Noise })
}

func open(g report.Growth) bool {
	return g.Verdict == report.Leak && g.Unit == string(series.Goroutines) && g.Kind == body.name
}

// ofConnection are the functions that allocate for a connection.
var ofConnection = regexp.MustCompile(`^(net|bufio|crypto/tls|internal/poll|vendor/golang\.org/x/net)[./]`)

// requests reports whether what grows is made by net/http for a request of the
// program.
func (j *judge) requests(g *report.Growth) bool {
	return g.Unit == string(series.Samples) && slices.ContainsFunc(g.Allocated, client.MatchString)
}

// client are the types of net/http that send a request.
var client = regexp.MustCompile(`net/http\.\(\*(Client|Transport|persistConn)\)\.`)

// opener is the stack of the program that sends the requests: of those with samples
// that of the most, from the function that somebody wrote.
func (j *judge) opener() []series.Frame {
	var best []series.Frame
	most := int64(0)
	for i := range j.Rows {
		r := &j.Rows[i]
		at := slices.IndexFunc(r.Stack, func(f series.Frame) bool { return client.MatchString(f.Func) })
		if r.Unit != series.Samples || at < 0 || kept(r) <= most {
			continue
		}
		for k := at; k < len(r.Stack); k++ {
			if !isStd(r.Stack[k].Func) {
				best, most = r.Stack[k:], kept(r)
				break
			}
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
