package display

import (
	"context"

	"github.com/ccheck/ccheck/analyzers/report"
	"github.com/ccheck/ccheck/cmd/internal/exit"
	"github.com/ccheck/ccheck/cmd/internal/flags"
	"github.com/ccheck/ccheck/cmd/internal/output"
)

// Judged shows a run that is judged when it has ended, and returns its exit code
// as an error. The work tells the sink when it begins and how far it is; what it
// returns is told after that.
func (d *Display) Judged(ctx context.Context, outcome *flags.Outcome, work func(context.Context, report.Sink) (*output.Recording, error)) error {
	code := exit.Clean
	err := d.During(ctx, func(ctx context.Context, sink report.Sink) error {
		all, err := work(ctx, sink)
		if err != nil {
			return err
		}
		code = outcome.Code(all.Summary.Verdict, all.Findings)
		return all.Rest(sink)
	})
	if err != nil {
		return err
	}
	return exit.Status(code)
}
