package tui

import (
	"fmt"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/ccheck/ccheck/analyzers/report"
	"github.com/ccheck/ccheck/tui/screen"
	"github.com/ccheck/ccheck/tui/story/storytest"
)

// pages is a cache by address that is never emptied.
var pages = report.Growth{
	Verdict: report.Leak, Confidence: "high", Name: "RenderedPage", Unit: "objects", Counts: []int64{1000, 2000, 3000, 4000, 5000, 6000, 7000},
	Slope: 1000, PerMinute: 1000, Bytes: 2_900_000, Each: 416, Share: 0.61, Kind: "unbounded map", Owner: "Map hits in the scope of memoised() (memo.js:9)",
	Paths: [][]report.Held{
		{
			{Name: "render", Class: "closure memoised()", Where: "/app/memo.js:9", Bytes: 2_801_000},
			{Name: "hits", Class: "Map", Bytes: 2_800_000, Owner: true},
			{Name: "[entry]", Class: "RenderedPage", Bytes: 416},
		},
		{{Name: "recent", Class: "Array", Bytes: 900}, {Name: "[7]", Class: "RenderedPage", Bytes: 416}},
	},
	With: []string{"(string)", "Date"},
	Why:  "1000 more in each of the last 3 snapshots; 5000 of 7000 are newer than the second snapshot, and none of those of the last half went away",
}

// heapRun is a model of a heap that was judged.
func heapRun(w, h int, o Options) *model {
	m := newModel(o)
	feed(m, tea.WindowSizeMsg{Width: w, Height: h}, runMsg(report.Run{Probe: "heap", Scenario: "watch", Target: "pid 4121", Server: "Node v20.20.2"}))
	heap := &report.Heap{
		Language: "v8", Folded: 31, PerMinute: 5.6e6, Limit: 4_345_298_944, LimitName: "the heap limit of V8", Full: 11*time.Hour + 30*time.Minute,
		Growths: []report.Growth{
			pages,
			{Verdict: report.Leak, Name: "Upload", Unit: "objects", Counts: []int64{1000, 2000, 3000, 4000, 5000, 6000, 7000}, Slope: 1000, Bytes: 1_700_000, Share: 0.36,
				Kind: "listener never removed", Owner: "Array shutdown of Object _events of EventEmitter bus"},
			{Verdict: report.Growing, Name: "Draft", Unit: "objects", Counts: []int64{10, 500, 900, 1200, 1400, 1500, 1560}, Slope: 120,
				Why: "it grows by less and less, as a cache that fills does"},
			{Verdict: report.Bounded, Name: "Quote", Unit: "objects", Counts: []int64{1000, 2000, 3000, 4000, 4000, 4000, 4000}, Why: "4000 since snapshot 4 of 7"},
		},
	}
	for i := range 7 {
		heap.Points = append(heap.Points, report.HeapPoint{
			Name: fmt.Sprintf("s%d", i), At: time.Duration(i) * time.Minute, Bytes: 178_000_000 + int64(i)*5_600_000, Objects: 4_000_000, PauseP99: 92 * time.Millisecond,
		})
	}
	fix := report.Fix{Kind: report.Bound, Title: "Give it a bound", Note: "an LRU with a size or a time to live"}
	for i := range heap.Growths[:2] {
		feed(m, findingMsg(report.Finding{
			Rule: "heapgrowth", Anomaly: "leak", Severity: report.High, Message: "1000 more " + heap.Growths[i].Name + " in each snapshot", Growth: &heap.Growths[i],
			Fixes: []report.Fix{fix}, Repro: report.Repro{Command: "ccheck heap watch 4121"},
		}))
	}
	feed(m, endMsg(report.Summary{Verdict: report.Faulty, Heap: heap, Line: "ccheck: 2 leak"}))
	m.flash = ""
	return m
}

func TestHeapScreens(t *testing.T) {
	views := map[string]string{"list": "", "trend": "t", "bounded": "j j j", "faults": "z", "story": "enter", "result": "4"}
	for name, pressed := range views {
		for _, size := range [][2]int{{120, 40}, {80, 24}, {50, 20}, {40, 12}} {
			t.Run(fmt.Sprintf("%s/%dx%d", name, size[0], size[1]), func(t *testing.T) {
				m := heapRun(size[0], size[1], Options{})
				keys(m, pressed)
				fits(t, m)
				storytest.Golden(t, fmt.Sprintf("heap.%s.%dx%d.golden", name, size[0], size[1]), plain(m))
			})
		}
	}
}

// TestHeapFocus copies the command of the selected leak, and of no other line.
func TestHeapFocus(t *testing.T) {
	m := heapRun(120, 40, Options{})
	keys(m, "j")
	if i, ok := m.screen().(screen.Focuser).Focus(m.data()); !ok || i != 1 {
		t.Errorf("the second leak has the finding %d, %v", i, ok)
	}
	keys(m, "j")
	if _, ok := m.screen().(screen.Focuser).Focus(m.data()); ok {
		t.Error("what is no leak has a finding")
	}
	keys(m, "enter")
	if m.screen().Name() != screen.Heap {
		t.Error("enter leaves the screen where there is nothing to open")
	}
}

func TestHeapASCII(t *testing.T) {
	m := heapRun(120, 40, Options{ASCII: true})
	for _, pressed := range []string{"", "t", "j", "enter"} {
		keys(m, pressed)
		for _, r := range plain(m) {
			if r > 127 {
				t.Fatalf("%q draws %q, which is not ASCII:\n%s", pressed, r, plain(m))
			}
		}
	}
}

// TestHeapLive is the screen before anything was judged, and an empty heap.
func TestHeapLive(t *testing.T) {
	m := newModel(Options{Stop: func() {}})
	feed(m, tea.WindowSizeMsg{Width: 80, Height: 24}, runMsg(report.Run{Probe: "heap"}), progressMsg(report.Progress{Phase: "snapshot 3 of 6: 8.65 MB in 133532 objects"}))
	fits(t, m)
	if !strings.Contains(plain(m), "Snapshot 3 of 6") {
		t.Errorf("it does not say where it is:\n%s", plain(m))
	}
	feed(m, endMsg(report.Summary{Verdict: report.Unknown, Heap: &report.Heap{Points: []report.HeapPoint{{Name: "s0"}}}}))
	fits(t, m)
}
