package history

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func genText() *rapid.Generator[string] {
	return rapid.OneOf(rapid.SampledFrom([]string{"", "UPDATE 1", "a\"b\\c", "zeile\nzwei", "ü–€😀", "\x01\x7f"}), rapid.String())
}

func genValue() *rapid.Generator[Value] {
	return rapid.Custom(func(t *rapid.T) Value {
		if rapid.Bool().Draw(t, "null") {
			return Null
		}
		return Text(genText().Draw(t, "text"))
	})
}

func genOp() *rapid.Generator[*Op] {
	return rapid.Custom(func(t *rapid.T) *Op {
		o := &Op{
			Scope:    Scope(rapid.IntRange(int(ScopeCall), int(ScopeNote)).Draw(t, "scope")),
			Kind:     Kind(rapid.IntRange(int(Invoke), int(Info)).Draw(t, "kind")),
			Call:     rapid.Int64Range(0, 1<<40).Draw(t, "call"),
			Txn:      rapid.Int64Range(0, 1<<40).Draw(t, "txn"),
			Tag:      rapid.SampledFrom([]string{"", "BEGIN", "UPDATE 7", "INSERT 0 3"}).Draw(t, "tag"),
			More:     rapid.IntRange(0, 9).Draw(t, "more"),
			SQLState: rapid.SampledFrom([]string{"", "40001"}).Draw(t, "state"),
			Error:    genText().Draw(t, "error"),
			Actor:    genText().Draw(t, "actor"),
			Outcome:  rapid.SampledFrom([]Outcome{"", Accepted, Refused, Failed, Unknown}).Draw(t, "outcome"),
			Tries:    rapid.IntRange(0, 5).Draw(t, "tries"),
			Text:     genText().Draw(t, "text"),
			Phase:    rapid.SampledFrom([]string{"", "before", "after"}).Draw(t, "phase"),
		}
		o.Affected = AffectedOf(o.Tag)
		if rapid.Bool().Draw(t, "status") {
			o.Status = rapid.SampledFrom([]byte("ITE")).Draw(t, "st")
		}
		o.Args = rapid.SliceOfN(genValue(), 0, 4).Draw(t, "args")
		if n := rapid.IntRange(0, 3).Draw(t, "columns"); n > 0 {
			o.Columns = rapid.SliceOfN(genText(), n, n).Draw(t, "names")
			o.Rows = rapid.SliceOfN(rapid.SliceOfN(genValue(), n, n), 1, 4).Draw(t, "rows")
		}
		if rapid.Bool().Draw(t, "vars") {
			o.Vars = []Var{{Name: genText().Draw(t, "name"), Value: genValue().Draw(t, "value")}}
		}
		return o
	})
}

// equal compares what a file keeps: empty and nil are the same.
var equal = cmp.FilterValues(func(a, b []Value) bool { return len(a) == 0 && len(b) == 0 }, cmp.Ignore())

func TestOpRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := genOp().Draw(t, "op")
		want.Index, want.Time, want.Process = 7, 12345, 3
		line := appendOp(nil, want, false)
		var anything map[string]any
		if err := json.Unmarshal(line, &anything); err != nil {
			t.Fatalf("not JSON: %v\n%s", err, line)
		}
		var d decoder
		got := new(Op)
		if _, err := d.op(line[:len(line)-1], got); err != nil {
			t.Fatalf("%v\n%s", err, line)
		}
		want = valid(want)
		if diff := cmp.Diff(want, got, equal); diff != "" {
			t.Fatalf("%s\n%s", diff, line)
		}
	})
}

// valid is the op as UTF-8 can hold it.
func valid(o *Op) *Op {
	c := *o
	for _, s := range []*string{&c.Error, &c.Actor, &c.Text} {
		*s = strings.ToValidUTF8(*s, "\ufffd")
	}
	return &c
}

func FuzzDecode(f *testing.F) {
	f.Add([]byte(`{"i":1,"t":2,"e":"query.ok","p":0,"q":3,"r":[["1",null]],"later":{"x":[true,1.5e3]}}`))
	f.Add([]byte(`{"i":1,"e":"call","n":"\ud83d\ude00\u00e9\n"}`))
	f.Fuzz(func(t *testing.T, line []byte) {
		var d decoder
		o := new(Op)
		if _, err := d.op(line, o); err != nil || o.Scope == 0 {
			return
		}
		again := new(Op)
		b := appendOp(nil, o, false)
		if _, err := d.op(b[:len(b)-1], again); err != nil {
			t.Fatalf("wrote what it cannot read: %v\n%s", err, b)
		}
	})
}

