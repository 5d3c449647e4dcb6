package markdown_test

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/ccheck/ccheck/analyzers/report"
	"github.com/ccheck/ccheck/cmd/internal/output/markdown"
	"github.com/ccheck/ccheck/tui/story/storytest"
)

func tell(t *testing.T, sum report.Summary, findings ...report.Finding) string {
	t.Helper()
	var out bytes.Buffer
	s := markdown.New(&out)
	errs := []error{s.Begin(storytest.Run())}
	s.Progress(storytest.Progress())
	for _, f := range findings {
		errs = append(errs, s.Add(f))
	}
	if err := errors.Join(append(errs, s.End(sum))...); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func TestMarkdown(t *testing.T) {
	storytest.Golden(t, "faulty.md", tell(t, storytest.Summary(), storytest.LostUpdate(), storytest.Unretried()))
	unknown := report.Summary{Verdict: report.Unknown, Reasons: []string{"too little contention: 3 overlaps | 100 are needed"}}
	storytest.Golden(t, "unknown.md", tell(t, unknown))
}

// A leak is a table: what grows, how fast and by whom it is held.
func TestLeak(t *testing.T) {
	storytest.Golden(t, "leak.md", tell(t, report.Summary{Verdict: report.Faulty}, storytest.Leak()))
}

// Nothing in the data can change the page.
func TestDataStaysData(t *testing.T) {
	f := storytest.LostUpdate()
	f.Message = "a | b <img src=x> `c` *d* [e](http://f)\n# g"
	page := tell(t, report.Summary{Verdict: report.Faulty, Notes: []string{f.Message}}, f)
	for _, bad := range []string{"<img", "*d*", " [e](", "\n# g"} {
		if strings.Contains(page, bad) {
			t.Errorf("%q is in the page:\n%s", bad, page)
		}
	}
}

type full struct{}

var errFull = errors.New("no space left on device")

func (full) Write([]byte) (int, error) { return 0, errFull }

func TestWriteError(t *testing.T) {
	if err := markdown.New(full{}).End(report.Summary{}); !errors.Is(err, errFull) {
		t.Errorf("error %v", err)
	}
}
