// Package completion is the command that writes the completion script of a
// shell. What is completed comes from the commands themselves and never from a
// database.
package completion

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/ccheck/ccheck/cmd/internal/exit"
	"github.com/ccheck/ccheck/cmd/internal/flags"
	"github.com/ccheck/ccheck/cmd/internal/stdio"
)

// Options are what the command is run with.
type Options struct {
	Streams *stdio.Streams
	Root    *cobra.Command
	Shell   string
}

// shell is one shell that can complete.
type shell struct {
	name  string
	write func(root *cobra.Command, w io.Writer) error
}

var shells = []shell{
	{"bash", func(root *cobra.Command, w io.Writer) error { return root.GenBashCompletionV2(w, true) }},
	{"fish", func(root *cobra.Command, w io.Writer) error { return root.GenFishCompletion(w, true) }},
	{"powershell", func(root *cobra.Command, w io.Writer) error { return root.GenPowerShellCompletionWithDesc(w) }},
	{"zsh", func(root *cobra.Command, w io.Writer) error { return root.GenZshCompletion(w) }},
}

// New returns the command.
func New(s *stdio.Streams, runF func(*Options) error) *cobra.Command {
	opts := &Options{Streams: s}
	return &cobra.Command{
		Use:       "completion <shell>",
		Short:     "Write the completion script of bash, zsh, fish or powershell",
		Example:   "source <(ccheck completion bash)\nccheck completion zsh > _ccheck",
		Args:      flags.Args("<shell>"),
		ValidArgs: names(),
		RunE: func(cmd *cobra.Command, args []string) error {
			opts.Root, opts.Shell = cmd.Root(), args[0]
			if runF != nil {
				return runF(opts)
			}
			return run(opts)
		},
	}
}

func names() []string {
	var all []string
	for _, s := range shells {
		all = append(all, s.name)
	}
	return all
}

func run(opts *Options) error {
	i := slices.IndexFunc(shells, func(s shell) bool { return s.name == opts.Shell })
	if i < 0 {
		return exit.Usagef("no completion for the shell %s", flags.Shown(opts.Shell)).
			WithHint("the shells are %s", strings.Join(names(), ", "))
	}
	if err := shells[i].write(opts.Root, opts.Streams.Out); err != nil {
		return exit.Failedf("cannot write the completion script: %w", fmt.Errorf("%s: %w", opts.Shell, err))
	}
	return nil
}
