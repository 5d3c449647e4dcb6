package text_test

import (
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"

	"github.com/ccheck/ccheck/analyzers/report"
	"github.com/ccheck/ccheck/cmd/internal/output/text"
	"github.com/ccheck/ccheck/tui/story/storytest"
)

// run tells a whole run and returns what went to either writer.
func run(t *testing.T, o text.Options, sum report.Summary, fs ...report.Finding) (out, progress string) {
	t.Helper()
	var b, p strings.Builder
	s := text.New(&b, &p, o)
	check(t, s.Begin(storytest.Run()))
	for at := range 300 {
		pr := storytest.Progress()
		pr.Elapsed = time.Duration(at) * 100 * time.Millisecond
		if at < 100 {
			pr.Violations = nil
		}
		s.Progress(pr)
	}
	for _, f := range fs {
		check(t, s.Add(f))
	}
	check(t, s.End(sum))
	return b.String(), p.String()
}

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func TestText(t *testing.T) {
	for name, o := range map[string]text.Options{
		"wide": {Width: 120}, "narrow": {Width: 60}, "plain": {Plain: true}, "ascii": {Width: 120, ASCII: true},
		"color": {Width: 120, Color: true}, "verbose": {Width: 120, Verbose: true},
	} {
		t.Run(name, func(t *testing.T) {
			out, progress := run(t, o, storytest.Summary(), storytest.Unretried(), storytest.LostUpdate(),
				storytest.WriteSkew(), storytest.Unretried())
			storytest.Golden(t, name+".out.golden", out)
			storytest.Golden(t, name+".progress.golden", progress)
			if o.Width > 0 {
				narrow(t, out, o.Width)
			}
			if strings.Contains(out, "\x1b") != o.Color {
				t.Errorf("colours with Color: %v", o.Color)
			}
			if line := storytest.Summary().Line; !strings.HasSuffix(out, "\n"+line+"\n") {
				t.Errorf("the last line is not %q", line)
			}
		})
	}
}

// narrow fails for lines wider than the terminal; the last line is as it is.
func narrow(t *testing.T, out string, width int) {
	t.Helper()
	lines := strings.Split(strings.TrimSuffix(out, "\n"), "\n")
	for _, l := range lines[:len(lines)-1] {
		if ansi.StringWidth(l) > width {
			t.Errorf("line of %d cells: %s", ansi.StringWidth(l), l)
		}
	}
}

func TestASCIIOnly(t *testing.T) {
	out, progress := run(t, text.Options{Width: 120, ASCII: true}, storytest.Summary(), storytest.LostUpdate(), storytest.WriteSkew())
	for _, r := range out + progress {
		if r > 127 {
			t.Fatalf("%q is not ASCII", r)
		}
	}
}

func TestUnknownVerdict(t *testing.T) {
	sum := report.Summary{
		Verdict: report.Unknown, Reasons: []string{"too little contention: 3 overlaps on the same rows, 50 are needed"},
		Evidence: report.Evidence{Transactions: 40, Overlaps: 3, Missing: "3 overlaps, 50 needed"},
		Line:     "ccheck: unknown in 40 calls, 0.2s, seed 7",
	}
	out, _ := run(t, text.Options{Width: 100}, sum)
	storytest.Golden(t, "unknown.out.golden", out)
	if !strings.Contains(out, "no pass") || strings.Contains(out, "code") {
		t.Error("unknown is no pass, and which exit code it has depends on why the run ended")
	}
}

func TestCleanVerdict(t *testing.T) {
	sum := report.Summary{Verdict: report.Clean, Evidence: storytest.Evidence(), Line: "ccheck: clean"}
	out, _ := run(t, text.Options{Width: 100}, sum)
	storytest.Golden(t, "clean.out.golden", out)
}

func TestQuiet(t *testing.T) {
	_, progress := run(t, text.Options{Quiet: true}, storytest.Summary())
	if progress != "" {
		t.Errorf("quiet, but said %q", progress)
	}
}

type broken struct{}

func (broken) Write([]byte) (int, error) { return 0, errors.New("no space left on device") }

func TestWriteError(t *testing.T) {
	s := text.New(broken{}, io.Discard, text.Options{})
	err := s.End(storytest.Summary())
	if err == nil || !strings.Contains(err.Error(), "writing the result: no space left on device") {
		t.Errorf("End: %v", err)
	}
}
