// Package driver runs the judges over a recorded history and makes one verdict
// of what they say. It knows no judge by name: they come as a list.
//
// The file is read once for all judges that ask for it at the same time, so
// that one more judge costs its own work and not another decoding. A judge that
// panics, a file that ends in the middle, a pass that was interrupted: each
// makes the verdict unknown, never clean.
package driver

import (
	"context"
	"fmt"
	"sync"

	"github.com/ccheck/ccheck/analyzers/check"
	"github.com/ccheck/ccheck/analyzers/report"
	"github.com/ccheck/ccheck/probes/history"
)

// Result is what the judges say together.
type Result struct {
	Findings []report.Finding // highest severity first, then the earliest
	Verdict  report.Verdict
	Reasons  []string // why the verdict is unknown, or would be without the findings
	Evidence report.Evidence
}

// Judge runs the checkers over the history. The error is that of the context;
// everything that is wrong with the file is in Result.Reasons.
func Judge(ctx context.Context, file *history.File, checkers []*check.Checker) (Result, error) {
	h := newHub(ctx, file, len(checkers))
	said := make([]statement, len(checkers))
	var wg sync.WaitGroup
	for i, c := range checkers {
		wg.Go(func() {
			defer h.leave()
			said[i] = run(c, file.Header, h)
		})
	}
	wg.Wait()
	if err := ctx.Err(); err != nil {
		return Result{}, fmt.Errorf("judging %s: %w", file.Path, err)
	}
	r := merge(said, h.reasons())
	hide(file, r.Findings)
	return r, nil
}

// statement is what one checker said.
type statement struct {
	findings []report.Finding
	reasons  []string
	evidence *report.Evidence
}

// run runs one checker. What it found before a crash stays.
func run(c *check.Checker, header *history.Header, h *hub) (s statement) {
	defer func() {
		if r := recover(); r != nil {
			s.reasons = append(s.reasons, fmt.Sprintf("the checker %s crashed: %v", c.Name, r))
		}
	}()
	err := c.Run(&check.Pass{
		Header:   header,
		Ops:      h.reader(),
		Report:   func(f report.Finding) { s.findings = append(s.findings, f) },
		Unknown:  func(reason string) { s.reasons = append(s.reasons, reason) },
		Evidence: func(e report.Evidence) { s.evidence = &e },
	})
	if err != nil {
		s.reasons = append(s.reasons, fmt.Sprintf("the checker %s stopped: %v", c.Name, err))
	}
	return s
}

// merge makes one result of all statements, in the order of the checkers.
func merge(said []statement, reasons []string) Result {
	r := Result{Verdict: report.Clean, Reasons: reasons}
	for _, s := range said {
		r.Findings = append(r.Findings, s.findings...)
		r.Reasons = append(r.Reasons, s.reasons...)
		if s.evidence != nil {
			r.Evidence = *s.evidence
		}
	}
	r.Findings = tidy(r.Findings)
	if len(r.Reasons) > 0 {
		r.Verdict = report.Worse(r.Verdict, report.Unknown)
	}
	if len(r.Findings) > 0 {
		r.Verdict = report.Faulty
	}
	return r
}
