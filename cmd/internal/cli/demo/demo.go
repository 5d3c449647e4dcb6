// Package demo is the command that shows the lab: chapters, each with a planted
// bug, what comes of it, and the mend. It finds nothing itself; a chapter is a row
// of commands of ccheck, run as a person would type them.
package demo

import (
	"context"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/ccheck/ccheck/cmd/internal/display"
	"github.com/ccheck/ccheck/cmd/internal/exit"
	"github.com/ccheck/ccheck/cmd/internal/flags"
	"github.com/ccheck/ccheck/cmd/internal/stdio"
	"github.com/ccheck/ccheck/cmd/internal/suggest"
	"github.com/ccheck/ccheck/tui/menu"
)

// Command runs a command line of ccheck, without its own name, on the streams.
// Its error is what main would make the exit code of.
type Command func(context.Context, *stdio.Streams, []string) error

// Options are what the command is run with.
type Options struct {
	Streams *stdio.Streams
	Chapter string // "" to choose one
	Display display.Flags
	command Command
}

const long = `The lab: each chapter plants a bug, shows what comes of it and why, and then the
mend that holds. A chapter takes less than half a minute, needs no server, and
leaves nothing behind.

Without a chapter there is a menu, or a list where there is no terminal. What is
run is printed before it runs, so that it can be typed again.`

const example = `
# choose a chapter
ccheck demo

# money out of nothing, and six ways to mend it
ccheck demo double-spend`

// New returns the command.
func New(s *stdio.Streams, command Command, runF func(context.Context, *Options) error) *cobra.Command {
	o := &Options{Streams: s, command: command}
	cmd := &cobra.Command{
		Use:               "demo [chapter]",
		Short:             "The lab: see a bug, why it is there, and the mend that holds",
		Long:              long + "\n\nThe chapters are " + strings.Join(names(), ", ") + ".",
		Example:           example,
		Args:              flags.Args("[chapter]"),
		ValidArgsFunction: complete,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				o.Chapter = args[0]
			}
			if err := o.resolve(); err != nil {
				return err
			}
			if runF != nil {
				return runF(cmd.Context(), o)
			}
			return run(cmd.Context(), o)
		},
	}
	o.Display.Register(cmd.Flags())
	cmd.AddCommand(newServe(s))
	return cmd
}

func complete(_ *cobra.Command, args []string, _ string) (all []string, _ cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	for _, c := range chapters() {
		all = append(all, c.name+"\t"+c.title)
	}
	return all, cobra.ShellCompDirectiveNoFileComp
}

func names() (all []string) {
	for _, c := range chapters() {
		all = append(all, c.name)
	}
	return all
}

// resolve checks what can be checked before anything is run.
func (o *Options) resolve() error {
	if o.Chapter == "" || slices.Contains(names(), o.Chapter) {
		return o.Display.Check()
	}
	err := exit.Usagef("the lab has no chapter %q", o.Chapter)
	if near := suggest.Nearest(o.Chapter, names()); near != "" {
		return err.WithHint("did you mean `ccheck demo %s`?", near)
	}
	return err.WithHint("its chapters are %s", strings.Join(names(), ", "))
}

// run plays the chapter that was named or is chosen.
func run(ctx context.Context, o *Options) error {
	name := o.Chapter
	if name == "" {
		if !o.Streams.Interactive() || o.Display.NoTUI {
			return list(o.Streams)
		}
		var err error
		if name, err = choose(ctx, o); err != nil || name == "" {
			return err
		}
	}
	i := slices.Index(names(), name)
	return play(ctx, o, chapters()[i])
}

// choose shows the menu; "" means that nothing was chosen.
func choose(ctx context.Context, o *Options) (string, error) {
	m := menu.Options{In: o.Streams.In, Out: o.Streams.Out, Env: o.Streams.Env, ASCII: o.Streams.ASCII, Theme: o.Display.Theme, Title: "ccheck demo: the lab"}
	for _, c := range chapters() {
		m.Items = append(m.Items, menu.Item{Name: c.name, Title: c.title, Text: c.story})
	}
	return menu.Choose(ctx, m)
}
