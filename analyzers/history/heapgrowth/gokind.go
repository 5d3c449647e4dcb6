package heapgrowth

import (
	"fmt"
	"path/filepath"
	"regexp"
	"slices"

	"github.com/ccheck/ccheck/analyzers/internal/bound"
	"github.com/ccheck/ccheck/probes/heap/series"
)

// byFrame are the kinds of what the standard library allocates for a program.
var byFrame = []struct {
	of   *regexp.Regexp
	kind kind
}{
	{regexp.MustCompile(`^context\.(withCancel|WithCancel|WithTimeout|WithDeadline|AfterFunc|\(\*cancelCtx\)\.propagateCancel)`), cancel},
	{regexp.MustCompile(`^time\.(AfterFunc|NewTimer|After|newTimer)$`), timer},
}

// memoryKind is what kind of growth that of a function is: by what the standard library
// allocates for it, or by what the functions on its stack put it into, as far as their
// source is here. Where says what was read in the source.
func (j *judge) memoryKind(r *series.Row) (of kind, where string) {
	if of, ok := j.ofStd(r.Name); ok {
		return of, ""
	}
	read := 0
	for _, f := range r.Stack {
		if isStd(f.Func) {
			continue
		}
		k := j.goSource().Keeps(f.File, f.Line)
		if known, ok := byShape[k.Shape]; ok {
			return known, fmt.Sprintf("%s:%d puts it into %s", filepath.Base(k.File), k.Line, k.Into)
		}
		if read++; read == callers {
			break
		}
	}
	return retained, ""
}

var byShape = map[bound.Shape]kind{bound.Map: mapping, bound.Slice: array, bound.List: chain, bound.Part: piece}

// ofStd is the kind of what the standard library allocates for a function, where that
// is a quarter at least of the samples of it that stay.
func (j *judge) ofStd(name string) (of kind, ok bool) {
	all, most := int64(0), int64(0)
	sum := make([]int64, len(byFrame))
	for i := range j.Rows {
		r := &j.Rows[i]
		if r.Unit != series.Samples || function(r.Stack) != name {
			continue
		}
		n := max(kept(r), 0)
		all += n
		for k, b := range byFrame {
			if slices.ContainsFunc(r.Stack, func(f series.Frame) bool { return b.of.MatchString(f.Func) }) {
				sum[k] += n
			}
		}
	}
	for k, n := range sum {
		if n > most && 4*n >= all {
			of, most = byFrame[k].kind, n
		}
	}
	return of, most > 0
}
