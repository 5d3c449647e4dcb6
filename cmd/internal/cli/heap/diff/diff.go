// Package diff is the command that judges heap snapshots in files. It asks no
// process.
package diff

import (
	"context"
	"os"
	"runtime"
	"runtime/debug"
	"time"

	"github.com/spf13/cobra"

	"github.com/ccheck/ccheck/cmd/internal/display"
	"github.com/ccheck/ccheck/cmd/internal/exit"
	"github.com/ccheck/ccheck/cmd/internal/heapverdict"
	"github.com/ccheck/ccheck/cmd/internal/input"
	"github.com/ccheck/ccheck/cmd/internal/output"
	"github.com/ccheck/ccheck/cmd/internal/stdio"
	"github.com/ccheck/ccheck/probes/heap"
)

// Options are what the command is run with.
type Options struct {
	Streams *stdio.Streams
	Files   []string
	Every   time.Duration
	Work    int64
	Refs    string
	Screen  display.Flags
	Output  output.Flags
	NoFail  bool
}

const long = `Judges snapshots of one process, in the order in which they were taken: .heapsnapshot
files of Node or Chrome, or heap and goroutine profiles of Go. A folder is one
moment of a Go process with several profiles. The one that ccheck heap watch --keep
wrote is all of its snapshots, with the times and the work that it noted beside them.
Five are needed for a verdict; seven are better.

Take all snapshots of V8 in one inspector session, or with v8.writeHeapSnapshot in
the process: another session numbers the objects anew. ccheck sees that, says so
and compares by class then.`

const example = `
# Node: seven snapshots, the same work between any two of them
ccheck heap diff s0.heapsnapshot s1.heapsnapshot s2.heapsnapshot s3.heapsnapshot s4.heapsnapshot s5.heapsnapshot s6.heapsnapshot

# Go: curl -o h0 'localhost:6060/debug/pprof/heap?gc=1', five times
ccheck heap diff h0 h1 h2 h3 h4 --every 1m

# what a watch has kept
ccheck heap diff ./kept`

// New returns the command.
func New(s *stdio.Streams, runF func(context.Context, *Options) error) *cobra.Command {
	o := &Options{Streams: s}
	cmd := &cobra.Command{
		Use:     "diff <snapshot> <snapshot>... | <folder>",
		Short:   "Judge heap snapshots in files",
		Long:    long,
		Example: example,
		Args:    cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			o.Files = args
			if err := o.resolve(); err != nil {
				return err
			}
			if runF != nil {
				return runF(cmd.Context(), o)
			}
			return run(cmd.Context(), o)
		},
	}
	f := cmd.Flags()
	f.DurationVar(&o.Every, "every", 0, "time between two snapshots, for rates (default: not known)")
	f.Int64Var(&o.Work, "per-request", 0, "`number` of requests between two snapshots, for rates (default: not known)")
	f.StringVar(&o.Refs, "retainers", "", "reference profile of grf, taken with the last Go snapshot: a `file` that says who holds what")
	f.BoolVar(&o.NoFail, "exit-zero", false, "exit with 0 whatever is found; errors keep their codes")
	o.Screen.Register(f)
	o.Output.Register(f)
	return cmd
}

func (o *Options) resolve() error {
	if o.Files = heap.Snapshots(o.Files); len(o.Files) < 2 {
		return exit.Usagef("ccheck heap diff needs two snapshots at least, and five for a verdict").
			WithHint("usage: ccheck heap diff <snapshot> <snapshot>...")
	}
	if o.Every < 0 || o.Work < 0 {
		return exit.Usagef("--every and --per-request cannot be negative").WithHint("leave them out where they are not known")
	}
	if err := o.Screen.Check(); err != nil {
		return err
	}
	return o.Output.Check()
}

// Garbage is the target of the collector while a large heap is read: most of it is
// one graph that stays, in columns without pointers, which cost the collector next
// to nothing, and twice that would be a waste. Below that size the collector would
// only run more often.
const (
	garbage = 10
	largest = 32 << 20
)

// large reports whether the files are.
func (o *Options) large() bool {
	sum := int64(0)
	for _, name := range o.Files {
		if info, err := os.Stat(name); err == nil {
			sum += info.Size()
		}
	}
	return sum > largest
}

func run(ctx context.Context, o *Options) error {
	if err := input.Check(append(o.Files, o.Refs)...); err != nil {
		return err
	}
	if o.Streams.Env("GOGC") == "" && o.large() {
		defer debug.SetGCPercent(debug.SetGCPercent(garbage))
	}
	show, err := display.Open(o.Streams, &o.Screen, &o.Output)
	if err != nil {
		return err
	}
	defer show.Close()
	started := time.Now()
	files := &heap.Files{Paths: o.Files, Every: o.Every, Work: o.Work, Retainers: o.Refs, Workers: runtime.GOMAXPROCS(0)}
	s, err := files.Read(ctx)
	if err != nil {
		return heapverdict.Error(err)
	}
	v := heapverdict.Judge(s, started)
	all := &output.Recording{Run: heapverdict.Run("diff", heapverdict.Server(s), s.Target, started)}
	if err := v.Tell(all); err != nil {
		return err
	}
	if err := show.Stored(ctx, all); err != nil {
		return err
	}
	if o.NoFail {
		return nil
	}
	return v.Status()
}
