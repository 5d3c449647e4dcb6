package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/ccheck/ccheck/cmd/internal/cli"
	"github.com/ccheck/ccheck/cmd/internal/flags"
	"github.com/ccheck/ccheck/cmd/internal/stdio"
)

// commands makes a page for each command, its subcommands on the same page, and
// an index with the flags that all share.
func (p pages) commands() {
	s, _ := stdio.Test()
	root := cli.Root(s)
	index := page("Commands")
	fmt.Fprintf(index, "\n%s\n\n| command | |\n|---|---|\n", root.Long)
	for _, cmd := range root.Commands() {
		if cmd.IsAvailableCommand() && cmd.Name() != "help" {
			fmt.Fprintf(index, "| [%s](%s.md) | %s |\n", cmd.Name(), cmd.Name(), cell(cmd.Short))
			b := page(cmd.CommandPath())
			describe(b, cmd)
			p["cli/"+cmd.Name()+".md"] = []byte(b.String())
		}
	}
	global := &flags.Global{}
	fs := pflag.NewFlagSet("ccheck", pflag.ContinueOnError)
	global.Register(fs)
	fmt.Fprint(index, "\n## Flags of every command\n")
	table(index, fs)
	fmt.Fprint(index, "\nExit codes: [exit-codes.md](../exit-codes.md).\n")
	p["cli/README.md"] = []byte(index.String())
}

func describe(b *strings.Builder, cmd *cobra.Command) {
	fmt.Fprintf(b, "\n%s\n", sentence(cmd.Short))
	if cmd.Long != "" {
		fmt.Fprintf(b, "\n%s\n", strings.TrimSpace(cmd.Long))
	}
	if cmd.Runnable() {
		fmt.Fprintf(b, "\n```\n%s\n```\n", cmd.UseLine())
	}
	if cmd.Example != "" {
		fmt.Fprintf(b, "\n```\n%s\n```\n", strings.TrimSpace(cmd.Example))
	}
	table(b, cmd.LocalFlags())
	for _, sub := range cmd.Commands() {
		if sub.IsAvailableCommand() {
			fmt.Fprintf(b, "\n## %s\n", sub.CommandPath())
			describe(b, sub)
		}
	}
}

// table lists flags; one without flags is not there.
func table(b *strings.Builder, fs *pflag.FlagSet) {
	head := "\n| flag | | default |\n|---|---|---|\n"
	fs.VisitAll(func(f *pflag.Flag) {
		if f.Hidden || f.Name == "help" || f.Name == "version" {
			return
		}
		kind, usage := pflag.UnquoteUsage(f)
		name := "--" + f.Name
		if f.Shorthand != "" {
			name = "-" + f.Shorthand + ", " + name
		}
		fmt.Fprintf(b, "%s| `%s` | %s | %s |\n", head, strings.TrimSpace(name+" "+kind), cell(usage), preset(f))
		head = ""
	})
}

// preset is the default as a cell, empty when it says nothing.
func preset(f *pflag.Flag) string {
	switch f.DefValue {
	case "", "false", "[]", "0", "0s":
		return ""
	}
	return "`" + f.DefValue + "`"
}

// sentence ends a line that does not end by itself, as a question does.
func sentence(line string) string {
	if strings.HasSuffix(line, "?") {
		return line
	}
	return line + "."
}
