// Package scaffold is the command that writes code to begin with: code that is
// right under concurrency, with the tests that show it. What it writes is the
// package below it, compiled and tested as it stands there, with the names of the
// user in the place of its own.
package scaffold

import (
	"github.com/spf13/cobra"

	"github.com/ccheck/ccheck/cmd/internal/stdio"
)

// New returns the command with its subcommands.
func New(s *stdio.Streams) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "scaffold",
		Short: "Write code to begin with that is right under concurrency",
		Long:  "Writes a migration, Go code and tests that explore every interleaving. It never overwrites anything.",
	}
	cmd.AddCommand(newLedger(s, nil))
	return cmd
}
