package history

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// Merged parts hold every event once, in the order of their times, with every
// statement, its columns and the beginning of every call.
func TestMerge(t *testing.T) {
	dir := t.TempDir()
	n := 0
	rapid.Check(t, func(t *rapid.T) {
		n++
		var parts []Part
		calls := 0
		for i := range rapid.IntRange(1, 4).Draw(t, "parts") {
			own := rapid.IntRange(0, 20).Draw(t, "calls")
			calls += own
			parts = append(parts, Part{File: part(t, filepath.Join(dir, "p", name(n, i)), i, own), Shift: time.Duration(rapid.Int64Range(-1000, 1000).Draw(t, "shift"))})
		}
		path := filepath.Join(dir, "p", name(n, 9))
		if err := Merge(path, Header{Run: "r"}, parts); err != nil {
			t.Fatal(err)
		}
		f, err := Open(path)
		if err != nil {
			t.Fatal(err)
		}
		seen, last := map[int64]int{}, time.Duration(-1<<62)
		for o, err := range f.Ops() {
			if err != nil {
				t.Fatal(err)
			}
			if o.Scope == ScopeCall && o.Kind == OK {
				seen[o.Call]++
			}
			if o.Scope == ScopeQuery && (o.Stmt == nil || o.Stmt.SQL != "select 1" || o.Kind == OK && (len(o.Columns) != 1 || o.Start > o.Time)) {
				t.Fatalf("lost part of %+v", o)
			}
			if o.Process != Checker && o.Time < last {
				t.Fatalf("event %d is at %v, after %v", o.Index, o.Time, last)
			}
			last = o.Time
		}
		if len(seen) != calls {
			t.Fatalf("%d calls, want %d", len(seen), calls)
		}
	})
}

func name(n, i int) string { return string(rune('a'+i)) + time.Duration(n).String() }

// part is a history of one lane.
func part(t *rapid.T, path string, lane, calls int) *File {
	err := os.MkdirAll(filepath.Dir(path), 0o700)
	if err != nil {
		t.Fatal(err)
	}
	w, err := Create(path, Header{Run: "r"}, 0)
	if err != nil {
		t.Fatal(err)
	}
	st := &Stmt{SQL: "select 1"}
	err = w.Define(st)
	r := w.Recorder(lane)
	for range calls {
		r.BeginCall("a")
		r.Record(&Op{Scope: ScopeQuery, Kind: Invoke, Stmt: st, Txn: r.NextTxn()})
		r.Record(&Op{Scope: ScopeQuery, Kind: OK, Stmt: st, Columns: []string{"x"}, Rows: [][]Value{{Int(1)}}})
		r.EndCall(Accepted, 1, nil, nil)
	}
	if err := errors.Join(err, r.Flush(), w.Close()); err != nil {
		t.Fatal(err)
	}
	f, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// A part that ends in the middle leaves no merged history.
func TestMergeOfADamagedPart(t *testing.T) {
	w := newWriter(t, 0)
	r := w.Recorder(0)
	r.Record(&Op{Scope: ScopeNote, Kind: OK, Text: "mark"})
	if err := errors.Join(r.Flush(), w.Close(), os.Truncate(w.Path(), w.Size()-3)); err != nil {
		t.Fatal(err)
	}
	f, err := Open(w.Path())
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "all")
	if err := Merge(path, Header{}, []Part{{File: f}}); !errors.Is(err, ErrTruncated) {
		t.Errorf("error %v", err)
	}
	if _, err := os.Stat(path); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a merged history is there: %v", err)
	}
}
