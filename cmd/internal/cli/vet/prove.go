package vet

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"

	"github.com/ccheck/ccheck/analyzers/driver"
	"github.com/ccheck/ccheck/analyzers/report"
	"github.com/ccheck/ccheck/cmd/internal/exit"
	"github.com/ccheck/ccheck/tui"
)

// prove drafts the scenario of a finding into a folder that is gone afterwards, and
// has explore run it: on a throw-away server, whatever database the environment
// names, since nobody expects a key to reach for that.
func prove(ctx context.Context, res driver.SourceResult, f report.Finding) (tui.Proof, error) {
	draft, ok := res.Scenario(f)
	if !ok {
		return tui.Proof{}, errors.New("its SQL, or what decides between its statements, is not known in full")
	}
	self, err := os.Executable()
	if err != nil {
		return tui.Proof{}, fmt.Errorf("finding ccheck itself: %w", err)
	}
	dir, err := os.MkdirTemp("", "ccheck-prove-")
	if err != nil {
		return tui.Proof{}, fmt.Errorf("making a folder for the draft: %w", err)
	}
	if err := write(dir, draft); err != nil {
		return tui.Proof{}, errors.Join(fmt.Errorf("writing the draft: %w", err), os.RemoveAll(dir))
	}
	done := func(ended error) string { return said(ended, os.RemoveAll(dir)) }
	return tui.Proof{Command: exec.CommandContext(ctx, self, "explore", dir, "--throwaway"), Done: done}, nil
}

// said is what the exit code of explore means for the finding. left is why the
// draft could not be removed.
func said(ended, left error) string {
	var e *exec.ExitError
	text := "Every interleaving of the draft holds. Its types and parameters are guesses: y copies the command that writes it."
	switch {
	case errors.As(ended, &e) && e.ExitCode() == exit.Findings:
		text = "Proved: the draft breaks on a real server. y copies the command that writes it."
	case errors.As(ended, &e) && e.ExitCode() == exit.Unknown:
		text = "Not proved: no verdict on the draft. y copies the command that writes it, to mend by hand."
	case errors.As(ended, &e) && e.ExitCode() > 0:
		text = fmt.Sprintf("The draft could not be run (exit code %d). y copies the command that writes it, to mend by hand.", e.ExitCode())
	case ended != nil:
		text = "The draft could not be run: " + ended.Error() + "."
	}
	if left != nil {
		text += " " + left.Error() + "."
	}
	return text
}
