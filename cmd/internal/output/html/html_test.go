package html_test

import (
	"bytes"
	"errors"
	"io"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/ccheck/ccheck/analyzers/report"
	"github.com/ccheck/ccheck/cmd/internal/output/html"
	"github.com/ccheck/ccheck/tui/story"
	"github.com/ccheck/ccheck/tui/story/storytest"
)

func tell(t *testing.T, run report.Run, sum report.Summary, findings ...report.Finding) string {
	t.Helper()
	var out bytes.Buffer
	s := html.New(&out)
	errs := []error{s.Begin(run)}
	s.Progress(storytest.Progress())
	for _, f := range findings {
		errs = append(errs, s.Add(f))
	}
	if err := errors.Join(append(errs, s.End(sum))...); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// everything is a run with all that a page can show.
func everything() (report.Run, report.Summary, []report.Finding) {
	const second = time.Second
	sum := storytest.Summary()
	sum.Heap = &report.Heap{Language: "go", Points: []report.HeapPoint{{Name: "s1", Bytes: 10e6, Objects: 5}, {Name: "s2", At: second, Bytes: 20e6, Requests: 500, RSS: 4e7}, {Name: "s3", Bytes: 30e6}}}
	sum.Timeline = &report.Timeline{Title: "Who held the lease", To: 10 * second, Rows: []report.TimeRow{
		{Name: "worker 1", Note: "paused", Spans: []report.TimeSpan{{Kind: report.Holds, To: 4 * second}, {Kind: report.Believes, From: 4 * second, To: 6 * second}}},
		{Name: "the row", Marks: []report.TimeMark{{At: 5 * second, Text: "written by worker 1", Bad: true}}},
	}}
	source := report.Finding{
		Rule: "sqlcheckact", Severity: report.Medium, Message: "two callers redeem the same voucher", Why: "A reads\n  B reads", Where: report.Location{File: "a.go", Line: 3, Column: 2},
		Steps: []report.Step{{Text: "the check", Where: report.Location{File: "a.go", Line: 1}}},
		Fixes: []report.Fix{{Kind: report.Atomic, Title: "let the server decide", Edits: []report.Edit{{Location: report.Location{File: "a.go", Line: 3}, NewText: "x := 1"}}}},
	}
	leak := report.Finding{Rule: "heapgrowth", Severity: report.High, Message: "a map grows", Growth: &report.Growth{Verdict: report.Leak, Name: "cache", Unit: "objects", Counts: []int64{1, 4, 9}, Slope: 4, PerRequest: 0.5, Bytes: 4096, Share: 0.9, Owner: "Map pages", Paths: [][]report.Held{{{Name: "pages", Class: "Map", Owner: true, Bytes: 4096}}}}}
	return storytest.Run(), sum, []report.Finding{storytest.LostUpdate(), storytest.WriteSkew(), storytest.Unretried(), source, leak}
}

// unstyled is the page without its style and its script.
func unstyled(page string) string {
	page = regexp.MustCompile(`(?s)<(style|script)>.*?</(style|script)>`).ReplaceAllString(page, "<$1></$1>")
	return regexp.MustCompile(`sha256-.*?&#39;`).ReplaceAllString(page, "sha256-&#39;")
}

func TestGolden(t *testing.T) {
	run, sum, findings := everything()
	storytest.Golden(t, "faulty.html", unstyled(tell(t, run, sum, findings...)))
	storytest.Golden(t, "clean.html", unstyled(tell(t, report.Run{Probe: "vet"}, report.Summary{Verdict: report.Clean, Line: "ccheck: clean"})))
	storytest.Golden(t, "unknown.html", unstyled(tell(t, storytest.Run(), report.Summary{Verdict: report.Unknown, Reasons: []string{"3 overlaps"}})))
}

// Nothing is loaded: a page that asks the network for something is blank behind
// a firewall, and tells others who reads it.
func TestStandsAlone(t *testing.T) {
	run, sum, findings := everything()
	page := tell(t, run, sum, findings...)
	for _, tag := range tags(page) {
		if loads := regexp.MustCompile(`\s(src|href|style|on\w+)=|^<(link|base|img|iframe|object)`).FindString(tag); loads != "" {
			t.Errorf("%q in %s", loads, tag)
		}
	}
	if i := strings.Index(page, "url("); i >= 0 {
		t.Errorf("the style loads %q", page[i:i+20])
	}
}

// tags are all opening tags of the page: in text and in attributes the brackets
// are escaped.
func tags(page string) []string {
	return regexp.MustCompile(`<[a-z][^>]*>`).FindAllString(unstyled(page), -1)
}

// marked is a page with the text in every place that data can reach.
func marked(t *testing.T, text string) string {
	f := storytest.LostUpdate()
	f.Message, f.Claim, f.Rule, f.Why, f.Before, f.Anomaly = text, text, text, text, text, text
	f.Rows, f.Columns, f.Severity = [][]string{{text}}, []string{text}, report.Severity(text)
	f.Lanes[0].Name, f.Lanes[0].Detail, f.Steps[1].Text, f.Steps[1].Read, f.Steps[4].Deps[0].Kind = text, text, text, text, text
	f.Fixes[0].SQL, f.Fixes[0].Title, f.Repro.Command, f.Repro.Psql, f.Where.File = text, text, text, []string{text}, text
	run, sum := storytest.Run(), storytest.Summary()
	run.Target, run.Scenario = text, text
	sum.Tables[0].Title, sum.Reasons, sum.Line, sum.Final.Marks[0].Kind, sum.Final.Claims[0].Name = text, []string{text}, text, text, text
	return tell(t, run, sum, f)
}

// Whatever an application wrote into its database stays text.
func TestDataStaysData(t *testing.T) {
	shape := func(page string) []string {
		all := tags(page)
		for i := range all {
			all[i] = regexp.MustCompile(`"[^"]*"`).ReplaceAllString(all[i], `""`)
		}
		return all
	}
	want, got := shape(marked(t, "x")), shape(marked(t, `"'><script>alert(1)</script><img src=x onerror=alert(1)> {{.}} </style></title> `+"`\x00"))
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("the data made other tags (-want +got):\n%s", diff)
	}
}

