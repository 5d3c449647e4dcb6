// Package text is the sink for people: while a run goes on it writes a line now
// and then, and when it has ended each finding as two lanes with values, the
// mends as SQL, what was counted and the verdict in words.
//
// It is the line mode of ccheck: whole lines, no cursor movement, nothing that
// blinks, so that it reads well in a pipe, in a build log and aloud. The
// layout is that of tui/story, so that the same race looks the same here and
// on the screen.
package text

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/ccheck/ccheck/analyzers/report"
	"github.com/ccheck/ccheck/tui/story"
)

// Doc describes the format.
const Doc = `text: for people: the findings as lanes, the counts, the verdict in words

While the run goes on, lines that begin with PROGRESS or VIOLATION go to
standard error, at most one every ten seconds or ten per cent. The result goes
to standard output. With --plain every line is one fact with a leading word,
without glyphs and without wrapping. The last line begins with "ccheck:" and is
made for grep.`

// Options is how to talk.
type Options struct {
	Width   int  // cells; 0 means 100
	Color   bool // ANSI colours on the result
	ASCII   bool // no glyph outside ASCII
	Plain   bool // one fact a line with a leading word
	Quiet   bool // nothing while the run goes on
	Verbose bool // every finding whole, every row, the psql scripts
}

const (
	whole = 3                // findings that are told whole unless Verbose
	every = 10 * time.Second // the least time between two progress lines
)

// New returns a sink that writes the result to out and the progress to progress.
func New(out, progress io.Writer, o Options) *Sink {
	if o.Quiet {
		progress = io.Discard
	}
	return &Sink{
		out: out, progress: progress, color: o.Color && !o.Plain, verbose: o.Verbose, told: map[string]bool{},
		layout: story.Options{Width: o.Width, ASCII: o.ASCII, Plain: o.Plain, Verbose: o.Verbose},
	}
}

// Sink is a report.Sink.
type Sink struct {
	out, progress io.Writer
	color         bool
	verbose       bool
	layout        story.Options

	run      report.Run
	findings []report.Finding
	started  bool // the first progress was told; a stored run has none
	phase    string
	last     time.Duration   // Elapsed of the last progress line
	told     map[string]bool // claims of which a violation was told
}

// Begin implements report.Sink.
func (s *Sink) Begin(r report.Run) error {
	s.run = r
	return nil
}

// plainTitle is the run in one line without the leading word.
func plainTitle(r report.Run, o story.Options) string {
	o.Plain = true
	return strings.TrimPrefix(join(story.Title(r, o)), "RUN ")
}

// Progress implements report.Sink.
func (s *Sink) Progress(p report.Progress) {
	if !s.started {
		s.started = true
		fmt.Fprintf(s.progress, "PROGRESS started: %s\n", plainTitle(s.run, s.layout))
	}
	for _, v := range p.Violations {
		if !s.told[v.Claim] {
			s.told[v.Claim] = true
			fmt.Fprintf(s.progress, "VIOLATION %s\n", story.Broken(v, s.layout))
		}
	}
	if p.Phase == s.phase && p.Elapsed < s.last+max(every, p.Total/10) {
		return
	}
	s.phase, s.last = p.Phase, p.Elapsed
	fmt.Fprintf(s.progress, "PROGRESS %s\n", story.State(p, s.layout))
}

// Add implements report.Sink.
func (s *Sink) Add(f report.Finding) error {
	s.findings = append(s.findings, f)
	return nil
}

// End implements report.Sink.
func (s *Sink) End(sum report.Summary) error {
	if s.run.Probe == vet {
		return s.source(sum)
	}
	var b strings.Builder
	s.write(&b, story.Title(s.run, s.layout))
	s.gap(&b)
	if many(sum) && !s.verbose {
		s.brief(&b, s.findings)
	} else {
		s.writeFindings(&b)
	}
	s.write(&b, story.Result(sum, len(s.findings), s.layout))
	if sum.Line != "" {
		s.gap(&b)
		b.WriteString(sum.Line + "\n")
	}
	if _, err := io.WriteString(s.out, b.String()); err != nil {
		return fmt.Errorf("writing the result: %w", err)
	}
	return nil
}

// many reports whether the summary is that of many runs: a table, and no counts
// of its own. The table is what was asked for, and any run can be made alone.
func many(sum report.Summary) bool { return len(sum.Tables) > 0 && sum.Final.Elapsed == 0 }

// writeFindings tells the gravest findings whole and the others in a line each.
func (s *Sink) writeFindings(b *strings.Builder) {
	fs := slices.Clone(s.findings)
	slices.SortStableFunc(fs, func(a, b report.Finding) int { return b.Severity.Rank() - a.Severity.Rank() })
	n := len(fs)
	if !s.verbose {
		n = min(n, whole)
	}
	for _, f := range fs[:n] {
		s.write(b, story.Tell(f, s.layout))
		s.gap(b)
	}
	s.brief(b, fs[n:])
}

// brief says a line for each finding.
func (s *Sink) brief(b *strings.Builder, fs []report.Finding) {
	if len(fs) == 0 {
		return
	}
	for _, f := range fs {
		s.write(b, []story.Line{story.Brief(f, s.layout)})
	}
	if !s.layout.Plain {
		b.WriteString("  -v tells these whole.\n")
	}
	s.gap(b)
}

// gap is an empty line; plain mode has none, since an empty line is no fact.
func (s *Sink) gap(b *strings.Builder) {
	if !s.layout.Plain {
		b.WriteByte('\n')
	}
}

func (s *Sink) write(b *strings.Builder, lines []story.Line) {
	for _, l := range lines {
		if s.color {
			b.WriteString(colored(l))
		} else {
			b.WriteString(l.String())
		}
		b.WriteByte('\n')
	}
}

func join(lines []story.Line) string {
	var said []string
	for _, l := range lines {
		said = append(said, l.String())
	}
	return strings.Join(said, " ")
}
