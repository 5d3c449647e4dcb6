package analyzers_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/go/analysis"

	"github.com/ccheck/ccheck/analyzers"
	"github.com/ccheck/ccheck/analyzers/driver"
	"github.com/ccheck/ccheck/analyzers/report"
)

func TestEveryPairingIsOfAnAnalyzer(t *testing.T) {
	if err := analysis.Validate(analyzers.Code); err != nil {
		t.Error(err)
	}
	for _, p := range analyzers.Pairings {
		if !slices.ContainsFunc(analyzers.Code, func(a *analysis.Analyzer) bool { return a.Name == p.Name }) {
			t.Errorf("the judgement %s is of no analyzer", p.Name)
		}
	}
	for _, a := range analyzers.Code {
		if analyzers.Severity(a.Name).Rank() == 0 {
			t.Errorf("%s has no severity", a.Name)
		}
	}
}

// long is a function of n steps that does something to a database, a map and a
// file in each.
func long(n int) string {
	var b strings.Builder
	b.WriteString("package m\n\nimport (\n\t\"database/sql\"\n\t\"os\"\n)\n\nvar seen = map[string]int{}\n\nfunc Long(db *sql.DB, key string) error {\n")
	for i := range n {
		fmt.Fprintf(&b, "\tif key == \"k%d\" {\n\t\tvar n%d int\n", i, i)
		fmt.Fprintf(&b, "\t\tif err := db.QueryRow(\"SELECT n FROM t%d WHERE id = $1\", key).Scan(&n%d); err != nil {\n\t\t\treturn err\n\t\t}\n", i%7, i)
		fmt.Fprintf(&b, "\t\tif _, ok := seen[key]; !ok {\n\t\t\tseen[key] = n%d\n\t\t}\n\t\t_ = os.Remove(key)\n\t}\n", i)
	}
	b.WriteString("\treturn nil\n}\n")
	return b.String()
}

const generic = `package m

import "sync"

type Cache[K comparable, V any] struct {
	mu sync.Mutex
	m  map[K]V
}

func (c *Cache[K, V]) Get(k K, fill func(K) V) V {
	c.mu.Lock()
	defer c.mu.Unlock()
	v, ok := c.m[k]
	if !ok {
		v = fill(k)
		c.m[k] = v
	}
	return v
}

type Number interface{ ~int | ~float64 }

func Sum[T Number](all ...T) (sum T) {
	for _, v := range all {
		sum += v
	}
	return sum
}

type Tree[T any] struct{ left, right *Tree[T] }

func (t *Tree[T]) All(yield func(*Tree[T]) bool) bool {
	return t == nil || t.left.All(yield) && yield(t) && t.right.All(yield)
}

var Two = Sum(1, 1) + int(Sum(0.5, 0.5))

func Walk() {
	for n := range func(yield func(*Tree[int]) bool) { (&Tree[int]{}).All(yield) } {
		_ = n
	}
}
`

const odd = `package m

import (
	"context"
	"database/sql"
	"net/http"
	. "strings"
)

type db interface {
	QueryContext(context.Context, string, ...any) (*sql.Rows, error)
	ExecContext(context.Context, string, ...any) (sql.Result, error)
}

var query = Repeat("SELECT ", 2)

func init() { goto end; end: }

func Odd(d db, q ...string) (f func() func() error) {
	defer func() { recover() }()
	f = func() func() error { return func() error { _, err := d.ExecContext(context.TODO(), q[0]+query+"'"); return err } }
	switch x := any(d).(type) {
	case nil, *sql.DB:
		_ = x
	case interface{ Begin() (*sql.Tx, error) }:
		tx, _ := x.Begin()
		tx.Exec("UPDATE $x$ SET ((", struct{}{})
	}
	select {}
}

func (s *server) ServeHTTP(w http.ResponseWriter, r *http.Request) { s.next.next.ServeHTTP(w, r); go s.ServeHTTP(w, r) }

type server struct {
	*http.Server
	next *server
}

func (*server) String() (_ string) { return }
func blank(_ int, _ ...func(_ *sql.Rows)) {}
func Recurse(d db, n int) error { if n > 0 { return Recurse(d, n-1) }; return recurse(d, n) }
func recurse(d db, n int) error { return Recurse(d, n) }
`

// Whatever compiles is judged to its end by every analyzer, or it is said what was
// not looked at.
func TestNothingCrashes(t *testing.T) {
	for name, tt := range map[string]struct{ text, why string }{
		"a long function":     {long(600), ""},
		"a function too long": {long(1200), "example.com/m.Long has 7201 blocks of code"},
		"generics":            {generic, ""},
		"odd code":            {odd, ""},
		"empty":               {"package m\n", ""},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			for file, text := range map[string]string{"go.mod": "module example.com/m\n\ngo 1.24\n", "m.go": tt.text} {
				if err := os.WriteFile(filepath.Join(dir, file), []byte(text), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			r, err := driver.JudgeSource(context.Background(), driver.Source{
				Dir: dir, Patterns: []string{"./..."}, Env: append(os.Environ(), "GOFLAGS=-mod=mod", "GOPROXY=off"),
				Analyzers: analyzers.Code, Pairings: analyzers.Pairings, Severity: analyzers.Severity,
			})
			said := strings.Join(r.Reasons, "\n")
			if err != nil || r.Packages != 1 || (said == "") != (tt.why == "") || !strings.Contains(said, tt.why) || (r.Verdict == report.Unknown) != (tt.why != "") {
				t.Errorf("%d packages, verdict %s, %q, %v", r.Packages, r.Verdict, r.Reasons, err)
			}
		})
	}
}
