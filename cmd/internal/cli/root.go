package cli

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/ccheck/ccheck/cmd/internal/build"
	"github.com/ccheck/ccheck/cmd/internal/cli/bleed"
	"github.com/ccheck/ccheck/cmd/internal/cli/check"
	"github.com/ccheck/ccheck/cmd/internal/cli/clean"
	"github.com/ccheck/ccheck/cmd/internal/cli/clock"
	"github.com/ccheck/ccheck/cmd/internal/cli/completion"
	"github.com/ccheck/ccheck/cmd/internal/cli/config"
	"github.com/ccheck/ccheck/cmd/internal/cli/deadlock"
	"github.com/ccheck/ccheck/cmd/internal/cli/demo"
	"github.com/ccheck/ccheck/cmd/internal/cli/doctor"
	"github.com/ccheck/ccheck/cmd/internal/cli/explain"
	"github.com/ccheck/ccheck/cmd/internal/cli/explore"
	"github.com/ccheck/ccheck/cmd/internal/cli/heap"
	"github.com/ccheck/ccheck/cmd/internal/cli/lag"
	"github.com/ccheck/ccheck/cmd/internal/cli/leader"
	"github.com/ccheck/ccheck/cmd/internal/cli/lease"
	"github.com/ccheck/ccheck/cmd/internal/cli/list"
	"github.com/ccheck/ccheck/cmd/internal/cli/man"
	"github.com/ccheck/ccheck/cmd/internal/cli/mcp"
	"github.com/ccheck/ccheck/cmd/internal/cli/queue"
	"github.com/ccheck/ccheck/cmd/internal/cli/record"
	"github.com/ccheck/ccheck/cmd/internal/cli/report"
	"github.com/ccheck/ccheck/cmd/internal/cli/retry"
	"github.com/ccheck/ccheck/cmd/internal/cli/scaffold"
	"github.com/ccheck/ccheck/cmd/internal/cli/scenario"
	"github.com/ccheck/ccheck/cmd/internal/cli/show"
	"github.com/ccheck/ccheck/cmd/internal/cli/stress"
	"github.com/ccheck/ccheck/cmd/internal/cli/version"
	"github.com/ccheck/ccheck/cmd/internal/cli/vet"
	"github.com/ccheck/ccheck/cmd/internal/flags"
	"github.com/ccheck/ccheck/cmd/internal/stdio"
)

// The groups of the help, in its order.
const (
	finding = "finding"
	looking = "looking"
	keeping = "keeping"
)

var groups = []*cobra.Group{
	{ID: finding, Title: "Find bugs"},
	{ID: looking, Title: "Look things up"},
	{ID: keeping, Title: "Housekeeping"},
}

// commands is the list of commands: one line for each.
func commands(s *stdio.Streams) []*cobra.Command {
	return []*cobra.Command{
		in(finding, stress.New(s, nil)),
		in(finding, explore.New(s, nil)),
		in(finding, record.New(s, nil)),
		in(finding, vet.New(s, nil)),
		in(finding, heap.New(s)),
		in(finding, deadlock.New(s, nil)),
		in(finding, retry.New(s, nil)),
		in(finding, queue.New(s, nil)),
		in(finding, lease.New(s, nil)),
		in(finding, lag.New(s, nil)),
		in(finding, clock.New(s, nil)),
		in(finding, leader.New(s, nil)),
		in(finding, bleed.New(s, nil)),
		in(finding, check.New(s, nil)),
		in(finding, show.New(s, nil)),
		in(finding, report.New(s, nil)),
		in(finding, scenario.New(s)),
		in(looking, scaffold.New(s)),
		in(looking, demo.New(s, execute, nil)),
		in(looking, list.New(s, nil)),
		in(looking, explain.New(s, nil)),
		in(looking, mcp.New(s, nil)),
		in(keeping, doctor.New(s, nil)),
		in(keeping, clean.New(s, nil)),
		in(keeping, bare(config.New(s))),
		in(keeping, bare(version.New(s, nil))),
		in(keeping, bare(completion.New(s, nil))),
		in(keeping, bare(man.New(s, nil))),
	}
}

func in(group string, cmd *cobra.Command) *cobra.Command {
	cmd.GroupID = group
	return cmd
}

// unconfigured is the annotation of commands that take nothing from files, so
// that they work whatever stands there.
const unconfigured = "unconfigured"

func bare(cmd *cobra.Command) *cobra.Command {
	cmd.Annotations = map[string]string{unconfigured: "true"}
	return cmd
}

const long = `ccheck finds concurrency bugs in applications on PostgreSQL: lost updates, double spends, write skew, deadlocks. ` +
	`It hammers a real server, records every statement, judges the record, and explains the race as two lanes with values.`

const examples = `
# see money being lost, on a throw-away server
ccheck stress wallet

# your application as it is: one request twice at once, in every interleaving
ccheck explore --app 'npm start' --seed-sql seed.sql --curl 'curl -X POST http://localhost:3000/orders -d item=1'

# Go source, without a server
ccheck vet

# what does this word mean?
ccheck explain write skew`

// Root returns the root command with all commands below it. It is also what
// the generated docs are made from.
func Root(s *stdio.Streams) *cobra.Command {
	root := &cobra.Command{
		Use:     "ccheck",
		Short:   "Finds concurrency bugs in applications on PostgreSQL, and proves them",
		Long:    long,
		Example: examples,
		Version: build.Read().String(),
	}
	root.SetVersionTemplate("{{.Version}}\n")
	root.AddGroup(groups...)
	root.AddCommand(commands(s)...)
	root.SetHelpCommand(helpCommand(root))
	root.SetHelpCommandGroupID(looking)
	root.InitDefaultHelpCmd()
	root.CompletionOptions.DisableDefaultCmd = true
	return root
}

// execute runs the command that args name.
func execute(ctx context.Context, s *stdio.Streams, args []string) error {
	return run(ctx, s, Root(s), args)
}

func run(ctx context.Context, s *stdio.Streams, root *cobra.Command, args []string) error {
	global := &flags.Global{}
	global.Register(root.PersistentFlags())
	root.SetIn(s.In)
	root.SetOut(unfailing{s.Out})
	root.SetErr(s.Err)
	root.SetArgs(args)
	g := &guard{s: s, global: global}
	g.tree(root)
	root.SetHelpFunc(help(s, global))
	root.SilenceErrors, root.SilenceUsage = true, true
	err := root.ExecuteContext(ctx)
	if g.err != nil {
		return g.err
	}
	return usage(root, err)
}
