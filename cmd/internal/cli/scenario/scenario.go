// Package scenario holds the commands about scenarios: what there is, what is
// in one, a copy to edit, and whether one is right.
package scenario

import (
	"github.com/spf13/cobra"

	"github.com/ccheck/ccheck/cmd/internal/cli/scenario/check"
	"github.com/ccheck/ccheck/cmd/internal/cli/scenario/export"
	"github.com/ccheck/ccheck/cmd/internal/cli/scenario/list"
	"github.com/ccheck/ccheck/cmd/internal/cli/scenario/show"
	"github.com/ccheck/ccheck/cmd/internal/stdio"
)

// New returns the command with its subcommands.
func New(s *stdio.Streams) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "scenario",
		Short: "List, show, export and check scenarios",
		Long: "A scenario is a folder with ccheck.yaml and plain SQL: what runs, on which tables, and what must hold. " +
			"Some come with ccheck; `ccheck scenario export` writes one out to edit.",
	}
	cmd.AddCommand(list.New(s, nil), show.New(s, nil), export.New(s, nil), check.New(s, nil))
	return cmd
}
