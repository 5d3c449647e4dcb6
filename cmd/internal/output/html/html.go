package html

import (
	"crypto/sha256"
	_ "embed" // for the page, its style and its script
	"encoding/base64"
	"fmt"
	"html/template"
	"io"

	"github.com/ccheck/ccheck/analyzers/report"
)

var (
	//go:embed page.gohtml
	pageText string
	//go:embed page.css
	styleText string
	//go:embed page.js
	scriptText string
)

// New returns a sink that writes the page to out when the run ends.
func New(out io.Writer) report.Sink { return &sink{out: out} }

type sink struct {
	out      io.Writer
	run      report.Run
	findings []report.Finding
}

func (s *sink) Begin(r report.Run) error {
	s.run = r
	return nil
}

func (*sink) Progress(report.Progress) {}

func (s *sink) Add(f report.Finding) error {
	s.findings = append(s.findings, f)
	return nil
}

func (s *sink) End(sum report.Summary) error {
	t, err := template.New("page").Parse(pageText)
	if err != nil {
		return fmt.Errorf("reading the template of the page: %w", err)
	}
	p := newPage(s.run, sum, s.findings)
	// The two are of this package and hold nothing of the run.
	p.Style, p.Script = template.CSS(styleText), template.JS(scriptText)
	p.Policy = "default-src 'none'; base-uri 'none'; form-action 'none'; style-src " + source(styleText) + "; script-src " + source(scriptText)
	if err := t.Execute(s.out, p); err != nil {
		return fmt.Errorf("writing the HTML page: %w", err)
	}
	return nil
}

// source is a hash source of a content security policy (W3C CSP3, section 2.3.1).
func source(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}
