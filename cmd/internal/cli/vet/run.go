package vet

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/ccheck/ccheck/analyzers"
	"github.com/ccheck/ccheck/analyzers/driver"
	"github.com/ccheck/ccheck/analyzers/report"
	"github.com/ccheck/ccheck/cmd/internal/baseline"
	"github.com/ccheck/ccheck/cmd/internal/build"
	"github.com/ccheck/ccheck/cmd/internal/display"
	"github.com/ccheck/ccheck/cmd/internal/exit"
	"github.com/ccheck/ccheck/cmd/internal/flags"
	"github.com/ccheck/ccheck/cmd/internal/output"
	"github.com/ccheck/ccheck/tui"
)

// memory is what a run should take at most, in bytes: beyond that the garbage
// collector works harder, and nothing fails.
const memory = 1600 << 20

// probe is what a report says in the place of a probe.
const probe = "vet"

func run(ctx context.Context, o *Options) error {
	dir, err := os.Getwd()
	if err != nil {
		return exit.Failedf("cannot tell the current folder: %w", err)
	}
	started := time.Now()
	if o.Streams.Env("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(memory)
	}
	touched, err := o.touched(ctx, dir)
	if err != nil {
		return err
	}
	res, err := judge(ctx, o, dir)
	if err != nil {
		return err
	}
	notes, err := o.narrow(&res, touched)
	if err != nil {
		return err
	}
	if o.Diff {
		return o.diff(dir, res)
	}
	staged, err := o.stage(res)
	if err != nil {
		return err
	}
	notes = append(notes, staged...)
	if o.Fix {
		fixed, err := o.fix(dir, &res)
		if err != nil {
			return err
		}
		notes = append(notes, fixed...)
	}
	for i, f := range res.Findings {
		res.Findings[i].Repro.Command = o.again(res, f)
	}
	if err := o.tell(ctx, res, started, notes); err != nil {
		return err
	}
	return o.status(res)
}

// again is the command that shows a finding once more, and drafts what can prove
// it where there is such a draft.
func (o *Options) again(res driver.SourceResult, f report.Finding) string {
	words := []string{"ccheck vet --rules", f.Rule}
	if o.Tests {
		words = append(words, "--tests")
	}
	if o.Tags != "" {
		words = append(words, "--tags", flags.Quoted(o.Tags))
	}
	if _, ok := res.Scenario(f); ok {
		words = append(words, "--scenario race")
	}
	dir := path.Dir(f.Where.File)
	if !path.IsAbs(dir) {
		dir = "./" + strings.TrimPrefix(dir, "./")
	}
	if dir == "./." {
		dir = "."
	}
	return strings.Join(append(words, flags.Quoted(dir)), " ")
}

// touched tells which findings have to do with the changes that were asked for.
func (o *Options) touched(ctx context.Context, dir string) (func(report.Finding) bool, error) {
	if o.Rev == "" {
		return func(report.Finding) bool { return true }, nil
	}
	changes, err := baseline.Since(ctx, dir, o.Rev)
	if err != nil {
		return nil, err
	}
	return changes.Touch, nil
}

// narrow takes out of the result what was not asked for and what was known, and
// says in notes how much that is.
func (o *Options) narrow(res *driver.SourceResult, touched func(report.Finding) bool) (notes []string, err error) {
	known, err := o.Baseline.Read()
	if err != nil {
		return nil, err
	}
	res.Findings = slices.DeleteFunc(res.Findings, func(f report.Finding) bool { return !o.wanted(f) })
	all := len(res.Findings)
	res.Findings = slices.DeleteFunc(res.Findings, func(f report.Finding) bool { return !touched(f) })
	if old := all - len(res.Findings); old > 0 {
		notes = append(notes, fmt.Sprintf("left out %s on lines that have not changed since %s", counted(old, "finding"), o.Rev))
	}
	fresh, said, err := o.Baseline.Apply(known, res.Findings)
	if err != nil {
		return nil, err
	}
	if res.Findings = fresh; len(fresh) == 0 {
		res.Verdict = report.Clean
		if len(res.Reasons) > 0 {
			res.Verdict = report.Unknown
		}
	}
	return append(notes, said...), nil
}

