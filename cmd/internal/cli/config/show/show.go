// Package show is the command that shows what flags are worth and who said so.
package show

import (
	"errors"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/ccheck/ccheck/cmd/internal/config"
	"github.com/ccheck/ccheck/cmd/internal/exit"
	"github.com/ccheck/ccheck/cmd/internal/flags"
	"github.com/ccheck/ccheck/cmd/internal/stdio"
	"github.com/ccheck/ccheck/cmd/internal/suggest"
)

// Options are what the command is run with.
type Options struct {
	Streams *stdio.Streams
	Root    *cobra.Command
	Where   config.Where
	Command string // "" for all of them
	Origin  bool
	JSON    bool
}

// New returns the command.
func New(s *stdio.Streams, runF func(*Options) error) *cobra.Command {
	opts := &Options{Streams: s}
	cmd := &cobra.Command{
		Use:   "show [command]",
		Short: "Show what flags are set to, and where",
		Long: "Show prints what the environment and the files set, as a file would say it. " +
			"With the name of a command it prints every flag of that command, the defaults too.",
		Example: "ccheck config show --origin\nccheck config show stress --origin",
		Args:    cobra.ArbitraryArgs,
		ValidArgsFunction: func(cmd *cobra.Command, _ []string, _ string) ([]string, cobra.ShellCompDirective) {
			return names(cmd.Root()), cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			opts.Root, opts.Where, opts.Command = cmd.Root(), config.Here(cmd, s.Env), strings.Join(args, " ")
			if runF != nil {
				return runF(opts)
			}
			return run(opts)
		},
	}
	cmd.Flags().BoolVar(&opts.Origin, "origin", false, "tell where each value comes from")
	cmd.Flags().BoolVar(&opts.JSON, "json", false, "write a JSON array of command, flag, value and origin")
	return cmd
}

func names(root *cobra.Command) []string {
	var all []string
	for _, cmd := range config.Runnable(root) {
		all = append(all, config.Name(cmd))
	}
	return all
}

func run(opts *Options) error {
	if opts.Command != "" && !slices.Contains(names(opts.Root), opts.Command) {
		return unknown(opts)
	}
	found, err := config.Load(opts.Where)
	if err = errors.Join(err, found.Check(opts.Root, false)); err != nil {
		return err
	}
	rows := collect(opts, found)
	if opts.JSON {
		return opts.Streams.PrintJSON(rows)
	}
	return printText(opts, rows)
}

// collect is the rows that are shown. What is set for every command stands once,
// before them.
func collect(opts *Options, found *config.Config) []row {
	every, rows := []row{}, []row{}
	for _, cmd := range config.Runnable(opts.Root) {
		name := config.Name(cmd)
		if opts.Command != "" && name != opts.Command {
			continue
		}
		for _, v := range found.Effective(cmd) {
			r := row{Command: name, Flag: v.Flag.Name, Values: v.Values, Origin: v.Origin, plain: plain(v.Flag)}
			global := cmd.InheritedFlags().Lookup(v.Flag.Name) != nil
			switch {
			case opts.Command != "":
				rows = append(rows, r)
			case v.Origin.Layer == config.Default || v.Origin.Layer == config.CommandLine:
			case !global:
				rows = append(rows, r)
			default:
				i := slices.IndexFunc(every, func(e row) bool { return e.Flag == r.Flag })
				if i < 0 {
					i = len(every)
					every = append(every, r)
					every[i].Command = config.Every
				}
				if every[i].Origin != r.Origin {
					rows = append(rows, r)
				}
			}
		}
	}
	return append(every, rows...)
}

func unknown(opts *Options) error {
	err := exit.Usagef("there is no command %s with flags", flags.Shown(opts.Command))
	if near := suggest.Nearest(opts.Command, names(opts.Root)); near != "" {
		return err.WithHint("did you mean `ccheck config show %s`?", near)
	}
	return err.WithHint("it is named without ccheck, such as stress or \"scenario list\"")
}