// A stored report may name lanes and steps that it does not have.
func TestAnyFinding(t *testing.T) {
	odd := []report.Finding{
		{},
		{Steps: []report.Step{{Lane: -1, Text: "a"}, {Lane: 9, Text: "b", Deps: []report.Dep{{From: 7, Kind: "rw"}, {From: -1}}}}},
		{Lanes: []report.Lane{{}}, Growth: &report.Growth{Counts: []int64{-4, -2}}, Rows: [][]string{{"x"}}},
	}
	sum := report.Summary{
		Verdict: report.Faulty, Heap: &report.Heap{}, Timeline: &report.Timeline{Rows: []report.TimeRow{{}}},
		Tables: []report.Table{{Rows: [][]string{{"a"}}}},
		Final:  report.Progress{Throughput: []float64{0, 0}, Heat: [][]int64{{}, {1}}, Bands: []time.Duration{1}, Marks: []report.Mark{{Slot: 99}}},
	}
	if page := tell(t, report.Run{}, sum, odd...); !strings.Contains(page, `id="f3"`) {
		t.Error("the third finding is missing")
	}
}

// full fails once its bytes are used up.
type full struct{ room int }

func (f *full) Write(p []byte) (int, error) {
	if len(p) > f.room {
		return 0, io.ErrShortWrite
	}
	f.room -= len(p)
	return len(p), nil
}

func TestADiskThatFills(t *testing.T) {
	size := len(tell(t, report.Run{}, report.Summary{}))
	for room := 0; room < size; room += 97 {
		if err := html.New(&full{room}).End(report.Summary{}); !errors.Is(err, io.ErrShortWrite) {
			t.Errorf("%d bytes: %v", room, err)
		}
	}
}

// Whatever a time line shows has a colour and a word.
func TestEverySpanHasALook(t *testing.T) {
	css, err := os.ReadFile("page.css")
	if err != nil {
		t.Fatal(err)
	}
	for _, kind := range []report.SpanKind{report.Holds, report.Paused, report.Believes, report.Waits, report.Commits, report.Undone} {
		if !strings.Contains(string(css), ".span-"+string(kind)) || story.SpanWord(kind) == "" {
			t.Errorf("%s: no colour, or no word (%q)", kind, story.SpanWord(kind))
		}
	}
}

// A claim that is broken is not said to be so since 0 ms where that is not known.
func TestClaimWithoutAMoment(t *testing.T) {
	page := tell(t, report.Run{Probe: "explore"}, report.Summary{Verdict: report.Faulty, Final: report.Progress{Claims: []report.ClaimState{{Name: "money", State: "bad", Checks: 716, Bad: 10}}}})
	if !strings.Contains(page, "716 checks, 10 bad") || strings.Contains(page, "first at") {
		t.Error("the claim has a moment that nobody knows")
	}
}

// The race of a finding of source stands in lanes, as that of a run does.
func TestSourceInLanes(t *testing.T) {
	page := tell(t, report.Run{Probe: "vet"}, report.Summary{Verdict: report.Faulty}, report.Finding{
		Rule: "sqlcheckact", Severity: report.High, Where: report.Location{File: "a.go", Line: 3}, Message: "lost",
		Why: "A: SELECT 1\nB: SELECT 1   -- sees the same\nfix: one statement",
	})
	for _, want := range []string{`class="act lane-1"`, `class="act lane-2"`, "sees the same", "<li><p>one statement</p>"} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %s", want)
		}
	}
}
