package verdict

import (
	"context"

	"github.com/ccheck/ccheck/analyzers/driver"
	"github.com/ccheck/ccheck/cmd/internal/exit"
	"github.com/ccheck/ccheck/cmd/internal/output"
	"github.com/ccheck/ccheck/cmd/internal/state"
	"github.com/ccheck/ccheck/cmd/internal/stdio"
	"github.com/ccheck/ccheck/probes/history"
)

// Path is where the history of a run goes: the file that was asked for, or a new
// one in ccheck's state folder.
func Path(s *stdio.Streams, asked, run string) (string, error) {
	if asked != "" {
		return asked, nil
	}
	path, err := state.New(s.Env, run)
	if err != nil {
		return "", exit.Failedf("%w", err).WithHint("set XDG_STATE_HOME to a folder that can be written")
	}
	return path, nil
}

// Read judges the history that a run has just left. A run that was stopped is
// judged as far as it went.
func Read(ctx context.Context, path string) (*output.Recording, error) {
	f, err := history.Open(path)
	if err != nil {
		return nil, exit.Failedf("reading back the history: %w", err)
	}
	all, _, err := Again(context.WithoutCancel(ctx), f)
	if err != nil {
		return nil, exit.Failedf("judging the history: %w", err)
	}
	return all, nil
}

// Of is what the judges say of such a history, for a command that makes one result
// of several.
func Of(ctx context.Context, path string) (driver.Result, error) {
	f, err := history.Open(path)
	if err != nil {
		return driver.Result{}, exit.Failedf("reading back the history: %w", err)
	}
	res, err := Judge(context.WithoutCancel(ctx), f)
	if err != nil {
		return res, exit.Failedf("judging the history: %w", err)
	}
	return res, nil
}
