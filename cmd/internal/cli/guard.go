package cli

import (
	"errors"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/ccheck/ccheck/cmd/internal/config"
	"github.com/ccheck/ccheck/cmd/internal/exit"
	"github.com/ccheck/ccheck/cmd/internal/flags"
	"github.com/ccheck/ccheck/cmd/internal/stdio"
	"github.com/ccheck/ccheck/cmd/internal/suggest"
)

// guard keeps the error of a command, so that cobra sees none, and
// applies the global flags before the command runs.
type guard struct {
	s      *stdio.Streams
	global *flags.Global
	given  []config.Value // what the flags of the command were given
	err    error
}

// tree guards cmd and all below it.
func (g *guard) tree(cmd *cobra.Command) {
	if !cmd.Runnable() && cmd.HasSubCommands() {
		cmd.Args, cmd.RunE = cobra.ArbitraryArgs, unknownCommand
	}
	g.args(cmd)
	g.run(cmd)
	cmd.SetFlagErrorFunc(func(c *cobra.Command, err error) error {
		g.keep(flagError(c, err))
		return nil
	})
	for _, sub := range cmd.Commands() {
		g.tree(sub)
	}
}

func (g *guard) keep(err error) {
	if g.err == nil {
		g.err = err
	}
}

func (g *guard) args(cmd *cobra.Command) {
	check := cmd.Args
	if check == nil {
		check = flags.Args()
	}
	cmd.Args = func(c *cobra.Command, args []string) error {
		g.keep(check(c, args))
		return nil
	}
}

func (g *guard) run(cmd *cobra.Command) {
	run := cmd.RunE
	if run == nil {
		return
	}
	cmd.RunE = func(c *cobra.Command, args []string) error {
		if g.err == nil {
			g.keep(g.configure(c))
		}
		if g.err == nil {
			g.keep(g.global.Apply(g.s))
		}
		if g.err == nil {
			g.keep(config.Explain(run(c, args), g.given))
		}
		return nil
	}
}

// configure gives the flags of cmd what the environment and the files say.
func (g *guard) configure(cmd *cobra.Command) (err error) {
	for c := cmd; c != nil; c = c.Parent() {
		if c.Annotations[unconfigured] != "" {
			return nil
		}
	}
	found, err := config.Load(config.Here(cmd, g.s.Env))
	if err = errors.Join(err, found.Check(cmd.Root(), false)); err != nil {
		return err
	}
	g.given, err = found.Apply(cmd)
	return err
}

// unknownCommand is what a command does that only holds others: show its help,
// or say that there is none of that name.
func unknownCommand(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return cmd.Help()
	}
	return noCommand(cmd, args[0])
}

func noCommand(cmd *cobra.Command, name string) error {
	err := exit.Usagef("%s has no command %s", cmd.CommandPath(), flags.Shown(name))
	if near := suggest.Nearest(name, names(cmd)); near != "" {
		return err.WithHint("did you mean `%s %s`?", cmd.CommandPath(), near)
	}
	return err.WithHint("`%s --help` lists the commands", cmd.CommandPath())
}

func names(cmd *cobra.Command) []string {
	var all []string
	for _, c := range cmd.Commands() {
		if c.IsAvailableCommand() {
			all = append(all, c.Name())
		}
	}
	return all
}

// flagError puts pflag's errors into sentences. None repeats the raw argument:
// it may be a connection string behind a misspelt --dsn.
func flagError(cmd *cobra.Command, err error) error {
	var unknown *pflag.NotExistError
	var missing *pflag.ValueRequiredError
	var invalid *pflag.InvalidValueError
	switch {
	case errors.As(err, &unknown):
		return unknownFlag(cmd, unknown)
	case errors.As(err, &missing):
		return exit.Usagef("--%s needs a value", missing.GetFlag().Name).WithHint("`%s --help` shows what it takes", cmd.CommandPath())
	case errors.As(err, &invalid):
		return invalidValue(invalid)
	}
	return exit.Usagef("the command line of %s cannot be read", cmd.CommandPath()).WithHint("flags are --name value or --name=value")
}

func unknownFlag(cmd *cobra.Command, e *pflag.NotExistError) error {
	if short := e.GetSpecifiedShortnames(); short != "" {
		return exit.Usagef("%s has no flag -%s", cmd.CommandPath(), e.GetSpecifiedName()).WithHint("`%s --help` lists the flags", cmd.CommandPath())
	}
	err := exit.Usagef("%s has no flag --%s", cmd.CommandPath(), e.GetSpecifiedName())
	if near := suggest.Nearest(e.GetSpecifiedName(), flagNames(cmd)); near != "" {
		return err.WithHint("did you mean --%s?", near)
	}
	return err.WithHint("`%s --help` lists the flags", cmd.CommandPath())
}

func flagNames(cmd *cobra.Command) []string {
	var all []string
	visit := func(f *pflag.Flag) {
		if !f.Hidden {
			all = append(all, f.Name)
		}
	}
	cmd.LocalFlags().VisitAll(visit)
	cmd.InheritedFlags().VisitAll(visit)
	return all
}

func invalidValue(e *pflag.InvalidValueError) error {
	f := e.GetFlag()
	var own *exit.Error
	if errors.As(e, &own) {
		return exit.Usagef("--%s: %s", f.Name, own.Msg).WithHint("%s", own.Hint)
	}
	return exit.Usagef("--%s cannot be %s", f.Name, flags.Shown(e.GetValue())).WithHint("it takes %s", flags.Takes(f))
}

// usage is the error of cobra that got past the guard: there is none that we
// know of, and it must not be lost.
func usage(root *cobra.Command, err error) error {
	if err == nil {
		return nil
	}
	return exit.Usagef("%w", err).WithHint("`%s --help` shows how it is used", root.Name())
}
