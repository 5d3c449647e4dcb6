package lanes_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/ccheck/ccheck/analyzers/internal/historytest"
	"github.com/ccheck/ccheck/analyzers/internal/lanes"
)

// track returns the calls in the order in which they ended, the unfinished last.
func track(t *testing.T, lines string) (*lanes.Tracker, []*lanes.Call) {
	t.Helper()
	f := historytest.Read(t, lines)
	tracker := lanes.NewTracker(f.Header)
	var calls []*lanes.Call
	for o, err := range f.Ops() {
		if err != nil {
			t.Fatal(err)
		}
		if c := tracker.Add(o); c != nil {
			calls = append(calls, c)
		}
	}
	return tracker, append(calls, tracker.Unfinished()...)
}

// describe writes a call as "pay: 1 committed 3, 2 aborted 2 +outside".
func describe(c *lanes.Call) string {
	states := [...]string{"open", "committed", "aborted", "unknown"}
	var parts []string
	for _, x := range c.Txns {
		text := fmt.Sprintf("try %d %s %d", x.Try, states[x.State], len(x.Stmts))
		if len(x.Outside) > 0 {
			text += fmt.Sprintf(" +%d outside", len(x.Outside))
		}
		parts = append(parts, text)
	}
	return c.Actor + ": " + strings.Join(parts, ", ")
}

func TestTransactions(t *testing.T) {
	tests := []struct {
		name, lines string
		want        []string
	}{
		{"autocommit", "A calls x\nA: UPDATE t SET a = 1 => UPDATE 1\nA: SELECT 1 => ?: 1\nA ends accepted", []string{"x: try 1 committed 1, try 1 committed 1"}},
		{"begin and commit", "A calls x\nA: BEGIN\nA: UPDATE t SET a = 1 => UPDATE 1\nA: COMMIT\nA ends accepted", []string{"x: try 1 committed 3"}},
		{"commit of a failed transaction", "A calls x\nA: BEGIN\nA: UPDATE t SET a = 1 => ERROR 23514 no\nA: COMMIT\nA ends failed 23514 no", []string{"x: try 1 aborted 3"}},
		{"commit that fails", "A calls x\nA: BEGIN\nA: UPDATE t SET a = 1 => UPDATE 1\nA: COMMIT => ERROR 40001 no\nA ends failed 40001 no", []string{"x: try 1 aborted 3"}},
		{"retry", "A calls x\nA: BEGIN\nA: UPDATE t SET a = 1 => ERROR 40001 no\nA: ROLLBACK\nA: BEGIN\nA: COMMIT\nA ends accepted", []string{"x: try 1 aborted 3, try 2 committed 2"}},
		{"connection lost", "A calls x\nA: BEGIN\nA: UPDATE t SET a = 1 => LOST\nA ends unknown", []string{"x: try 1 unknown 2"}},
		{"outside", "A calls x\nA: BEGIN\nA~ INSERT INTO c VALUES (1) => INSERT 0 1\nA: COMMIT\nA ends accepted", []string{"x: try 1 committed 2 +1 outside, try 1 committed 1"}},
		{"the history ends", "A calls x\nA: BEGIN\nA< UPDATE t SET a = 1", []string{"x: try 1 open 2"}},
		{"no call", "A: BEGIN\nA: COMMIT\nB: SELECT 1 => ?: 1", []string{": try 1 committed 2", ": try 1 committed 1"}},
		{"a call without statements", "A calls x\nA ends refused", []string{"x: "}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, calls := track(t, tt.lines)
			var got []string
			for _, c := range calls {
				got = append(got, describe(c))
			}
			if strings.Join(got, "|") != strings.Join(tt.want, "|") {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

func TestLevelOfOneTransaction(t *testing.T) {
	_, calls := track(t, "level read committed\nA calls x\nA: BEGIN ISOLATION LEVEL SERIALIZABLE\nA: COMMIT\nA: BEGIN\nA: SET TRANSACTION ISOLATION LEVEL REPEATABLE READ\nA: COMMIT\nA: BEGIN\nA: COMMIT\nA ends accepted")
	want := []lanes.Level{lanes.Serializable, lanes.RepeatableRead, lanes.ReadCommitted}
	for i, x := range calls[0].Txns {
		if x.Level != want[i] {
			t.Errorf("transaction %d runs at %s, want %s", i, x.Level, want[i])
		}
	}
}

// What nothing open overlaps is forgotten, and a lane that stays open cannot
// fill the memory.
func TestMemory(t *testing.T) {
	one := "B calls x\nB ends accepted\n"
	tracker, _ := track(t, strings.Repeat(one, 1000))
	if n := len(tracker.Recent()); n > 64 {
		t.Errorf("%d calls are kept although none overlaps", n)
	}
	tracker, _ = track(t, "A calls sleeper\nA: BEGIN\n"+strings.Repeat(one, 9000))
	if n := len(tracker.Recent()); n > 8192+64 || tracker.Dropped == 0 {
		t.Errorf("%d calls are kept and %d counted as dropped while one is open", n, tracker.Dropped)
	}
}

func TestSQL(t *testing.T) {
	const tables = "table t: id integer key, name text, n numeric\n"
	tests := []struct{ line, want string }{
		{"A: UPDATE t SET n = n - $2 WHERE id = $1 | 3, 2.50 => UPDATE 1", "UPDATE t SET n = n - 2.50 WHERE id = 3"},
		{"A: SELECT 1 FROM t WHERE name = $1 | 42 => ?: 1", "SELECT 1 FROM t WHERE name = '42'"},
		{"A: INSERT INTO t VALUES ($1, $2, $3) | 1, it's, NULL => INSERT 0 1", "INSERT INTO t VALUES (1, 'it''s', NULL)"},
		{"A: SELECT '$1', $1 -- $1 | 7 => ?: 7", "SELECT '$1', 7 -- $1"},
		{"A: SELECT $3 | 7 => ?: 7", "SELECT $3"},
	}
	for _, tt := range tests {
		tracker, calls := track(t, tables+tt.line)
		if got := tracker.Schema.SQL(&calls[0].Txns[0].Stmts[0]); got != tt.want {
			t.Errorf("got %s, want %s", got, tt.want)
		}
	}
}
