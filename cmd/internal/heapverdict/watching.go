package heapverdict

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/ccheck/ccheck/analyzers/history/heapgrowth"
	"github.com/ccheck/ccheck/analyzers/report"
	"github.com/ccheck/ccheck/cmd/internal/exit"
	"github.com/ccheck/ccheck/cmd/internal/flags"
	"github.com/ccheck/ccheck/cmd/internal/stdio"
	"github.com/ccheck/ccheck/probes/heap"
	"github.com/ccheck/ccheck/probes/heap/series"
	"github.com/ccheck/ccheck/tui/story"
)

// Watching are the flags that say how a process is watched.
type Watching struct {
	Snapshots int
	Interval  time.Duration
	Load      string
	Work      int64
	Keep      string
	Track     bool
	Force     bool
	More      int
}

// Register adds the flags to fs.
func (w *Watching) Register(fs *pflag.FlagSet) {
	fs.IntVarP(&w.Snapshots, "snapshots", "n", 7, "snapshots to take; 5 are needed for a verdict")
	fs.DurationVar(&w.Interval, "interval", 10*time.Second, "time between two snapshots, where --load does not fill it")
	fs.IntVar(&w.More, "more", 3, "`number` of snapshots beyond --snapshots, with more load before each, where growth may be a cache that has not filled yet; 0 for none")
	fs.StringVar(&w.Load, "load", "", "shell `command` to run to its end between any two snapshots")
	fs.Int64Var(&w.Work, "per-request", 0, "`number` of requests that happen between two snapshots, for rates (default: not known)")
	fs.StringVar(&w.Keep, "keep", "", "keep the snapshots in this `folder`; they hold what the process has in memory, secrets too")
	fs.BoolVar(&w.Track, "track-allocations", false, "have Node remember where objects are allocated; slows it down a good deal")
	fs.BoolVar(&w.Force, "force", false, "take snapshots even where there is too little memory for them")
}

// Check finds what is wrong with the flags before anything was asked.
func (w *Watching) Check() error {
	switch {
	case w.Snapshots < 2:
		return exit.Usagef("--snapshots cannot be %d", w.Snapshots).WithHint("two are needed to see growth, five for a verdict, seven for certainty")
	case w.Interval < 0:
		return exit.Usagef("--interval cannot be negative").WithHint("such as 10s or 1m")
	case w.More < 0:
		return exit.Usagef("--more cannot be negative").WithHint("0 takes no more snapshots than --snapshots says")
	case w.Work < 0:
		return exit.Usagef("--per-request cannot be negative").WithHint("the number of requests between two snapshots")
	}
	return nil
}

// Take watches a process and returns the series. It tells the sink the run, and
// how it goes on.
func (w *Watching) Take(ctx context.Context, s *stdio.Streams, to report.Sink, how, target string) (all *series.Series, err error) {
	p, err := heap.Open(ctx, target)
	if err != nil {
		return nil, targetError(target, err)
	}
	defer p.Close()
	if err := w.cost(s, p); err != nil {
		return nil, err
	}
	if err := to.Begin(Run(how, p.Server, p.Name, time.Now())); err != nil {
		return nil, err
	}
	dir := w.Keep
	if dir == "" {
		if dir, err = os.MkdirTemp("", "ccheck-heap-"); err != nil {
			return nil, exit.Failedf("cannot make a folder for the snapshots: %w", err).WithHint("set TMPDIR to a folder with room, or use --keep")
		}
		defer os.RemoveAll(dir)
	}
	l := &load{streams: s, command: w.Load}
	watch := &heap.Watch{
		Snapshots: w.Snapshots, Between: heap.Sleep(w.Interval), Work: w.Work, Dir: dir, Keep: w.Keep != "", Track: w.Track,
		Taken: func(p series.Point) { w.taken(to, p) }, More: w.further(s),
	}
	if w.Load != "" {
		watch.Between, watch.Loaded = l.run, true
	}
	all, err = p.Watch(ctx, watch)
	if errors.Is(err, heap.ErrCut) {
		all.Notes = append(all.Notes, fmt.Sprintf("ended after %d of %d snapshots", len(all.Points), w.Snapshots))
		err = nil
	}
	if err != nil {
		return nil, targetError(target, err)
	}
	all.Loads = l.loads
	if w.Keep != "" {
		all.Notes = append(all.Notes, fmt.Sprintf("the snapshots are in %s; `ccheck heap diff %s` judges them again", dir, filepath.ToSlash(dir)))
	}
	return all, nil
}

