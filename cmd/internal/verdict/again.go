package verdict

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/ccheck/ccheck/analyzers/report"
	"github.com/ccheck/ccheck/cmd/internal/exit"
	"github.com/ccheck/ccheck/cmd/internal/output"
	"github.com/ccheck/ccheck/probes/history"
	"github.com/ccheck/ccheck/probes/stress"
)

// Again judges a stored history: what sinks are told of it, as they were told
// when it was recorded. The damage is what is wrong with the file, nil for a
// whole one; what is before that place is judged, and never clean.
func Again(ctx context.Context, f *history.File) (all *output.Recording, damage *exit.Error, err error) {
	snap, readErr := stress.Replay(f)
	if info, err := os.Stat(f.Path); err == nil {
		snap.Recorded = info.Size()
	}
	res, err := Judge(ctx, f)
	if err != nil {
		return nil, nil, err
	}
	if damage = damaged(f, snap, readErr); damage != nil && readErr == nil {
		res.Reasons = append(res.Reasons, damage.Msg)
		res.Verdict = report.Worse(res.Verdict, report.Unknown)
	}
	all = &output.Recording{Run: Run(f.Header), Findings: res.Findings}
	all.Summary = Summary(f.Header, snap, res, f.Path)
	return all, damage, nil
}

// damaged tells why a history is not that of a whole run.
func damaged(f *history.File, snap stress.Snapshot, readErr error) *exit.Error {
	var line *history.FormatError
	var e *exit.Error
	switch {
	case errors.Is(readErr, history.ErrTruncated):
		errors.As(readErr, &line)
		e = exit.Failedf("%s:%d: the history ends in the middle of a line, as a crash or a full disk leaves it", line.Path, line.Line)
	case errors.As(readErr, &line):
		e = exit.Failedf("%s:%d: the history is damaged: %w", line.Path, line.Line, line.Err)
	case readErr != nil:
		e = exit.Failedf("%w", readErr)
	case !snap.Whole:
		e = exit.Failedf("%s: the history ends before its run did", f.Path)
	default:
		return nil
	}
	e.Code = exit.Unknown
	e.Hint = fmt.Sprintf("what is before that place was judged; make the run again for a whole one (scenario %s, seed %d)", f.Header.Scenario, f.Header.Seed)
	return e
}
