package sqlread_test

import (
	"strconv"
	"testing"

	"github.com/ccheck/ccheck/analyzers/internal/sqlread"
)

func TestBind(t *testing.T) {
	for _, c := range []struct{ sql, want string }{
		{"SELECT a FROM t WHERE id = $2 AND b = $1", "SELECT a FROM t WHERE id = <2> AND b = <1>"},
		{"SELECT a FROM t WHERE id = ? AND b = ?", "SELECT a FROM t WHERE id = <1> AND b = <2>"},
		{"SELECT a\n\t-- the $1\n FROM t /* $2 */ WHERE b='$3  ?'", "SELECT a FROM t WHERE b='$3  ?'"},
		{"UPDATE t SET a=:a::int WHERE id = @id", "UPDATE t SET a=<a>::int WHERE id = <id>"},
		{"", ""},
		{"SELECT '", "SELECT '"},
	} {
		got := sqlread.Bind(c.sql, func(v sqlread.Value) string {
			if v.N > 0 {
				return "<" + strconv.Itoa(v.N) + ">"
			}
			return "<" + v.Text[1:] + ">"
		})
		if got != c.want {
			t.Errorf("%q\n got %q\nwant %q", c.sql, got, c.want)
		}
	}
}