// further asks the judge whether more load would tell what is in doubt, for as many
// snapshots as may be taken beyond.
func (w *Watching) further(s *stdio.Streams) func(*series.Series) int {
	left := w.More
	return func(all *series.Series) int {
		if left == 0 {
			return 0
		}
		left--
		rounds := int(heapgrowth.Judge(all).More)
		if rounds > 0 {
			s.Sayf("what grows may be a cache that fills: one more snapshot after %d rounds of load (--more 0 ends here)", rounds)
		}
		return rounds
	}
}

// cost says what will be asked of the process, and refuses what would kill it.
func (w *Watching) cost(s *stdio.Streams, p *heap.Process) error {
	c := p.Cost()
	if c.Heap > 0 {
		s.Sayf("%s (%s): %s of heap; each of %d snapshots needs about %s of memory beside it and stops the event loop for about %s",
			p.Name, p.Server, story.Bytes(c.Heap), w.Snapshots, story.Bytes(c.Needs), c.Stop)
	} else {
		s.Sayf("%s (%s): each of %d snapshots runs the garbage collector twice", p.Name, p.Server, w.Snapshots)
	}
	why := c.Refused()
	if why == "" {
		return nil
	}
	if w.Force {
		s.Warnf("%s", why)
		return nil
	}
	return exit.Refusedf("%s", why).WithHint("give it more memory, watch it sooner after its start, or use --force")
}

// taken tells of a snapshot while the watch goes on.
func (w *Watching) taken(to report.Sink, p series.Point) {
	at := strings.TrimPrefix(p.Name, "s")
	if p.Rounds < int64(w.Snapshots) {
		at += fmt.Sprintf(" of %d", w.Snapshots-1)
	}
	phase := fmt.Sprintf("snapshot %s: %s in %d objects", at, story.Bytes(p.Bytes), p.Objects)
	to.Progress(report.Progress{Phase: phase, Elapsed: p.At})
}

// targetError gives an error of a process its code and its mend.
func targetError(target string, err error) error {
	var named *heap.TargetError
	if errors.As(err, &named) {
		return exit.Failedf("%s: %w", shown(target), err).WithHint("%s", named.Hint)
	}
	return Error(err)
}

// shown is how an error names a process: an address without its password, and
// anything else as flags are shown.
func shown(target string) string {
	if _, err := strconv.Atoi(target); err == nil {
		return "pid " + target
	}
	u, err := url.Parse(target)
	if err == nil && slices.Contains([]string{"http", "https", "ws", "wss"}, u.Scheme) {
		return u.Redacted()
	}
	return flags.Shown(target)
}

// load is the command that runs between two snapshots.
type load struct {
	streams *stdio.Streams
	command string
	warned  bool
	loads   [][]series.Span // the calls of each run, where it recorded them
	kept    int             // calls in loads
}

// run runs it to its end. An exit code other than 0 is told once: load that found
// something is load all the same.
func (l *load) run(ctx context.Context, round int) error {
	name, flag := "sh", "-c"
	if runtime.GOOS == "windows" {
		name, flag = "cmd", "/C"
	}
	cmd := exec.CommandContext(ctx, name, flag, l.command)
	var said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &said, &said
	cmd.WaitDelay = 2 * time.Second
	since := time.Now()
	err := cmd.Run()
	if calls := l.calls(since); len(calls) > 0 {
		l.loads = append(l.loads, calls)
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	var ended *exec.ExitError
	switch {
	case errors.As(err, &ended) && ended.ExitCode() >= 126:
		return exit.Failedf("--load cannot be run: %s", lastLine(said.String(), err)).WithHint("run it by hand first")
	case errors.As(err, &ended):
		if !l.warned {
			l.warned = true
			l.streams.Warnf("--load ended with exit code %d in round %d: %s", ended.ExitCode(), round, lastLine(said.String(), err))
		}
	case err != nil:
		return exit.Failedf("--load cannot be run: %w", err).WithHint("run it by hand first")
	}
	return nil
}

func lastLine(text string, err error) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	if last := lines[len(lines)-1]; last != "" {
		return last
	}
	return err.Error()
}
