package sqlread

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write the goldens")

// TestRead reads the statements of testdata/cases.sql, one a line, and
// compares what they are said to do with cases.golden.
func TestRead(t *testing.T) {
	src, err := os.ReadFile(filepath.Join("testdata", "cases.sql"))
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for line := range strings.Lines(string(src)) {
		line = strings.TrimSpace(line)
		fmt.Fprintf(&b, "%s\n%s\n", line, describe(Read(line)))
	}
	golden(t, filepath.Join("testdata", "cases.golden"), b.String())
}

func golden(t *testing.T, file, got string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s differs (-want +got); go test -update writes it:\n%s", file, diff)
	}
}

// describe writes an Access as indented lines.
func describe(a Access) string {
	var b strings.Builder
	if a.Control != None || a.Opaque || a.Advisory {
		fmt.Fprintf(&b, "    control=%d level=%q opaque=%v advisory=%v\n", a.Control, a.Level, a.Opaque, a.Advisory)
	}
	for _, t := range a.Tables {
		fmt.Fprintf(&b, "    %s %s", t.Kind, t.Name)
		if t.Alias != t.Name {
			fmt.Fprintf(&b, " as %s", t.Alias)
		}
		for _, f := range []struct {
			on   bool
			text string
		}{{t.Exact, "exact"}, {t.Sub, "sub"}, {t.Aggregate, "aggregate"}, {t.Limited, "limited"}, {t.SkipLocked, "skip locked"}, {t.NoWait, "nowait"},
			{t.Kind == Lock, t.Lock.String()}, {len(t.Columns) > 0, fmt.Sprint("sees ", t.Columns)}, {t.OnConflict != "", fmt.Sprint("on conflict ", t.Target, " ", t.OnConflict)}} {
			if f.on {
				fmt.Fprintf(&b, ", %s", f.text)
			}
		}
		b.WriteByte('\n')
		for _, p := range t.Preds {
			fmt.Fprintf(&b, "        where %s %s %s  [%s]\n", call(p.Func, p.Column), p.Op, values(p.Values), p.Text)
		}
		for _, w := range t.Writes {
			fmt.Fprintf(&b, "        set %s %s %s%s\n", w.Column, [...]string{"", "absolute", "relative", "computed"}[w.Kind], w.Sign, values([]Value{w.Value}))
		}
		if t.Kind == Insert {
			fmt.Fprintf(&b, "        into %v", t.Into)
			for _, r := range t.Rows {
				fmt.Fprintf(&b, " %s", values(r))
			}
			b.WriteByte('\n')
		}
	}
	for _, o := range a.Outputs {
		fmt.Fprintf(&b, "    gives %q = table %d %s\n", o.Name, o.Table, call(o.Func, o.Column))
	}
	return b.String()
}

func call(f, x string) string {
	if f == "" {
		return x
	}
	return f + "(" + x + ")"
}

func values(vs []Value) string {
	var parts []string
	for _, v := range vs {
		kind := [...]string{"?", "param", "literal", "null", "column", "default", "expr"}[v.Kind]
		parts = append(parts, strings.TrimSpace(kind+" "+call(v.Func, v.Text)))
	}
	return "(" + strings.Join(parts, ", ") + ")"
}

func FuzzRead(f *testing.F) {
	src, err := os.ReadFile(filepath.Join("testdata", "cases.sql"))
	if err != nil {
		f.Fatal(err)
	}
	for line := range strings.Lines(string(src)) {
		f.Add(line)
	}
	f.Fuzz(func(t *testing.T, sql string) {
		a := Read(sql)
		for _, table := range a.Tables {
			if table.Kind < Select || table.Kind > Delete {
				t.Errorf("table %q has kind %d", table.Name, table.Kind)
			}
			if table.Tail < 0 || table.Tail > len(sql) {
				t.Errorf("table %q has tail %d of %d bytes", table.Name, table.Tail, len(sql))
			}
		}
		Conflicts(&a, &a, nil, nil)
	})
}

func BenchmarkRead(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		Read("UPDATE account SET balance = balance - $1, version = version + 1 WHERE id = $2 AND balance >= $1 RETURNING balance")
	}
}
