package heapverdict

import (
	"time"

	"github.com/ccheck/ccheck/cmd/internal/state"
	"github.com/ccheck/ccheck/probes/heap/series"
	"github.com/ccheck/ccheck/probes/history"
)

// mostCalls bounds how many calls of the load are kept to be laid beside the
// pauses.
const mostCalls = 2 << 20

// calls are those of the history that a ccheck stress wrote since a moment, by the
// clock of this machine; none where the load was something else.
func (l *load) calls(since time.Time) []series.Span {
	path, ok := state.Newest(l.streams.Env)
	if !ok {
		return nil
	}
	f, err := history.Open(path)
	if err != nil || f.Header.Start.Before(since) {
		return nil // of another run, or it was ended before it had begun
	}
	var all []series.Span
	for op, err := range f.Ops() {
		if err != nil || len(all)+l.kept >= mostCalls {
			break
		}
		if op.Scope == history.ScopeCall && op.Kind != history.Invoke {
			all = append(all, series.Span{At: f.Header.Start.Add(op.Start), Took: op.Time - op.Start})
		}
	}
	l.kept += len(all)
	return all
}
