package github

import (
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/ccheck/ccheck/analyzers/report"
	"github.com/ccheck/ccheck/tui/story"
)

// What GitHub shows: annotations of one level in a step, and bytes of a summary
// page, of which some are left for what another step of the job writes to it.
const (
	shown   = 10
	maxPage = 1<<20 - 4<<10
)

// New returns a sink that writes workflow commands to out when the run ends, and
// adds a page to the file summary, "" for none.
func New(out io.Writer, summary string) report.Sink { return &sink{out: out, summary: summary} }

type sink struct {
	out      io.Writer
	summary  string
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
	slices.SortStableFunc(s.findings, func(a, b report.Finding) int { return b.Severity.Rank() - a.Severity.Rank() })
	_, err := io.WriteString(s.out, s.commands(sum))
	if err != nil {
		err = fmt.Errorf("writing the annotations: %w", err)
	}
	return errors.Join(err, s.page(sum))
}

// levels are those of GitHub, the gravest first.
var levels = []string{"error", "warning", "notice"}

func level(s report.Severity) string { return levels[min(2, 3-max(1, s.Rank()))] }

// commands are the annotations. Where a level has more than are shown, the last
// one says how many.
func (s *sink) commands(sum report.Summary) string {
	var b strings.Builder
	for _, l := range levels {
		room := shown
		if l == "error" && sum.Verdict == report.Unknown {
			room--
			b.WriteString(command(l, report.Location{}, "ccheck: unknown", strings.Join(sum.Reasons, "\n")))
		}
		findings := s.of(l)
		more := 0
		if len(findings) > room {
			more = len(findings) - (room - 1)
			findings = findings[:room-1]
		}
		for _, f := range findings {
			b.WriteString(command(l, f.Where, "ccheck: "+story.Name(f), message(f)))
		}
		if more > 0 {
			b.WriteString(command(l, report.Location{}, "ccheck", fmt.Sprintf("and %d more; the log and the summary of the step have them", more)))
		}
	}
	return b.String()
}

func (s *sink) of(l string) []report.Finding {
	var all []report.Finding
	for _, f := range s.findings {
		if level(f.Severity) == l {
			all = append(all, f)
		}
	}
	return all
}

// message is what the annotation says: short, since GitHub folds long ones.
func message(f report.Finding) string {
	parts := []string{f.Message}
	if f.Why != "" {
		parts = append(parts, f.Why)
	}
	if len(f.Fixes) > 0 {
		parts = append(parts, strings.TrimRight("Fix: "+f.Fixes[0].Title+"\n"+f.Fixes[0].SQL, "\n"))
	}
	if f.Rule != "" {
		parts = append(parts, "More: ccheck explain "+f.Rule)
	}
	return strings.Join(parts, "\n")
}

// command is one workflow command, see "Workflow commands for GitHub Actions" in
// GitHub's documentation. A line break or a separator in the data would begin
// another command, so all are escaped.
func command(level string, at report.Location, title, message string) string {
	var props []string
	add := func(key, value string) { props = append(props, key+"="+property(value)) }
	number := func(key string, n int) {
		if n > 0 && at.File != "" {
			add(key, strconv.Itoa(n))
		}
	}
	if at.File != "" {
		add("file", at.File)
	}
	number("line", at.Line)
	number("endLine", at.EndLine)
	if at.EndLine <= at.Line { // columns over several lines are refused
		number("col", at.Column)
		number("endColumn", at.EndColumn)
	}
	add("title", title)
	return "::" + level + " " + strings.Join(props, ",") + "::" + data(message) + "\n"
}

func data(s string) string {
	return strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A").Replace(visible(s))
}

func property(s string) string {
	return strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C").Replace(visible(s))
}

// visible makes control characters and broken UTF-8 visible, and leaves breaks.
func visible(s string) string {
	lines := strings.Split(s, "\n")
	for i := range lines {
		lines[i] = story.Clean(lines[i])
	}
	return strings.Join(lines, "\n")
}

// page adds the findings to the summary of the step.
func (s *sink) page(sum report.Summary) error {
	if s.summary == "" {
		return nil
	}
	f, err := os.OpenFile(s.summary, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return fmt.Errorf("opening the step summary: %w", err)
	}
	_, err = io.WriteString(f, s.markdown(sum))
	if err = errors.Join(err, f.Close()); err != nil {
		return fmt.Errorf("writing the step summary: %w", err)
	}
	return nil
}

func (s *sink) markdown(sum report.Summary) string {
	page := story.MarkdownRun(s.run, sum, len(s.findings))
	for i, f := range s.findings {
		next := "\n" + story.Markdown(f)
		if len(page)+len(next) > maxPage {
			return page + fmt.Sprintf("\n%d more findings do not fit into this page; `--format html:FILE` has all of them.\n", len(s.findings)-i)
		}
		page += next
	}
	return page
}
