// Package clitest runs one command in a test, without the root command around
// it.
package clitest

import (
	"context"
	"testing"

	"github.com/spf13/cobra"

	"github.com/ccheck/ccheck/cmd/internal/exit"
)

// Run gives cmd the arguments and returns its error.
func Run(t *testing.T, cmd *cobra.Command, args ...string) error {
	t.Helper()
	cmd.SilenceErrors, cmd.SilenceUsage = true, true
	cmd.SetArgs(args)
	return cmd.ExecuteContext(context.Background())
}

// Outcome is what a user would see of an error: its code, sentence and hint.
type Outcome struct {
	Code      int
	Msg, Hint string
}

// Of returns the outcome of err.
func Of(err error) Outcome {
	for _, p := range exit.Problems(err) {
		return Outcome{p.Code, p.Msg, p.Hint}
	}
	return Outcome{}
}
