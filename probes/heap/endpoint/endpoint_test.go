package endpoint

import (
	"bytes"
	"errors"
	"net/http"
	"net/http/httptest"
	"net/http/pprof"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/ccheck/ccheck/probes/heap/goprof"
)

// TestPprof asks the real handler, by any address of it.
func TestPprof(t *testing.T) {
	mux := http.NewServeMux()
	mux.HandleFunc("/debug/pprof/", pprof.Index)
	mux.HandleFunc("/debug/pprof/cmdline", pprof.Cmdline)
	s := httptest.NewServer(mux)
	defer s.Close()
	for _, path := range []string{"", "/", "/debug/pprof", "/debug/pprof/heap?gc=1"} {
		e, err := New(s.Client(), s.URL+path)
		if err != nil {
			t.Fatal(err)
		}
		if args, err := e.Probe(t.Context()); err != nil || !slices.Equal(args, os.Args) {
			t.Errorf("%s: %q, %v", path, args, err)
		}
		var heap, mem bytes.Buffer
		if err := errors.Join(e.Heap(t.Context(), &heap), e.MemStats(t.Context(), &mem)); err != nil {
			t.Fatal(err)
		}
		if p, err := goprof.Parse(heap.Bytes()); err != nil || p.Kind != goprof.Heap {
			t.Errorf("the heap: %v", err)
		}
		if p, err := goprof.Parse(mem.Bytes()); err != nil || p.Mem == nil || p.Mem.HeapObjects == 0 || len(p.Rows) != 0 {
			t.Errorf("runtime.MemStats: %v", err)
		}
	}
}

func TestErrors(t *testing.T) {
	plain := httptest.NewServer(http.NotFoundHandler())
	defer plain.Close()
	cut := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", "1000")
		_, _ = w.Write([]byte("heap profile: 1"))
	}))
	defer cut.Close()
	for address, says := range map[string]string{plain.URL: "serves no net/http/pprof", cut.URL: "ended in the middle", "http://127.0.0.1:1": "cannot reach"} {
		e, err := New(http.DefaultClient, address)
		if err != nil {
			t.Fatal(err)
		}
		var named *Error
		if err := e.Heap(t.Context(), &bytes.Buffer{}); !errors.As(err, &named) || !strings.Contains(named.Msg, says) || named.Hint == "" {
			t.Errorf("%s: %v, want %q", address, err, says)
		}
	}
	page := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("<!doctype html>")) }))
	defer page.Close()
	e, err := New(page.Client(), page.URL)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := e.Probe(t.Context()); err == nil || !strings.Contains(err.Error(), "text/html; charset=utf-8: it serves no net/http/pprof") {
		t.Errorf("a page for every address: %v", err)
	}
	if e, _ := New(http.DefaultClient, "http://me:secret@host:6060"); strings.Contains(e.Address(), "secret") {
		t.Errorf("the address shows the password: %s", e.Address())
	}
	if _, err := New(http.DefaultClient, "host"); err == nil {
		t.Error("an address without a scheme is taken")
	}
}
