// Package config holds the commands about configuration: what is in effect,
// whether a file is right, and what a file can say.
package config

import (
	"github.com/spf13/cobra"

	"github.com/ccheck/ccheck/cmd/internal/cli/config/schema"
	"github.com/ccheck/ccheck/cmd/internal/cli/config/show"
	"github.com/ccheck/ccheck/cmd/internal/cli/config/verify"
	"github.com/ccheck/ccheck/cmd/internal/stdio"
)

const long = `What the command line does not say is looked up, flag by flag: in the
environment (CCHECK_STRESS_CLIENTS, then CCHECK_CLIENTS), in .ccheck.yaml in this
folder or above it in the repository, in $XDG_CONFIG_HOME/ccheck/config.yaml, and
at last in the defaults. A file of the repository may make ccheck no bolder: it
names no server and gives way to no rail.

    version: 1
    flags:              # of every command that has them
      fail-on: medium
    stress:
      clients: 50`

// New returns the command with its subcommands.
func New(s *stdio.Streams) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "config",
		Short: "Show and verify what flags are set to outside the command line",
		Long:  long,
	}
	cmd.AddCommand(show.New(s, nil), verify.New(s, nil), schema.New(s, nil))
	return cmd
}
