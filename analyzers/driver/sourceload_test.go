package driver

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/go/analysis"

	"github.com/ccheck/ccheck/analyzers"
	"github.com/ccheck/ccheck/analyzers/code/memcheckact"
	"github.com/ccheck/ccheck/analyzers/report"
)

func TestTrouble(t *testing.T) {
	tests := []struct{ name, file, text, want string }{
		{"syntax", "x/x.go", "package x\n\nfunc {\n", "x.go:3:6: "},
		{"missing import", "x/x.go", "package x\n\nimport _ \"example.com/nosuch\"\n", "x.go:3:8: cannot find module providing package example.com/nosuch"},
		{"two packages", "low/y.go", "package y\n", "found packages low"},
		{"import cycle", "low/c.go", "package low\n\nimport _ \"example.com/shop/mid\"\n", "import cycle"},
		{"a table of data", "x/x.go", "package x\n\nvar T = `" + strings.Repeat("x", maxSource) + "`\n", "24 MB of source, more than the 24 MB"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			dir := tree(t, shop)
			put(t, filepath.Join(dir, tt.file), tt.text)
			r := vet(t, Source{Dir: dir})
			all := strings.Join(r.Reasons, "; ")
			if !strings.Contains(all, tt.want) || strings.Contains(all, "\n") || r.Verdict == report.Clean {
				t.Errorf("verdict %s, reasons %q, want %q", r.Verdict, r.Reasons, tt.want)
			}
		})
	}
}

// behind is a module that wants an older Go than one that it requires.
const behind = `
-- go.mod --
module m

go 1.21

require example.com/dep v1.0.0

replace example.com/dep => ./dep
-- a.go --
package m

import _ "example.com/dep"
-- dep/go.mod --
module example.com/dep

go 1.24
-- dep/dep.go --
package dep
`

func TestNothingToJudge(t *testing.T) {
	tests := []struct {
		name, text string
		patterns   []string
		want       string
	}{
		{"no module", "-- a.txt --\n", []string{"./..."}, "no Go module"},
		{"no such folder", shop, []string{"./nosuch"}, "nosuch"},
		{"no packages", "-- go.mod --\nmodule m\n", []string{"./..."}, "name no package"},
		{"go.mod behind its modules", behind, []string{"./..."}, "updates to go.mod needed"},
	}
	for _, tt := range tests {
		_, err := JudgeSource(context.Background(), Source{Dir: tree(t, tt.text), Patterns: tt.patterns, Analyzers: []*analysis.Analyzer{bad}})
		var none *NoPackages
		if !errors.As(err, &none) || !strings.Contains(none.Why, tt.want) || none.Hint == "" || strings.Contains(none.Why, "\n") {
			t.Errorf("%s: error %v", tt.name, err)
		}
	}
}

// Of what belongs to somebody else only what was named is judged, and that is; what
// the rules know from their tables they do not look into, which is not clean.
func TestPackagesOfOthers(t *testing.T) {
	dir := tree(t, others)
	tests := []struct {
		pattern string
		want    report.Verdict
		reasons int
	}{
		{".", report.Clean, 0}, {"example.com/dep", report.Faulty, 0}, {"strings", report.Unknown, 1},
	}
	for _, tt := range tests {
		r := vet(t, Source{Dir: dir, Patterns: []string{tt.pattern}, Analyzers: []*analysis.Analyzer{memcheckact.Analyzer}})
		if r.Verdict != tt.want || len(r.Reasons) != tt.reasons {
			t.Errorf("%s: verdict %s, reasons %q, want %s", tt.pattern, r.Verdict, r.Reasons, tt.want)
		}
	}
}

const others = `
-- go.mod --
module m

go 1.24

require example.com/dep v1.0.0

replace example.com/dep => ./dep
-- a.go --
package m

import _ "example.com/dep"
-- dep/go.mod --
module example.com/dep

go 1.24
-- dep/dep.go --
package dep

import "sync"

type item struct{ n int }

var m sync.Map

func Get(k string) *item {
	if v, ok := m.Load(k); ok {
		return v.(*item)
	}
	it := &item{}
	m.Store(k, it)
	return it
}
`

// Method values are calls without a receiver among their arguments.
func TestMethodValues(t *testing.T) {
	text := "-- go.mod --\nmodule example.com/values\n\ngo 1.24\n-- a.go --\n" + values
	if r := vet(t, Source{Dir: tree(t, text), Analyzers: analyzers.Code}); len(r.Reasons) > 0 {
		t.Errorf("reasons %q", r.Reasons)
	}
}

const values = `package values

import (
	"context"
	"database/sql"
	"net/http"
	"sync"
	"sync/atomic"
	"time"
)

var (
	m    sync.Map
	mu   sync.RWMutex
	once sync.Once
	n    atomic.Int64
	list []int
)

func handle(w http.ResponseWriter, r *http.Request) {
	load, store, swap, los := m.Load, m.Store, m.Swap, m.LoadOrStore
	lock, unlock, rlock, runlock, try := mu.Lock, mu.Unlock, mu.RLock, mu.RUnlock, mu.TryLock
	add, get, set, cas, do := n.Add, n.Load, n.Store, n.CompareAndSwap, once.Do
	lock()
	unlock()
	rlock()
	runlock()
	try()
	if _, ok := load(r.URL.Path); !ok {
		store(r.URL.Path, add(1))
		swap(r.URL.Path, get())
		los(r.URL.Path, 1)
	}
	set(3)
	cas(3, 4)
	do(func() { list = append(list, 1) })
	write, header := w.Write, w.Header
	write(nil)
	header().Set("a", "b")
}

func wait(ctx context.Context, db *sql.DB) error {
	var wg sync.WaitGroup
	inc, done, all := wg.Add, wg.Done, wg.Wait
	tick := time.NewTicker(time.Second)
	stop, now := tick.Stop, time.Now().Add
	inc(1)
	go func() { defer done(); <-tick.C }()
	all()
	stop()
	_ = now(3)
	query, exec, begin := db.QueryContext, db.ExecContext, db.BeginTx
	rows, err := query(ctx, "SELECT 1")
	if err != nil {
		return err
	}
	end, next, scan := rows.Close, rows.Next, rows.Scan
	defer end()
	for next() {
		if err := scan(&list); err != nil {
			return err
		}
	}
	tx, err := begin(ctx, nil)
	if err != nil {
		return err
	}
	commit, back := tx.Commit, tx.Rollback
	defer back()
	if _, err := exec(ctx, "UPDATE a SET n = 1 WHERE id = $1", 1); err != nil {
		return err
	}
	return commit()
}

func main() { http.HandleFunc("/", handle); _ = wait }
`

func TestOneLine(t *testing.T) {
	for text, want := range map[string]string{
		"# example.com/a\na.go:3: no\nmore":                      "a.go:3: no",
		"go: errors parsing go.mod:\ngo.mod:1: unknown: modul\n": "go: errors parsing go.mod: go.mod:1: unknown: modul",
		"./a.go:19:10: instantiation cycle:":                     "./a.go:19:10: instantiation cycle:",
		"# example.com/a":                                        "# example.com/a",
	} {
		if got := oneLine(text); got != want {
			t.Errorf("%q becomes %q, want %q", text, got, want)
		}
	}
}