func newWriter(t *testing.T, limit int64) *Writer {
	t.Helper()
	w, err := Create(filepath.Join(t.TempDir(), "run.jsonl"), Header{Run: "r1", Probe: "stress"}, limit)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

func readAll(t *testing.T, path string) ([]*Op, error) {
	t.Helper()
	f, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	var ops []*Op
	for o, err := range f.Ops() {
		if err != nil {
			return ops, err
		}
		ops = append(ops, o)
	}
	return ops, nil
}

func TestLanesComeBackInOrderWithTheirBeginnings(t *testing.T) {
	w := newWriter(t, 0)
	st := &Stmt{SQL: "select balance from account where id = $1"}
	if err := w.Define(st); err != nil {
		t.Fatal(err)
	}
	const lanes, calls = 8, 50
	var wg sync.WaitGroup
	for lane := range lanes {
		wg.Go(func() {
			r := w.Recorder(lane)
			for range calls {
				r.BeginCall("transfer")
				r.Record(&Op{Scope: ScopeQuery, Kind: Invoke, Stmt: st, Txn: r.NextTxn(), Args: []Value{Int(4)}})
				_ = r.Flush()
				r.Record(&Op{Scope: ScopeQuery, Kind: OK, Stmt: st, Columns: []string{"balance"}, Rows: [][]Value{{Int(100)}}, Tag: "SELECT 1", Status: 'I'})
				r.EndCall(Accepted, 1, []Var{{"src", Int(4)}}, nil)
			}
			_ = r.Flush()
		})
	}
	wg.Wait()
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	ops, err := readAll(t, w.Path())
	if err != nil {
		t.Fatal(err)
	}
	if len(ops) != lanes*calls*4 {
		t.Fatalf("%d events, want %d", len(ops), lanes*calls*4)
	}
	last := map[int]*Op{}
	for i, o := range ops {
		if o.Index != int64(i+1) {
			t.Fatalf("event %d has index %d", i, o.Index)
		}
		if o.Kind == OK && o.Scope == ScopeQuery {
			if o.Start != last[o.Process].Time {
				t.Fatalf("query ended with start %v, began at %v", o.Start, last[o.Process].Time)
			}
			if o.Columns[0] != "balance" || o.Stmt.SQL != st.SQL || o.Affected != 1 {
				t.Fatalf("lost part of the answer: %+v", o)
			}
		}
		last[o.Process] = o
	}
}

func TestTruncatedFileYieldsWhatIsWhole(t *testing.T) {
	w := newWriter(t, 0)
	r := w.Recorder(0)
	for range 3 {
		r.Record(&Op{Scope: ScopeNote, Kind: OK, Text: "mark"})
	}
	if err := r.Flush(); err != nil {
		t.Fatal(err)
	}
	w.Close()
	if err := os.Truncate(w.Path(), w.Size()-5); err != nil {
		t.Fatal(err)
	}
	ops, err := readAll(t, w.Path())
	var format *FormatError
	if !errors.Is(err, ErrTruncated) || !errors.As(err, &format) || format.Line != 4 {
		t.Fatalf("error %v", err)
	}
	if len(ops) != 2 {
		t.Fatalf("%d events, want the 2 whole ones", len(ops))
	}
}

func TestDamagedLineIsNamed(t *testing.T) {
	w := newWriter(t, 0)
	_ = w.write([]byte("{\"i\":1,\"e\":\"note.ok\",\"p\":-1,\"d\":\"x\"}\n{\"i\":2,\"e\":\"query\",\"q\":9}\n"))
	w.Close()
	ops, err := readAll(t, w.Path())
	if err == nil || !strings.Contains(err.Error(), ":3: statement 9 was never defined") {
		t.Fatalf("error %v", err)
	}
	if len(ops) != 1 {
		t.Fatalf("%d events, want 1", len(ops))
	}
}

// Two histories in one file have the same lanes and indices: the second one's calls
// would be the first one's, made twice.
func TestJoinedHistoriesAreNamed(t *testing.T) {
	w := newWriter(t, 0)
	_ = w.write([]byte("{\"i\":1,\"e\":\"note.ok\",\"p\":-1,\"d\":\"x\"}\n"))
	w.Close()
	one, err := os.ReadFile(w.Path())
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(w.Path(), append(one, one...), 0o600); err != nil {
		t.Fatal(err)
	}
	ops, err := readAll(t, w.Path())
	var format *FormatError
	if !errors.Is(err, ErrJoined) || !errors.As(err, &format) || format.Line != 3 {
		t.Fatalf("error %v", err)
	}
	if len(ops) != 1 {
		t.Fatalf("%d events, want that of the first", len(ops))
	}
}

func TestLimitStopsTheHistoryAtAWholeLine(t *testing.T) {
	w := newWriter(t, 2000)
	r := w.Recorder(0)
	var err error
	for err == nil {
		r.Record(&Op{Scope: ScopeNote, Kind: OK, Text: strings.Repeat("x", 100)})
		err = r.Flush()
	}
	if !errors.Is(err, ErrFull) || !errors.Is(w.Err(), ErrFull) || !errors.Is(w.Close(), ErrFull) {
		t.Fatalf("error %v", err)
	}
	ops, err := readAll(t, w.Path())
	if err != nil || len(ops) == 0 {
		t.Fatalf("%d events, error %v", len(ops), err)
	}
}

func TestFullDeviceIsErrFull(t *testing.T) {
	f, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Fatalf("this system has no /dev/full: %v", err)
	}
	w := over(f, time.Now(), 0)
	if err := errors.Join(w.write([]byte("x\n")), w.Sync()); !errors.Is(err, ErrFull) {
		t.Fatalf("error %v", err)
	}
}

