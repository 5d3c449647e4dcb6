// Package mcp is the command that offers ccheck to coding assistants over the
// Model Context Protocol (modelcontextprotocol.io), on standard input and output.
//
// It is no second ccheck: each tool runs a command of this very binary in a
// process of its own and reads its JSON report, so that a crash or a large module
// takes the server nowhere, and an assistant sees what a person would see.
package mcp

import (
	"context"
	"errors"
	"io"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/spf13/cobra"

	"github.com/ccheck/ccheck/cmd/internal/build"
	"github.com/ccheck/ccheck/cmd/internal/exit"
	"github.com/ccheck/ccheck/cmd/internal/flags"
	"github.com/ccheck/ccheck/cmd/internal/stdio"
)

// Options are what the command is run with.
type Options struct {
	Streams  *stdio.Streams
	Run      Runner
	AllowOwn bool // explore may run scenarios that are not built in
}

const long = `Serves the Model Context Protocol on standard input and output, for coding
assistants that start it as a local server in the folder of the project. Its tools:

  vet           races in the Go packages of the folder, fixes in order
  explore       every interleaving of a built-in scenario
  explain       what a rule, a word of the field or an SQLSTATE means
  show_finding  one finding whole, of the last result or of a stored run

They read, and change nothing: no source is edited, and no database that the
environment names is used. --allow-own-scenarios lets explore run scenario folders
of the project, too. Their SQL and commands run as you, so an assistant that may
write files can then run anything; that is why it is off.`

const example = `
# for an assistant that takes a list of servers
{"mcpServers": {"ccheck": {"command": "ccheck", "args": ["mcp"]}}}`

// New returns the command.
func New(s *stdio.Streams, runF func(context.Context, *Options) error) *cobra.Command {
	o := &Options{Streams: s, Run: Child}
	cmd := &cobra.Command{
		Use:     "mcp",
		Short:   "Serve coding assistants over the Model Context Protocol",
		Long:    long,
		Example: example,
		Args:    flags.Args(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if runF != nil {
				return runF(cmd.Context(), o)
			}
			return run(cmd.Context(), o)
		},
	}
	cmd.Flags().BoolVar(&o.AllowOwn, "allow-own-scenarios", false, "let explore run scenarios of the project, which can hold commands")
	return cmd
}

func run(ctx context.Context, o *Options) error {
	if o.Streams.InTTY {
		return exit.Usagef("mcp speaks JSON-RPC on standard input, and that is a terminal").
			WithHint("name `ccheck mcp` as a local server in the settings of the assistant")
	}
	f := newFrames(o.Streams.In, o.Streams.Out)
	err := Server(o.Run, o.AllowOwn).Run(ctx, &sdk.IOTransport{Reader: f, Writer: f})
	if err != nil && ctx.Err() == nil && !errors.Is(err, io.EOF) {
		return exit.Failedf("the connection to the assistant broke: %w", err)
	}
	return nil
}

const instructions = `ccheck finds concurrency bugs in applications on PostgreSQL. Call vet after changing Go code that reads and then
writes shared rows, keys, files or memory. Apply the first fix of a finding that fits: they are in the order to try them. A verdict
"unknown" is no pass: its reasons say what could not be judged.`

// Server makes a server whose tools use run.
func Server(run Runner, allowOwn bool) *sdk.Server {
	s := sdk.NewServer(&sdk.Implementation{Name: "ccheck", Title: "ccheck", Version: build.Read().Version}, &sdk.ServerOptions{Instructions: instructions})
	t := &tools{run: run, allowOwn: allowOwn}
	sdk.AddTool(s, t.describe("vet", "Find races in the Go packages of the current folder: rows, keys, files and memory that are checked and then written with nothing that guards both. "+
		"Reads source only."), t.vet)
	sdk.AddTool(s, t.describe("explore", t.exploreDoc()), t.explore)
	sdk.AddTool(s, t.describe("explain", "Explain a rule, an SQLSTATE or a word of the field (lost update, write skew, 40001): what it is, why it matters, how to mend it."), t.explain)
	sdk.AddTool(s, t.describe("show_finding", "Tell one finding whole, as Markdown: the interleaving as lanes, the reason, the fixes with their SQL and how to see it again. "+
		"Of the last vet or explore, or of a report or history that ccheck stored."), t.show)
	return s
}
