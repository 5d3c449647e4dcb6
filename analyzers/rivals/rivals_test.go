package rivals_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ccheck/ccheck/analyzers/rivals"
	"github.com/ccheck/ccheck/probes/history"
)

func call(statements ...string) rivals.Call {
	var c rivals.Call
	for _, s := range statements {
		c.Statements = append(c.Statements, rivals.Statement{SQL: s})
	}
	return c
}

func TestCompare(t *testing.T) {
	read, write := "SELECT stock FROM item WHERE id = 1", "UPDATE item SET stock = 4 WHERE id = 1"
	tests := []struct {
		name string
		a, b rivals.Call
		risk rivals.Risk
		at   string
	}{
		{"check and write", call(read, write), call(read, write), rivals.High, "item.stock"},
		{"another row", call(read, write), call("SELECT stock FROM item WHERE id = 2", "UPDATE item SET stock = 4 WHERE id = 2"), rivals.None, ""},
		{"one atomic statement", call("UPDATE item SET stock = stock - 1 WHERE id = 1 AND stock > 0"), call("UPDATE item SET stock = stock - 1 WHERE id = 1 AND stock > 0"), rivals.Low, "item.stock"},
		{"an atomic one in between", call(read, write), call("UPDATE item SET stock = stock - 1 WHERE id = 1"), rivals.High, "item.stock"},
		{"two readers", call(read, read), call(read), rivals.None, ""},
		{"a reader of two", call(read, "SELECT price FROM item WHERE id = 1"), call("UPDATE item SET stock = 1, price = 2 WHERE id = 1"), rivals.High, "item.price"},
		{"count and insert", call("SELECT count(*) FROM seat WHERE show = 3", "INSERT INTO seat (show) VALUES (3)"), call("SELECT count(*) FROM seat WHERE show = 3", "INSERT INTO seat (show) VALUES (3)"), rivals.High, "seat"},
		{"rows not known", call("SELECT sum(n) FROM t", "UPDATE t SET n = 0"), call("UPDATE t SET n = 1 WHERE id = 5"), rivals.Medium, "t.n"},
		{"another column", call(read, write), call("UPDATE item SET title = 'x' WHERE id = 1"), rivals.Low, "item"},
		{"the order that cannot cycle", call("UPDATE a SET x = 1 WHERE id = 1", "UPDATE b SET x = 1 WHERE id = 1"), call("UPDATE a SET x = 2 WHERE id = 1"), rivals.Low, "a.x"},
		{"the same order, both", call("UPDATE a SET x = 1 WHERE id = 1", "UPDATE b SET x = 1 WHERE id = 1"), call("UPDATE a SET x = 2 WHERE id = 1", "UPDATE b SET x = 2 WHERE id = 1"), rivals.High, "b.x"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p := rivals.NewReader().Compare(&tt.a, &tt.b)
			if p.Risk != tt.risk || p.Where != tt.at {
				t.Errorf("%s at %s (%s), want %s at %s", p.Risk, p.Where, p.Why, tt.risk, tt.at)
			}
		})
	}
}

// Values decide on the rows; one that was masked, or a statement that may be of
// another call, makes it less certain and never less.
func TestArguments(t *testing.T) {
	of := func(id history.Value, maybe bool) rivals.Call {
		return rivals.Call{Statements: []rivals.Statement{
			{SQL: "SELECT stock FROM item WHERE id = $1", Args: []history.Value{id}, Maybe: maybe},
			{SQL: "UPDATE item SET stock = $2 WHERE id = $1", Args: []history.Value{id, history.Int(4)}, Maybe: maybe},
		}}
	}
	calls := []rivals.Call{of(history.Int(1), false), of(history.Int(2), false), of(history.Null, false), of(history.Int(1), true)}
	var got []string
	for _, p := range rivals.NewReader().Rank(calls, func(i int) bool { return i == 0 }) {
		got = append(got, string(rune('a'+p.A))+string(rune('a'+p.B))+" "+p.Risk.String())
	}
	want := []string{"aa high", "ac medium", "ad medium", "bc medium", "cd medium", "ab none", "bd none"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestColumns(t *testing.T) {
	for sql, want := range map[string][]string{
		"INSERT INTO users (name, password_hash) VALUES ($1, $2)": {"users.name", "users.password_hash"},
		"UPDATE users SET token = $2 WHERE id = $1":               {"users.id", "users.token"},
		"SELECT $1, lower($2)":                                    {"", ""},
	} {
		if diff := cmp.Diff(want, rivals.Columns(sql)); diff != "" {
			t.Errorf("%s: %s", sql, diff)
		}
	}
}