func TestOpenRefuses(t *testing.T) {
	for name, tc := range map[string]struct{ content, want string }{
		"empty":        {"", "not a history of ccheck"},
		"other text":   {"hello\n", "not a history of ccheck"},
		"later format": {`{"schema":"ccheck-history/2"}` + "\n", `reads "ccheck-history/1"`},
		"cut header":   {`{"schema":"ccheck-history/1"}`, "ends in its header"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := Read("x.jsonl", []byte(tc.content))
			if err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Fatalf("error %v, want %q", err, tc.want)
			}
		})
	}
}

func TestLongValuesAreCutAtARune(t *testing.T) {
	b := appendValue(nil, Text(strings.Repeat("é", MaxValue)))
	var s string
	if err := json.Unmarshal(b, &s); err != nil || !strings.HasSuffix(s, "é… +1024 bytes") {
		t.Fatalf("%q, %v", s[max(0, len(s)-40):], err)
	}
}

func BenchmarkRecord(b *testing.B) {
	w, err := Create(filepath.Join(b.TempDir(), "run.jsonl"), Header{}, 0)
	if err != nil {
		b.Fatal(err)
	}
	st := &Stmt{SQL: "update account set balance = $1 where id = $2"}
	_ = w.Define(st)
	r := w.Recorder(0)
	args := []Value{Int(12345), Int(3)}
	b.ReportAllocs()
	for b.Loop() {
		r.Record(&Op{Scope: ScopeQuery, Kind: Invoke, Stmt: st, Txn: 99, Args: args})
		_ = r.Flush()
		r.Record(&Op{Scope: ScopeQuery, Kind: OK, Stmt: st, Txn: 99, Tag: "UPDATE 1", Status: 'T'})
	}
}

func BenchmarkRead(b *testing.B) {
	w, err := Create(filepath.Join(b.TempDir(), "run.jsonl"), Header{}, 0)
	if err != nil {
		b.Fatal(err)
	}
	st := &Stmt{SQL: "select balance from account where id = $1"}
	_ = w.Define(st)
	r := w.Recorder(0)
	const n = 100_000
	for i := range n {
		r.Record(&Op{Scope: ScopeQuery, Kind: Invoke, Stmt: st, Txn: int64(i), Args: []Value{Int(int64(i % 1000))}})
		r.Record(&Op{Scope: ScopeQuery, Kind: OK, Stmt: st, Txn: int64(i), Columns: []string{"balance"}, Rows: [][]Value{{Int(int64(i))}}, Tag: "SELECT 1", Status: 'T'})
		if i%8 == 0 {
			_ = r.Flush()
		}
	}
	_ = r.Flush()
	w.Close()
	f, err := Open(w.Path())
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(w.Size())
	b.ReportAllocs()
	for b.Loop() {
		for _, err := range f.Ops() {
			if err != nil {
				b.Fatal(err)
			}
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/n, "ns/statement")
}
