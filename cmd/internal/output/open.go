package output

import (
	"io"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/ccheck/ccheck/analyzers/report"
	"github.com/ccheck/ccheck/cmd/internal/exit"
	"github.com/ccheck/ccheck/cmd/internal/stdio"
	"github.com/ccheck/ccheck/cmd/internal/suggest"
)

// FileWidth is the width, in cells, of a format that is written to a file.
const FileWidth = 120

// Flags are the flags that say in which formats the result is told, and where.
type Flags struct {
	Formats []string // "text", "json:run.json" …
	JSON    bool     // short for --format json
	Output  string   // file of the format that names none
}

// Register adds the flags to fs.
func (f *Flags) Register(fs *pflag.FlagSet) {
	fs.StringArrayVar(&f.Formats, "format", nil, "format of the result, as `name[:file]`; may be repeated ("+strings.Join(Names(), ", ")+")")
	fs.BoolVar(&f.JSON, "json", false, "short for --format json")
	fs.StringVarP(&f.Output, "output", "o", "", "write the result to this `file` instead of standard output")
}

// Given reports whether a format was asked for; where none was, a command may
// show the full-screen interface.
func (f *Flags) Given() bool { return len(f.Formats) > 0 || f.JSON || f.Output != "" }

// target is one format and its file, "" for standard output.
type target struct {
	format Format
	file   string
}

// Check finds what is wrong with the flags before anything was run or started.
func (f *Flags) Check() error {
	all, err := f.targets()
	for _, t := range all {
		if why := unwritable(t.file); err == nil && why != nil {
			err = cannotWrite(t.file, why)
		}
	}
	return err
}

func cannotWrite(path string, why error) error {
	return exit.Failedf("cannot write %s: %w", path, reason(why)).
		WithHint("check that the folder exists and can be written, or choose another file")
}

// targets resolves the flags. At most one format goes to standard output:
// two documents in one stream can be read by nobody, unless one of them shares.
func (f *Flags) targets() ([]target, error) {
	specs := slices.Clone(f.Formats)
	if f.JSON {
		specs = append(specs, "json")
	}
	if len(specs) == 0 {
		specs = []string{All[0].Name}
	}
	var all []target
	for _, spec := range specs {
		t, err := parse(spec)
		if err != nil {
			return nil, err
		}
		all = append(all, t)
	}
	return all, f.place(all)
}

// place gives the file of --output to the format without one and refuses two
// formats in one place.
func (f *Flags) place(all []target) error {
	used := map[string]string{}
	placed := f.Output == ""
	for i := range all {
		t := &all[i]
		if t.file == "" && f.Output != "" {
			t.file, placed = f.Output, true
		}
		if other, taken := used[t.file]; taken && !share(other, t) {
			return exit.Usagef("formats %s and %s both go to %s", other, t.format.Name, where(t.file)).
				WithHint("give one of them a file: --format %s:FILE", t.format.Name)
		}
		used[t.file] = t.format.Name
	}
	if !placed {
		return exit.Usagef("--output %s has no format to hold: every --format names a file of its own", f.Output).
			WithHint("leave --output out, or add --format text")
	}
	return nil
}

// share reports whether the format may go to standard output behind the other.
func share(other string, t *target) bool {
	first, _ := Lookup(other)
	return t.file == "" && first.Shares && t.format.Shares && first.Name != t.format.Name
}

func where(file string) string {
	if file == "" {
		return "standard output"
	}
	return file
}

func parse(spec string) (target, error) {
	name, file, hasFile := strings.Cut(spec, ":")
	format, ok := Lookup(name)
	if !ok {
		return target{}, unknown(name)
	}
	if hasFile && file == "" {
		return target{}, exit.Usagef("--format %s names no file after the colon", spec).
			WithHint("use --format %s for standard output or --format %s:FILE", name, name)
	}
	return target{format, file}, nil
}

func unknown(name string) error {
	err := exit.Usagef("unknown format %q", name)
	if near := suggest.Nearest(name, Names()); near != "" {
		return err.WithHint("did you mean %q?", near)
	}
	return err.WithHint("known formats: %s", strings.Join(Names(), ", "))
}

// Output is a report.Sink for all formats that were asked for. Close must be
// called whatever happens: it removes the beginnings of files that were never
// ended.
type Output struct {
	report.Sink
	files []*file
}

// Open opens every format. Files are created at once, so that a place that
// cannot be written is known before the run and not after it. A screen, when
// one is given, is shown in the place of the format that would go to standard
// output.
func (f *Flags) Open(s *stdio.Streams, screen ...report.Sink) (*Output, error) {
	targets, err := f.targets()
	if err != nil {
		return nil, err
	}
	if !f.Given() && s.Env("GITHUB_ACTIONS") == "true" {
		github, _ := Lookup("github")
		targets = append(targets, target{format: github})
	}
	out := &Output{}
	sinks := slices.Clone(screen)
	for _, t := range targets {
		if t.file == "" && len(screen) > 0 {
			continue
		}
		sink, err := out.open(t, s)
		if err != nil {
			out.Close()
			return nil, err
		}
		sinks = append(sinks, sink)
	}
	out.Sink = Multi(sinks...)
	return out, nil
}

func (o *Output) open(t target, s *stdio.Streams) (report.Sink, error) {
	if t.file == "" {
		return t.format.New(s.Out, OptionsOf(s)), nil
	}
	f, err := create(t.file, t.format.Stream)
	if err != nil {
		return nil, cannotWrite(t.file, err)
	}
	o.files = append(o.files, f)
	sink := t.format.New(f, Options{Progress: io.Discard, Width: FileWidth, Plain: s.Plain, ASCII: s.ASCII, Verbose: s.Verbose, StepSummary: stepSummary(s)})
	return ending{sink, f}, nil
}

// OptionsOf are the options of a format that is shown on s.
func OptionsOf(s *stdio.Streams) Options {
	return Options{
		Progress: s.Err, Width: s.Width(), Color: s.Color, ASCII: s.ASCII,
		Plain: s.Plain, Quiet: s.Quiet, Verbose: s.Verbose, StepSummary: stepSummary(s),
	}
}

func stepSummary(s *stdio.Streams) string { return s.Env("GITHUB_STEP_SUMMARY") }

// Close gives up files that were not ended.
func (o *Output) Close() {
	for _, f := range o.files {
		f.abort()
	}
}

// ending puts the file in its place when the sink has ended.
type ending struct {
	report.Sink
	file *file
}

func (e ending) End(sum report.Summary) error {
	if err := e.Sink.End(sum); err != nil {
		return exit.Failedf("cannot write %s: %w", e.file.path, reason(err)).WithHint("free some space, or choose another file")
	}
	if err := e.file.commit(); err != nil {
		return exit.Failedf("cannot write %s: %w", e.file.path, reason(err)).WithHint("free some space, or choose another file")
	}
	return nil
}
