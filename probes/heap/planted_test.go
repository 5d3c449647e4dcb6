package heap_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/ccheck/ccheck/analyzers/history/heapgrowth"
	"github.com/ccheck/ccheck/analyzers/report"
)

// plant is a case of testdata: what leaks must be called a leak of that kind, at that
// owner or function, and its fixed twin must not.
type plant struct {
	name  string
	class string // name of the growth, or two; "" for a program that must be passed
	kind  string
	owner string // in the owner, or in the first call that allocates
}

// planted are the programs that run. In those of Node several cases are at work, so
// that each must be told from the others, and so that fewer snapshots must be taken.
var planted = []struct {
	language string
	cases    []plant
}{
	{"node", []plant{
		{"leak-map", "RenderedPage", "unbounded map", "Map pages in the scope of"},
		{"leak-listener", "closure", "listener never removed", "_events of EventEmitter bus"},
		{"leak-array", "AuditRow", "array that only grows", "Array auditLog of global"},
		{"leak-abort", "Listener", "listener on an AbortSignal that outlives the request", "AbortController shutdown"},
	}},
	{"node", []plant{
		{"leak-stream", "Readable", "stream or socket never closed", "Set active in the scope of"},
		{"leak-timer", "Timeout", "timer never cleared", "TimersList"},
		{"leak-promise", "closure", "promise that never settles", "Promise never in the scope of"},
		{"leak-strings", "(concatenated string)", "unbounded map", "Object lines in the scope of"},
	}},
	{"node", []plant{
		{"leak-buffer", "Buffer", "array that only grows", "Array kept in the scope of"},
		{"leak-nested", "Visit", "unbounded map", "Map byUser in the scope of"},
		{"leak-closure", "closure revert()", "array that only grows", "Array undo in the scope of"},
		{"leak-chain", "Object {previous}", "list that only grows", "the variable head"},
	}},
	{"node", []plant{
		{"leak-labels", "Series", "unbounded map", "Object hashMap of Counter requests"},
		{"leak-delete", "Session", "unbounded map", "Map sessions in the scope of"},
		{"leak-wrong-bound", "Row", "array that only grows", "Array rows in the scope of"},
		{"leak-port", "MessagePort", "stream or socket never closed", ""},
	}},
	{"node", []plant{
		{"leak-close", "Client", "", "Set clients in the scope of"},
		{"leak-late-bound", "Quote", "unbounded map", "Map entries of Cache quotes"},
		{"leak-switch", "Page", "unbounded map", "Map pages of Cache cache"},
	}},
	{"node", []plant{
		{"leak-flag", "Quote", "unbounded map", "Map quotes in the scope of"},
		{"leak-lazy", "Session", "unbounded map", "Object sessions of Store store"},
		{"leak-retry", "Job", "array that only grows", "Array queue in the scope of"},
	}},
	{"node", []plant{{"leak-numbers", "(array)", "array that only grows", "Array durations in the scope of"}}},
	{"node", []plant{
		{name: "bounded-lru"}, {name: "bounded-numbers"}, {name: "bounded-log"}, {name: "bounded-keys"},
		{name: "bounded-listener"}, {name: "bounded-pool"}, {name: "bounded-weak"},
	}},

	{"go", []plant{{"leak-map", "all live objects or main.newSession", "unbounded map", "main.newSession"}}},
	{"go", []plant{{"leak-goroutine", "main.leakGoroutine.func1", "goroutine blocked for ever", "main.leakGoroutine.func1"}}},
	{"go", []plant{{"leak-ticker", "main.leakTicker.func1", "ticker never stopped", "main.leakTicker.func1"}}},
	{"go", []plant{{"leak-slice", "main.leakSlice or all live objects", "slice of a large array", "main.leakSlice"}}},
	{"go", []plant{{"leak-list", "all live objects or main.leakList", "list that only grows", ""}}},
	{"go", []plant{{"leak-context", "all live objects or main.leakContext", "context never cancelled", ""}}},
	{"go", []plant{{"leak-after", "main.leakAfter.func1", "goroutine blocked for ever", "main.leakAfter.func1"}}},
	{"go", []plant{{"leak-body", "net/http.(*persistConn).readLoop", "connection or response never closed", "main.leakBody"}}},
	{"go", []plant{{"leak-labels", "all live objects or main.leakLabels", "unbounded map", ""}}},
	{"go", []plant{{"leak-delete", "all live objects or main.newSession", "unbounded map", ""}}},
	{"go", []plant{{"leak-wrong-bound", "all live objects or main.newSession", "unbounded map", ""}}},
	{"go", []plant{{"leak-switch", "all live objects or main.newSession", "unbounded map", "main.newSession"}}},
	{"go", []plant{{"leak-defer", "main.leakDefer.func1", "goroutine blocked for ever", "main.leakDefer.func1"}}},
	{"go", []plant{{"leak-watch", "all live objects or main.leakWatch", "array that only grows", ""}}},
	{"go", []plant{{name: "bounded-map"}}},
	{"go", []plant{{name: "bounded-ring"}}},
	{"go", []plant{{name: "bounded-keys"}}},
	{"go", []plant{{name: "bounded-pool"}}},
	{"go", []plant{{name: "bounded-workers"}}},
	{"go", []plant{{name: "bounded-goroutine"}}},
}

