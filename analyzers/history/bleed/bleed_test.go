package bleed

import (
	"fmt"
	"io"
	"iter"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/ccheck/ccheck/analyzers/check"
	"github.com/ccheck/ccheck/analyzers/report"
	probe "github.com/ccheck/ccheck/probes/bleed"
	"github.com/ccheck/ccheck/probes/history"
)

// judged is what the checker says.
type judged struct {
	findings []report.Finding
	unknown  []string
}

func judge(t *testing.T, h *history.Header, ops func() iter.Seq2[*history.Op, error]) judged {
	t.Helper()
	var j judged
	err := Checker.Run(&check.Pass{
		Header: h, Ops: ops,
		Report:  func(f report.Finding) { j.findings = append(j.findings, f) },
		Unknown: func(s string) { j.unknown = append(j.unknown, s) },
	})
	if err != nil {
		t.Fatal(err)
	}
	return j
}

// drive runs the probe against a server.
func drive(t *testing.T, h http.HandlerFunc) judged {
	t.Helper()
	srv := httptest.NewServer(h)
	defer srv.Close()
	path := filepath.Join(t.TempDir(), "run.jsonl")
	err := probe.Run(t.Context(), probe.Options{
		Request: probe.Request{Method: "GET", URL: srv.URL + "/?user={{user}}"}, Users: 8, Each: 40, Limit: 30 * time.Second,
		Header: history.Header{Run: "r1", Probe: probe.Probe.Name}, Path: path,
	})
	if err != nil {
		t.Fatal(err)
	}
	f, err := history.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	return judge(t, f.Header, f.Ops)
}

// crowd holds every request until another one is in, or nobody comes.
func crowd() func() {
	var mu sync.Mutex
	waiting := make(chan struct{})
	return func() {
		mu.Lock()
		old := waiting
		waiting = make(chan struct{})
		mine := waiting
		close(old)
		mu.Unlock()
		select {
		case <-mine:
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// A variable that all requests share is found, and its fixed twin is passed.
func TestPlantedAndFixed(t *testing.T) {
	var current atomic.Value
	meet := crowd()
	got := drive(t, func(w http.ResponseWriter, r *http.Request) {
		current.Store(r.FormValue("user"))
		meet()
		_, _ = io.WriteString(w, current.Load().(string))
	})
	if len(got.findings) != 1 {
		t.Fatalf("%d findings, unknown %q", len(got.findings), got.unknown)
	}
	f := got.findings[0]
	if f.Claim != probe.Claim || len(f.Lanes) != 2 || len(f.Steps) != 4 || len(f.Rows) == 0 || len(f.Fixes) == 0 {
		t.Errorf("finding %+v", f)
	}
	if !strings.Contains(f.Why, "only while requests of several users were open") {
		t.Errorf("why: %s", f.Why)
	}
	fixed := drive(t, func(w http.ResponseWriter, r *http.Request) {
		user := r.FormValue("user")
		meet()
		_, _ = io.WriteString(w, user)
	})
	if len(fixed.findings) != 0 || len(fixed.unknown) != 0 {
		t.Errorf("the fixed twin: %+v", fixed)
	}
}

// A page that is kept for whoever comes next needs no race, and that is said.
func TestSharedCache(t *testing.T) {
	var page atomic.Value
	got := drive(t, func(w http.ResponseWriter, r *http.Request) {
		page.CompareAndSwap(nil, r.FormValue("user"))
		_, _ = io.WriteString(w, page.Load().(string))
	})
	if len(got.findings) != 1 || !strings.Contains(got.findings[0].Why, "no race is needed") {
		t.Errorf("%+v", got)
	}
}

// An application that names nobody is not called clean.
func TestNothingToSee(t *testing.T) {
	got := drive(t, func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "hello") })
	if len(got.findings) != 0 || len(got.unknown) != 1 || !strings.Contains(got.unknown[0], "8 of 8 users never held the marker") {
		t.Errorf("%+v", got)
	}
}

// events are answers of two users, apart or at the same time, and marks.
func events(answers int, apart time.Duration, marks ...string) func() iter.Seq2[*history.Op, error] {
	return func() iter.Seq2[*history.Op, error] {
		return func(yield func(*history.Op, error) bool) {
			if !yield(&history.Op{Scope: history.ScopeNote, Kind: history.OK, Text: together}, nil) {
				return
			}
			for i := range answers {
				user, at := history.Text(fmt.Sprintf("u%d", i%2)), time.Duration(i)*apart
				o := &history.Op{Scope: history.ScopeCall, Kind: history.OK, Actor: actor, Process: i % 2, Outcome: history.Accepted, Start: at, Time: at + time.Millisecond,
					Vars: []history.Var{{Name: "user", Value: user}, {Name: "seen", Value: user}}}
				if !yield(o, nil) {
					return
				}
			}
			for _, m := range marks {
				if !yield(&history.Op{Scope: history.ScopeNote, Kind: history.OK, Text: m}, nil) {
					return
				}
			}
		}
	}
}

// A history of another probe is not its matter.
func TestOtherProbes(t *testing.T) {
	if got := judge(t, &history.Header{Probe: "stress"}, events(1, 0)); len(got.unknown) != 0 || len(got.findings) != 0 {
		t.Errorf("%+v", got)
	}
}

func TestOpportunity(t *testing.T) {
	tests := []struct {
		name string
		ops  func() iter.Seq2[*history.Op, error]
		want string // of the reason; "" for clean
	}{
		{"at once", events(enough, 600*time.Microsecond, ended), ""},
		{"one after the other", events(enough, 2*time.Millisecond, ended), "0 answers overlapped"},
		{"too few", events(enough-1, 600*time.Microsecond, ended), "99 answers overlapped"},
		{"cut short", events(enough, 600*time.Microsecond), "ended before its time"},
		{"one user", events(1, 0, ended), "one user cannot"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := judge(t, &history.Header{Probe: probe.Probe.Name}, tt.ops)
			if all := strings.Join(got.unknown, "\n"); tt.want == "" && all != "" || !strings.Contains(all, tt.want) {
				t.Errorf("unknown %q, want %q", all, tt.want)
			}
		})
	}
}
