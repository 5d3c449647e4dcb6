package heapgrowth

import (
	"slices"
	"strings"

	"github.com/ccheck/ccheck/analyzers/report"
	"github.com/ccheck/ccheck/probes/heap/series"
)

// How far a function may be from an object to say where it was made.
const (
	reach   = 6
	mostFar = 2000
)

// callback tells the way from an object to the nearest function of the program that
// lives and dies with it: what a timer runs, who listens to a port. An object that the
// engine holds itself has no variable, and that function is where to look. It is nil
// where there is none.
func (h *heap) callback(from uint32) []report.Held {
	type step struct {
		node uint32
		way  []uint32
	}
	seen := map[uint32]bool{from: true}
	for queue := []step{{node: from}}; len(queue) > 0 && len(seen) < mostFar; queue = queue[1:] {
		at := queue[0]
		if h.Kind[at.node] == series.Closure && ofProgram(h.where(at.node)) {
			steps, _ := h.tell(at.way, none)
			return steps
		}
		if len(at.way) == reach {
			continue
		}
		for e := h.First[at.node]; e < h.First[at.node+1]; e++ {
			to := h.To[e]
			if seen[to] || h.idle.Has(e) || slices.Contains(shadyNames, h.edge(e)) || !h.below(to, from) {
				continue
			}
			seen[to] = true
			queue = append(queue, step{to, append(slices.Clone(at.way), e)})
		}
	}
	return nil
}

// ofProgram reports whether a place is in a file that is not of Node itself.
func ofProgram(where string) bool { return where != "" && !strings.HasPrefix(where, "node:") }

// placed reports whether a path names a place in the program.
func placed(paths [][]report.Held) bool {
	return slices.ContainsFunc(paths, func(p []report.Held) bool {
		return slices.ContainsFunc(p, func(s report.Held) bool { return ofProgram(s.Where) })
	})
}
