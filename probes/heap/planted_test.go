package heap_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/ccheck/ccheck/analyzers/history/heapgrowth"
	"github.com/ccheck/ccheck/analyzers/report"
)

// planted are the programs of testdata: what leaks must be called a leak of that
// kind, at that owner or function, and its fixed twin must not.
var planted = []struct {
	name  string
	class string // name of the growth, or two; "" for a program that must be passed
	kind  string
	owner string // in the owner, or in the first call that allocates
}{
	{"node/leak-map", "RenderedPage", "unbounded map", "Map pages in the scope of"},
	{"node/leak-listener", "closure", "listener never removed", "_events of EventEmitter bus"},
	{"node/leak-array", "AuditRow", "array that only grows", "Array auditLog of global"},
	{"node/leak-stream", "Readable", "stream or socket never closed", "Set active in the scope of"},
	{"node/leak-abort", "Listener", "listener on an AbortSignal that outlives the request", "AbortController shutdown"},
	{"node/leak-timer", "Timeout", "timer never cleared", "TimersList"},
	{"node/leak-promise", "closure", "promise that never settles", "Promise never in the scope of"},
	{"node/leak-closure", "closure revert()", "array that only grows", "Array undo in the scope of"},
	{"node/leak-strings", "(concatenated string)", "unbounded map", "Object lines in the scope of"},
	{"node/leak-buffer", "Buffer", "array that only grows", "Array kept in the scope of"},
	{"node/leak-chain", "Object {previous}", "list that only grows", "the variable head"},
	{"node/leak-nested", "Visit", "unbounded map", "Map byUser in the scope of"},
	{"node/leak-numbers", "(array)", "array that only grows", "Array durations in the scope of"},
	{"node/leak-labels", "Series", "unbounded map", "Object hashMap of Counter requests"},
	{"node/leak-delete", "Session", "unbounded map", "Map sessions in the scope of"},
	{"node/leak-close", "Client", "", "Set clients in the scope of"},
	{"node/leak-wrong-bound", "Row", "array that only grows", "Array rows in the scope of"},
	{"node/leak-late-bound", "Quote", "unbounded map", "Map entries of Cache quotes"},
	{"node/leak-switch", "Page", "unbounded map", "Map pages of Cache cache"},
	{"node/leak-flag", "Quote", "unbounded map", "Map quotes in the scope of"},
	{"node/leak-lazy", "Session", "unbounded map", "Object sessions of Store store"},
	{"node/leak-port", "MessagePort", "stream or socket never closed", ""},
	{"node/leak-retry", "Job", "array that only grows", "Array queue in the scope of"},
	{"node/bounded-lru", "", "", ""},
	{"node/bounded-numbers", "", "", ""},
	{"node/bounded-log", "", "", ""},
	{"node/bounded-keys", "", "", ""},
	{"node/bounded-listener", "", "", ""},
	{"node/bounded-pool", "", "", ""},
	{"node/bounded-weak", "", "", ""},

	{"go/leak-map", "all live objects or main.newSession", "memory that is kept", "main.newSession"},
	{"go/leak-goroutine", "main.leakGoroutine.func1", "goroutine blocked for ever", "main.leakGoroutine.func1"},
	{"go/leak-ticker", "main.leakTicker.func1", "ticker never stopped", "main.leakTicker.func1"},
	{"go/leak-slice", "main.leakSlice or all live objects", "memory that is kept", "main.leakSlice"},
	{"go/leak-list", "all live objects or main.leakList", "memory that is kept", ""},
	{"go/leak-context", "all live objects or main.leakContext", "memory that is kept", ""},
	{"go/leak-after", "main.leakAfter.func1", "goroutine blocked for ever", "main.leakAfter.func1"},
	{"go/leak-body", "net/http.(*persistConn).readLoop", "connection or response never closed", "main.leakBody"},
	{"go/leak-labels", "all live objects or main.leakLabels", "memory that is kept", ""},
	{"go/leak-delete", "all live objects or main.newSession", "memory that is kept", ""},
	{"go/leak-wrong-bound", "all live objects or main.newSession", "memory that is kept", ""},
	{"go/leak-switch", "all live objects or main.newSession", "memory that is kept", "main.newSession"},
	{"go/leak-defer", "main.leakDefer.func1", "goroutine blocked for ever", "main.leakDefer.func1"},
	{"go/leak-watch", "all live objects or main.leakWatch", "memory that is kept", ""},
	{"go/bounded-map", "", "", ""},
	{"go/bounded-ring", "", "", ""},
	{"go/bounded-keys", "", "", ""},
	{"go/bounded-pool", "", "", ""},
	{"go/bounded-workers", "", "", ""},
	{"go/bounded-goroutine", "", "", ""},
}

// TestPlanted watches each program while it works, and judges what was seen.
func TestPlanted(t *testing.T) {
	for _, tt := range planted {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			more := 0
			if strings.HasPrefix(tt.class, "all live objects") {
				more = 3 // chance may have sampled none of them before
			}
			res := heapgrowth.Judge(watch(t, run(t, tt.name), 600, more))
			if tt.class == "" {
				acquitted(t, res)
				return
			}
			for _, g := range res.Heap.Growths {
				where := g.Owner + strings.Join(g.Allocated, " ")
				if g.Verdict == report.Leak && slices.Contains(strings.Split(tt.class, " or "), g.Name) && (g.Kind == tt.kind || tt.kind == "") && strings.Contains(where, tt.owner) {
					return
				}
			}
			t.Errorf("no leak of %s (%s at %s); %s", tt.class, tt.kind, tt.owner, told(res))
		})
	}
}

// filling are programs that grow evenly for as long as a short run lasts, and stop
// later. A short run must not convict them, and more load must acquit them.
var filling = []struct {
	name string // and what it is started with
	sure bool   // more load proves it within seconds
}{
	{"node/fills-lru", true}, {"node/fills-class", true}, {"node/fills-ring", true}, {"node/fills-memo", false},
	{"node/fills-log", false}, {"node/fills-words", true}, {"node/fills-batch", true}, {"node/fills-modules", true},
	{"node/leak-switch BOUNDED=yes", true}, {"node/leak-flag BOUNDED=yes", true},
	{"go/fills-lru", true}, {"go/fills-ring", true}, {"go/fills-workers", true}, {"go/fills-ttl", false},
	{"go/fills-log", false}, {"go/fills-words", true}, {"go/fills-flush", false}, {"go/leak-switch BOUNDED=yes", true},
}

func TestFilling(t *testing.T) {
	for _, tt := range filling {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			words := strings.Fields(tt.name)
			res := heapgrowth.Judge(watch(t, run(t, words[0], words[1:]...), 600, 3))
			if res.Verdict == report.Faulty || tt.sure && res.Verdict != report.Clean {
				t.Errorf("a cache that fills is %s: %s", res.Verdict, told(res))
			}
		})
	}
}
