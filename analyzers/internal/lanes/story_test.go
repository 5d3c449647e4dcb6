package lanes_test

import (
	"strings"
	"testing"

	"github.com/ccheck/ccheck/analyzers/internal/lanes"
)

// Two writes of one row are on their way at once: the one that was sent last
// took the row, so the other stands behind it and waits.
func TestOvertaken(t *testing.T) {
	const tables = "table t: id integer key, n integer\n"
	tests := []struct{ name, lines, want string }{
		{"sent first, second at the row", "A: BEGIN\nB: BEGIN\nA< UPDATE t SET n = 1 WHERE id = 1\nB: UPDATE t SET n = 2 WHERE id = 1 => UPDATE 1\nB: COMMIT\nA> UPDATE 1\nA: COMMIT",
			"T2 n = 2|T1 n = 1 waits for T2, 5ms|T2 COMMIT ok|T1 COMMIT ok"},
		{"sent last", "A: BEGIN\nB: BEGIN\nB: UPDATE t SET n = 2 WHERE id = 1 => UPDATE 1\nA< UPDATE t SET n = 1 WHERE id = 1\nB: COMMIT\nA> UPDATE 1\nA: COMMIT",
			"T1 n = 2|T2 n = 1 waits for T1, 3ms|T1 COMMIT ok|T2 COMMIT ok"},
		{"sent when the row was free", "A: BEGIN\nB: BEGIN\nB: UPDATE t SET n = 2 WHERE id = 1 => UPDATE 1\nB: COMMIT\nA: UPDATE t SET n = 1 WHERE id = 1 => UPDATE 1\nA: COMMIT",
			"T1 n = 2|T1 COMMIT ok|T2 n = 1|T2 COMMIT ok"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			tracker, calls := track(t, tables+tt.lines)
			b, a := calls[0].Txns[0], calls[1].Txns[0]
			links := []lanes.Link{{Kind: "ww", From: lanes.Spot{Txn: b, Stmt: 1}, To: lanes.Spot{Txn: a, Stmt: 1}}}
			s := lanes.Tell(tracker.Schema, []*lanes.Txn{a, b}, links)
			var got []string
			for _, x := range s.Steps {
				got = append(got, strings.Join(strings.Fields(s.Lanes[x.Lane].Name+" "+x.Wrote+" "+x.Result+" "+x.Wait), " "))
			}
			if text := strings.Join(got, "|"); text != tt.want {
				t.Errorf("got  %s\nwant %s", text, tt.want)
			}
		})
	}
}
