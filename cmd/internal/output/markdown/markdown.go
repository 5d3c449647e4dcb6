// Package markdown is the sink for an issue, a pull request or a chat: the
// verdict and how hard the run tried, then each finding with its lanes as a
// table and its mends as SQL blocks. The words and the layout are those of
// tui/story.
package markdown

import (
	"fmt"
	"io"

	"github.com/ccheck/ccheck/analyzers/report"
	"github.com/ccheck/ccheck/tui/story"
)

// Doc describes the format.
const Doc = `markdown: the findings for an issue or a pull request, lanes as tables

GitHub Flavored Markdown: the verdict and what was counted, then each finding
whole, with its lanes as a table, its mends as SQL blocks and the command that
shows it again. Values and statements are escaped, so that nothing in the data
can change the page.

    ccheck show --format markdown | gh issue create --title "Lost update" --body-file -
`

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
	page := story.MarkdownRun(s.run, sum, len(s.findings))
	for _, f := range s.findings {
		page += "\n" + story.Markdown(f)
	}
	if _, err := io.WriteString(s.out, page); err != nil {
		return fmt.Errorf("writing the Markdown page: %w", err)
	}
	return nil
}