// TestPlanted watches each program while it works, and judges what was seen.
func TestPlanted(t *testing.T) {
	for _, of := range planted {
		var names []string
		for _, c := range of.cases {
			names = append(names, c.name)
		}
		t.Run(of.language+"/"+strings.Join(names, "+"), func(t *testing.T) {
			t.Parallel()
			more := 0
			if strings.HasPrefix(of.cases[0].class, "all live objects") {
				more = 3 // chance may have sampled none of them before
			}
			res := heapgrowth.Judge(watch(t, run(t, of.language+"/"+strings.Join(names, "+")), 600, more))
			for _, c := range of.cases {
				c.found(t, res)
			}
		})
	}
}

// found looks for the leak of a case, or for none.
func (c plant) found(t *testing.T, res heapgrowth.Result) {
	t.Helper()
	if c.class == "" {
		acquitted(t, res)
		return
	}
	for _, g := range res.Heap.Growths {
		where := g.Owner + strings.Join(g.Allocated, " ")
		if g.Verdict == report.Leak && slices.Contains(strings.Split(c.class, " or "), g.Name) && (g.Kind == c.kind || c.kind == "") && strings.Contains(where, c.owner) {
			return
		}
	}
	t.Errorf("no leak of %s (%s at %s); %s", c.class, c.kind, c.owner, told(res))
}

// filling are programs that grow evenly for as long as a short run lasts, and stop
// later. A short run must not convict them, and more load must acquit them.
var filling = []struct {
	name  string // and what it is started with
	units int    // of work in a round
	sure  bool   // more load proves it within seconds
}{
	{"node/fills-lru+fills-class+fills-ring+fills-words", 600, true}, {"node/fills-modules+fills-batch+leak-switch+leak-flag BOUNDED=yes", 600, true},
	{"node/fills-memo+fills-log", 60, false},
	{"go/fills-lru", 600, true}, {"go/fills-ring", 600, true}, {"go/fills-workers", 600, true}, {"go/fills-ttl", 600, false},
	{"go/fills-log", 600, false}, {"go/fills-words", 600, true}, {"go/fills-flush", 600, false}, {"go/leak-switch BOUNDED=yes", 600, true},
}

func TestFilling(t *testing.T) {
	for _, tt := range filling {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			words := strings.Fields(tt.name)
			res := heapgrowth.Judge(watch(t, run(t, words[0], words[1:]...), tt.units, 3))
			if res.Verdict == report.Faulty || tt.sure && res.Verdict != report.Clean {
				t.Errorf("a cache that fills is %s: %s", res.Verdict, told(res))
			}
		})
	}
}
