// Package export is the command that writes a scenario out to be edited.
package export

import (
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/ccheck/ccheck/cmd/internal/flags"
	"github.com/ccheck/ccheck/cmd/internal/stdio"
	"github.com/ccheck/ccheck/probes/scenario"
)

// Options are what the command is run with.
type Options struct {
	Streams *stdio.Streams
	Open    func(string) (*scenario.Scenario, error)
	Name    string
	Folder  string // "" is the scenario's own name
}

// New returns the command.
func New(s *stdio.Streams, runF func(*Options) error) *cobra.Command {
	opts := &Options{Streams: s, Open: flags.OpenScenario}
	return &cobra.Command{
		Use:               "export <scenario> [folder]",
		Short:             "Write a scenario into a folder to edit",
		Long:              "Export writes the files of a scenario into a folder that is made for it. It never overwrites anything.",
		Example:           "ccheck scenario export wallet\nccheck scenario export wallet/optimistic ./shop",
		Args:              flags.Args("<scenario>", "[folder]"),
		ValidArgsFunction: flags.Scenarios,
		RunE: func(_ *cobra.Command, args []string) error {
			opts.Name = args[0]
			if len(args) > 1 {
				opts.Folder = args[1]
			}
			if runF != nil {
				return runF(opts)
			}
			return run(opts)
		},
	}
}

func run(opts *Options) error {
	sc, err := opts.Open(opts.Name)
	if err != nil {
		return err
	}
	folder := opts.Folder
	if folder == "" {
		folder = sc.Name
	}
	if err := sc.Export(folder); err != nil {
		return err
	}
	opts.Streams.Sayf("wrote %s; edit it, then run `ccheck stress %s`", filepath.Join(folder, scenario.File), path(folder))
	return nil
}

// path writes a relative folder so that it is not taken for a built-in name.
func path(folder string) string {
	if filepath.IsAbs(folder) {
		return folder
	}
	return "." + string(filepath.Separator) + filepath.Clean(folder)
}
