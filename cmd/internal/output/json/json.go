package json

import (
	stdjson "encoding/json"
	"fmt"
	"io"

	"github.com/ccheck/ccheck/analyzers/report"
)

// Schema is the first key of every document and every event.
const Schema = "ccheck/1"

// Document is a whole run.
type Document struct {
	Schema   string           `json:"schema"`
	Run      report.Run       `json:"run"`
	Findings []report.Finding `json:"findings"`
	Summary  report.Summary   `json:"summary"`
}

// Event is one line of the stream; exactly one of the pointers is set.
type Event struct {
	Schema   string           `json:"schema"`
	Event    string           `json:"event"`
	Run      *report.Run      `json:"run,omitempty"`
	Progress *report.Progress `json:"progress,omitempty"`
	Finding  *report.Finding  `json:"finding,omitempty"`
	Summary  *report.Summary  `json:"summary,omitempty"`
}

// New returns a sink that writes one Document to out when the run ends.
func New(out io.Writer) report.Sink {
	return &document{out: out, doc: Document{Schema: Schema, Findings: []report.Finding{}}}
}

type document struct {
	out io.Writer
	doc Document
}

func (d *document) Begin(r report.Run) error {
	d.doc.Run = r
	return nil
}

func (*document) Progress(report.Progress) {}

func (d *document) Add(f report.Finding) error {
	d.doc.Findings = append(d.doc.Findings, f)
	return nil
}

func (d *document) End(s report.Summary) error {
	d.doc.Summary = s
	enc := encoder(d.out)
	enc.SetIndent("", "  ")
	if err := enc.Encode(d.doc); err != nil {
		return fmt.Errorf("writing the JSON document: %w", err)
	}
	return nil
}

// NewLines returns a sink that writes one Event per line to out.
func NewLines(out io.Writer) report.Sink { return &lines{enc: encoder(out)} }

type lines struct {
	enc *stdjson.Encoder
	err error // of a Progress, which cannot return it
}

func (l *lines) Begin(r report.Run) error { return l.write(Event{Event: "begin", Run: &r}) }

func (l *lines) Progress(p report.Progress) {
	if l.err == nil {
		l.err = l.write(Event{Event: "progress", Progress: &p})
	}
}

func (l *lines) Add(f report.Finding) error { return l.write(Event{Event: "finding", Finding: &f}) }

func (l *lines) End(s report.Summary) error { return l.write(Event{Event: "end", Summary: &s}) }

func (l *lines) write(e Event) error {
	if l.err != nil {
		return l.err
	}
	e.Schema = Schema
	if err := l.enc.Encode(e); err != nil {
		return fmt.Errorf("writing a JSON line: %w", err)
	}
	return nil
}

// encoder leaves <, > and & as they are: SQL is full of them, and nobody pastes
// the output into HTML unescaped.
func encoder(out io.Writer) *stdjson.Encoder {
	enc := stdjson.NewEncoder(out)
	enc.SetEscapeHTML(false)
	return enc
}
