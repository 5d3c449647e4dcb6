package explore

import (
	"fmt"
	"sync"
	"time"

	"github.com/ccheck/ccheck/analyzers/report"
	"github.com/ccheck/ccheck/probes/explore"
)

// pulse tells the sink how far a run is: which of its combinations it is at, and
// how the calls ended so far. Jobs share it.
type pulse struct {
	sink  report.Sink
	began time.Time
	total int // combinations

	mu   sync.Mutex
	over int
	sum  explore.Counts // of the combinations that are over
}

func (s *session) pulse(sink report.Sink, total int) *pulse {
	return &pulse{sink: sink, began: s.began, total: total}
}

// at hears how far one combination is, after each schedule of it.
func (p *pulse) at(n explore.Counts) {
	if n.Schedules%50 != 1 {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.tell(n)
}

// ended hears that a combination is over.
func (p *pulse) ended(n explore.Counts) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.over++
	p.sum.Accepted += n.Accepted
	p.sum.Refused += n.Refused
	p.sum.Failed += n.Failed
	p.tell(explore.Counts{})
}

func (p *pulse) tell(n explore.Counts) {
	phase := "running"
	if p.total > 1 {
		phase = fmt.Sprintf("%d of %d combinations", min(p.over+1, p.total), p.total)
	}
	p.sink.Progress(report.Progress{
		Phase: phase, Elapsed: time.Since(p.began),
		Accepted: p.sum.Accepted + n.Accepted, Refused: p.sum.Refused + n.Refused, Failed: p.sum.Failed + n.Failed,
	})
}

// since is how the calls ended between two counts.
func since(before, now explore.Counts) explore.Counts {
	return explore.Counts{Accepted: now.Accepted - before.Accepted, Refused: now.Refused - before.Refused, Failed: now.Failed - before.Failed}
}
