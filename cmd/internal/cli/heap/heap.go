// Package heap holds the commands about the memory of a process: judge snapshots
// that were taken, take and judge them, and check a fix.
package heap

import (
	"github.com/spf13/cobra"

	"github.com/ccheck/ccheck/cmd/internal/cli/heap/diff"
	"github.com/ccheck/ccheck/cmd/internal/cli/heap/verify"
	"github.com/ccheck/ccheck/cmd/internal/cli/heap/watch"
	"github.com/ccheck/ccheck/cmd/internal/stdio"
)

// New returns the command with its subcommands.
func New(s *stdio.Streams) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "heap",
		Short: "Find what leaks memory in a Go or Node process, and who holds it",
		Long: "Judges a series of heap snapshots: what grows without end, what only warmed up, and who holds it. " +
			"The exit code is 1 for a leak, 4 where growth cannot be told from a cache that fills.",
	}
	cmd.AddCommand(watch.New(s, nil), diff.New(s, nil), verify.New(s, nil))
	return cmd
}
