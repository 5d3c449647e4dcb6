// Package output is the registry of the formats in which ccheck tells a result,
// and what opens them for a command: one sink for each --format, one report.Sink
// for all of them together. It knows no run and no judge.
package output

import (
	"errors"
	"io"
	"slices"
	"strings"

	"github.com/ccheck/ccheck/analyzers"
	"github.com/ccheck/ccheck/analyzers/report"
	"github.com/ccheck/ccheck/cmd/internal/output/github"
	"github.com/ccheck/ccheck/cmd/internal/output/html"
	"github.com/ccheck/ccheck/cmd/internal/output/json"
	"github.com/ccheck/ccheck/cmd/internal/output/junit"
	"github.com/ccheck/ccheck/cmd/internal/output/markdown"
	"github.com/ccheck/ccheck/cmd/internal/output/sarif"
	"github.com/ccheck/ccheck/cmd/internal/output/text"
)

// Format is one way to tell a result. A format is one folder below this one and
// one line in All.
type Format struct {
	Name string // what --format takes
	Doc  string // first line: name: what it is; then what it is for
	Ext  string // how the name of a file of it ends, without the dot
	// Stream says that the output is written while the run goes on, so that a
	// file of it is of use before the end and after a crash.
	Stream bool
	// Shares says that it may go to standard output together with another format
	// that shares: no program reads the whole of it as one document.
	Shares bool
	New    func(out io.Writer, opts Options) report.Sink
}

// Options is what a format may want to know about where it is shown. A format
// in a file gets no Progress, no colour and a fixed width.
type Options struct {
	Progress io.Writer // for people, while the run goes on; may be io.Discard
	Width    int       // in cells
	Color    bool
	ASCII    bool
	Plain    bool
	Quiet    bool
	Verbose  bool
	// StepSummary is the file that a build server offers for a page on this step,
	// "" where there is none.
	StepSummary string
}

// All are the formats, in the order in which they are listed. The first is used
// where none is asked for.
var All = []Format{
	{Name: "text", Doc: text.Doc, Ext: "txt", Shares: true, New: func(out io.Writer, o Options) report.Sink { return text.New(out, o.Progress, o.text()) }},
	{Name: "markdown", Doc: markdown.Doc, Ext: "md", New: func(out io.Writer, _ Options) report.Sink { return markdown.New(out) }},
	{Name: "json", Doc: json.Doc, Ext: "json", New: func(out io.Writer, _ Options) report.Sink { return json.New(out) }},
	{Name: "sarif", Doc: sarif.Doc, Ext: "sarif", New: func(out io.Writer, _ Options) report.Sink { return sarif.New(out, rules()) }},
	{Name: "junit", Doc: junit.Doc, Ext: "xml", New: func(out io.Writer, _ Options) report.Sink { return junit.New(out) }},
	{Name: "html", Doc: html.Doc, Ext: "html", New: func(out io.Writer, _ Options) report.Sink { return html.New(out) }},
	{Name: "github", Doc: github.Doc, Ext: "github", Shares: true, New: func(out io.Writer, o Options) report.Sink { return github.New(out, o.StepSummary) }},
	{Name: "jsonl", Doc: json.LinesDoc, Ext: "jsonl", Stream: true, New: func(out io.Writer, _ Options) report.Sink { return json.NewLines(out) }},
}

func (o Options) text() text.Options {
	return text.Options{Width: o.Width, Color: o.Color, ASCII: o.ASCII, Plain: o.Plain, Quiet: o.Quiet, Verbose: o.Verbose}
}

// rules are all judges with the pages that explain them.
func rules() []sarif.Rule {
	var all []sarif.Rule
	add := func(name, doc string) {
		first, rest, _ := strings.Cut(strings.TrimSpace(doc), "\n")
		all = append(all, sarif.Rule{Name: name, Summary: strings.TrimSpace(strings.TrimPrefix(first, name+":")), Doc: strings.TrimSpace(rest)})
	}
	for _, a := range analyzers.Code {
		add(a.Name, a.Doc)
	}
	for _, c := range slices.Concat(analyzers.History, analyzers.Series) {
		add(c.Name, c.Doc)
	}
	return all
}

// Names returns the names of All.
func Names() []string {
	names := make([]string, len(All))
	for i, f := range All {
		names[i] = f.Name
	}
	return names
}

// Lookup returns the format of that name.
func Lookup(name string) (Format, bool) {
	i := slices.IndexFunc(All, func(f Format) bool { return f.Name == name })
	if i < 0 {
		return Format{}, false
	}
	return All[i], true
}

// Multi returns a sink that passes everything to each of sinks. A sink that
// fails does not keep the others from their end.
func Multi(sinks ...report.Sink) report.Sink { return multi(sinks) }

type multi []report.Sink

func (m multi) Begin(r report.Run) error {
	return m.each(func(s report.Sink) error { return s.Begin(r) })
}

func (m multi) Progress(p report.Progress) {
	for _, s := range m {
		s.Progress(p)
	}
}

func (m multi) Add(f report.Finding) error {
	return m.each(func(s report.Sink) error { return s.Add(f) })
}

func (m multi) End(sum report.Summary) error {
	return m.each(func(s report.Sink) error { return s.End(sum) })
}

func (m multi) each(do func(report.Sink) error) error {
	var errs []error
	for _, s := range m {
		errs = append(errs, do(s))
	}
	return errors.Join(errs...)
}
