package sqlread

import (
	"slices"
	"testing"
)

func args(texts ...string) Args {
	return func(n int) (string, bool) {
		if n < 1 || n > len(texts) {
			return "", false
		}
		return texts[n-1], true
	}
}

func TestConflicts(t *testing.T) {
	const read = "SELECT balance FROM account WHERE id = $1"
	const write = "UPDATE account SET balance = $2 WHERE id = $1"
	tests := []struct {
		name    string
		a, b    string
		x, y    Args
		kind    ClashKind
		columns []string
	}{
		{"two reads", read, read, args("1"), args("1"), NoClash, nil},
		{"same row", read, write, args("1"), args("1", "70"), RowClash, []string{"balance"}},
		{"other row", read, write, args("1"), args("2", "70"), NoClash, nil},
		{"unknown value", read, write, args("1"), nil, TableClash, []string{"balance"}},
		{"other column", "SELECT owner FROM account WHERE id = $1", write, args("1"), args("1", "70"), NoClash, nil},
		{"whole row", "SELECT * FROM account", write, nil, args("1", "70"), TableClash, []string{"balance"}},
		{"two writes", write, "UPDATE account SET balance = balance + 1 WHERE id IN (1, 2)", args("2", "3"), nil, RowClash, []string{"balance"}},
		{"other columns of one row, locked", write, "UPDATE account SET owner = 'x' WHERE id = 1", args("1", "3"), nil, RowClash, nil},
		{"range and insert", "SELECT count(*) FROM stay WHERE room = $1 AND nights && $2", "INSERT INTO stay (room, nights) VALUES ($1, $2)", args("1", "a"), args("1", "b"), RowClash, nil},
		{"range and insert elsewhere", "SELECT count(*) FROM stay WHERE room = $1 AND nights && $2", "INSERT INTO stay (room, nights) VALUES ($1, $2)", args("1", "a"), args("2", "b"), NoClash, nil},
		{"case folded", "SELECT 1 FROM member WHERE lower(mail) = lower($1)", "INSERT INTO member (mail) VALUES ($1)", args("Zoe@x"), args("zoe@X"), RowClash, nil},
		{"case folded, other", "SELECT 1 FROM member WHERE lower(mail) = lower($1)", "INSERT INTO member (mail) VALUES ($1)", args("Zoe@x"), args("yan@x"), NoClash, nil},
		{"the write moves the row into the range", "SELECT id FROM job WHERE state = 'ready'", "UPDATE job SET state = 'ready' WHERE state = 'failed'", nil, nil, TableClash, []string{"state"}},
		{"excluded row", "SELECT count(*) FROM seat WHERE person <> 'wen'", "UPDATE seat SET person = person WHERE id = 1", nil, nil, TableClash, []string{"person"}},
		{"not this row", "SELECT count(*), max(role) FROM seat WHERE person <> 'wen'", "UPDATE seat SET role = 'x' WHERE person = 'wen'", nil, nil, NoClash, nil},
		{"two locks", "SELECT id FROM court WHERE id = $1 FOR UPDATE", "SELECT id FROM court WHERE id = $1 FOR SHARE", args("3"), args("3"), RowClash, nil},
		{"two shares", "SELECT id FROM court WHERE id = $1 FOR SHARE", "SELECT id FROM court WHERE id = $1 FOR SHARE", args("3"), args("3"), NoClash, nil},
		{"array", "SELECT * FROM account WHERE id = ANY($1)", write, args("{1,2}"), args("2", "5"), RowClash, []string{"balance"}},
		{"key put together", "SELECT * FROM coupon WHERE code = 'c' || $1", "UPDATE coupon SET used = true WHERE code = concat('c', $1)", args("5"), args("5"), RowClash, []string{"used"}},
		{"key put together, other", "SELECT * FROM coupon WHERE code = 'c' || $1", "UPDATE coupon SET used = true WHERE code = lower('C' || $1::text)", args("5"), args("4"), NoClash, nil},
		{"key put together and folded", "SELECT * FROM coupon WHERE code = 'c5'", "UPDATE coupon SET used = true WHERE code = lower('C' || $1)", nil, args("5"), RowClash, []string{"used"}},
		{"two inserts", "INSERT INTO k (key) VALUES ($1)", "INSERT INTO k (key) VALUES ($1)", args("a"), args("a"), RowClash, nil},
		{"two inserts apart", "INSERT INTO k (key) VALUES ($1)", "INSERT INTO k (key) VALUES ($1)", args("a"), args("b"), NoClash, nil},
		{"opaque", "CALL pay($1)", write, args("1"), args("1", "2"), TableClash, nil},
		{"NULL names no row", read, write, func(int) (string, bool) { return "", false }, args("1", "2"), TableClash, []string{"balance"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			a, b := Read(tt.a), Read(tt.b)
			for _, c := range []Clash{Conflicts(&a, &b, tt.x, tt.y), Conflicts(&b, &a, tt.y, tt.x)} {
				if c.Kind != tt.kind || !slices.Equal(c.Columns, tt.columns) {
					t.Errorf("Conflicts = %d %v, want %d %v", c.Kind, c.Columns, tt.kind, tt.columns)
				}
			}
		})
	}
}