// judge reads and judges the packages.
func judge(ctx context.Context, o *Options, dir string) (driver.SourceResult, error) {
	if o.Streams.ErrTTY { // somebody may wait for a minute
		o.Streams.Sayf("reading %s", strings.Join(o.Patterns, " "))
	}
	res, err := driver.JudgeSource(ctx, driver.Source{
		Dir: dir, Patterns: o.Patterns, Tests: o.Tests, BuildTags: o.Tags,
		Analyzers: analyzers.Code, Pairings: analyzers.Pairings, Quiet: quiet(), Once: analyzers.Once, Severity: analyzers.Severity,
		Cache: o.cache(), Tool: tool(),
	})
	var none *driver.NoPackages
	if errors.As(err, &none) {
		return res, exit.Failedf("%s", none.Why).WithHint("%s", none.Hint)
	}
	return res, err
}

// quiet are the rules that do not mind what happens when a program starts.
func quiet() map[string]driver.Start {
	all := map[string]driver.Start{}
	for _, rule := range analyzers.Startup {
		all[rule] = driver.BeforeOthers
	}
	for _, rule := range analyzers.Lifetime {
		all[rule] = driver.OneGoroutine
	}
	return all
}

// cache is the folder in which findings of unchanged packages are kept, "" for
// none: a machine without a place for it is no reason to fail.
func (o *Options) cache() string {
	if o.NoCache {
		return ""
	}
	dir := o.Streams.Env("XDG_CACHE_HOME")
	if !filepath.IsAbs(dir) { // the XDG specification: such a value is ignored
		var err error
		if dir, err = os.UserCacheDir(); err != nil {
			return ""
		}
	}
	return filepath.Join(dir, "ccheck", "vet")
}

// tool names this very binary: what an older one found says nothing about what
// this one finds.
func tool() string {
	name, err := os.Executable()
	if err != nil {
		return build.Read().String()
	}
	info, err := os.Stat(name)
	if err != nil {
		return build.Read().String()
	}
	return fmt.Sprint(build.Read(), name, info.Size(), info.ModTime().UnixNano())
}

// tell hands the result to the formats that were asked for, or to the full
// screen and then says the last line.
func (o *Options) tell(ctx context.Context, res driver.SourceResult, started time.Time, notes []string) error {
	out, err := display.Open(o.Streams, &display.Flags{NoTUI: !o.TUI || len(res.Findings) == 0, Theme: o.Theme}, &o.Output)
	if err != nil {
		return err
	}
	defer out.Close()
	out.Prove = func(f report.Finding) (tui.Proof, error) { return prove(ctx, res, f) }
	took := time.Since(started)
	all := &output.Recording{
		Run: report.Run{
			Tool: build.Read().String(), Probe: probe, Title: "Go source", Target: strings.Join(o.Patterns, " "), Started: started, Duration: took,
		},
		Findings: res.Findings,
		Summary:  report.Summary{Verdict: res.Verdict, Reasons: res.Reasons, Notes: notes, Line: o.line(res, took)},
	}
	if err := out.Stored(ctx, all); err != nil || !out.Full() {
		return err
	}
	_, err = fmt.Fprintln(o.Streams.Out, all.Summary.Line)
	return err
}

// line is the last line of the output, made for grep.
func (o *Options) line(res driver.SourceResult, took time.Duration) string {
	var b strings.Builder
	b.WriteString("ccheck: ")
	nothing := "nothing found"
	if o.Rev != "" || o.Baseline != (baseline.Flags{}) {
		nothing = "nothing new found"
	}
	switch {
	case len(res.Findings) > 0:
		b.WriteString(counted(len(res.Findings), "finding") + " (" + byRule(res.Findings) + ")")
	case res.Verdict == report.Clean:
		b.WriteString("clean: " + nothing)
	default:
		b.WriteString("unknown: " + nothing + ", and not all could be judged")
	}
	fmt.Fprintf(&b, " in %s, %s, %.1fs", counted(res.Packages, "package"), counted(res.Lines, "line"), took.Seconds())
	if n := len(res.Reasons); n > 0 {
		b.WriteString(", " + counted(n, "trouble"))
	}
	return b.String()
}

func byRule(findings []report.Finding) string {
	var names []string
	n := map[string]int{}
	for _, f := range findings {
		if n[f.Rule]++; n[f.Rule] == 1 {
			names = append(names, f.Rule)
		}
	}
	slices.Sort(names)
	for i, name := range names {
		names[i] = fmt.Sprintf("%s %d", name, n[name])
	}
	return strings.Join(names, ", ")
}

func counted(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

func (o *Options) status(res driver.SourceResult) error {
	v := res.Verdict
	if len(res.Reasons) > 0 {
		v = report.Unknown // what was found may be below --fail-on
	}
	return exit.Status(o.Outcome.Code(v, res.Findings))
}
