package explore

import (
	"context"
	"fmt"

	"github.com/ccheck/ccheck/analyzers/report"
	"github.com/ccheck/ccheck/cmd/internal/place"
	"github.com/ccheck/ccheck/probes/explore"
)

// result is what came of a cell.
type result struct {
	done *done
	err  error
}

// start explores the cells, --jobs of them at a time, and returns where the
// result of each will come. A cell's channel is closed when it was not run.
func (s *session) start(ctx context.Context, cells []*cell, sink report.Sink) (map[*cell]chan result, error) {
	places, err := s.places(ctx)
	if err != nil {
		return nil, err
	}
	results := map[*cell]chan result{}
	work := make(chan *cell, len(cells))
	for _, c := range cells {
		results[c] = make(chan result, 1)
		work <- c
	}
	close(work)
	pulse := s.pulse(sink, len(cells))
	var progress func(explore.Counts)
	if len(places) == 1 {
		progress = pulse.at
	}
	for _, p := range places {
		go func() {
			for c := range work {
				s.o.Streams.Sayf("exploring %s", c.what())
				d, err := s.one(ctx, p, c, progress)
				if err == nil {
					pulse.ended(d.counts)
				}
				results[c] <- result{d, err}
				if err != nil || ctx.Err() != nil {
					return // whoever waits for the others learns of this one first
				}
			}
		}()
	}
	return results, nil
}

// places are databases, one for each job: the lock of a run is the database's.
func (s *session) places(ctx context.Context) ([]*place.Place, error) {
	if len(s.jobs) == 0 {
		s.jobs = []*place.Place{s.place}
	}
	for n := len(s.jobs); n < s.o.Jobs; n++ {
		p, err := s.place.Database(ctx, fmt.Sprintf("ccheck_job_%d", n), "1s")
		if err != nil {
			return nil, fmt.Errorf("making a database for job %d: %w", n+1, err)
		}
		s.jobs = append(s.jobs, p)
	}
	return s.jobs, nil
}
