package heapgrowth

import (
	"github.com/ccheck/ccheck/analyzers/internal/bound"
	"github.com/ccheck/ccheck/probes/heap/series"
)

// written looks for what bounds the growth of a stack of Go, in the functions that
// it names. Each is how many objects an entry may have.
func (j *judge) written(r *series.Row, each int64) evidence {
	read, idle := 0, ""
	for _, f := range r.Stack {
		if bound.Caches.MatchString(f.Func) {
			return evidence{sign: bound.Sign{File: f.File, Line: f.Line, Does: "puts it into what bounds itself, by its name: " + f.Func}, found: true}
		}
		if isStd(f.Func) {
			continue
		}
		sign, ok, here := j.goSource().Bound(f.File, f.Line)
		if ok && !j.past(r, sign.Limit, each) {
			if idle = j.idle(nil, nil, sign); idle == "" {
				return evidence{sign: sign, found: true}
			}
		}
		if here {
			read++
		}
		if read == callers {
			break
		}
	}
	return evidence{idle: idle} // who holds it, and with what bound, may be written anywhere
}

// goSource is the program of a Go process, as far as its source is here.
func (j *judge) goSource() *bound.Program {
	if j.program == nil {
		text := map[string]string{}
		for _, s := range j.Sources {
			text[s.File] = s.Text
		}
		j.program = bound.NewProgram(text)
	}
	return j.program
}

// callers is how many functions of a stack are looked at: what is further out does
// many other things.
const callers = 3

// past reports whether there are more than a limit by far.
func (j *judge) past(r *series.Row, limit, each int64) bool {
	n := len(j.Points)
	switch {
	case limit == 0:
		return false
	case r.Unit == series.Goroutines:
		return r.Cells[n-1].Count > limit+limit/10+4
	}
	return j.Points[n-1].Exact && j.Points[n-1].Objects-j.Points[settled(n)].Objects > each*limit
}
