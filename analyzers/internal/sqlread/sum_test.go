package sqlread

import "testing"

func TestSum(t *testing.T) {
	args := func(n int) (string, bool) {
		values := []string{"15", "2.50", "2026-05-01"}
		if n > len(values) {
			return "", false
		}
		return values[n-1], true
	}
	tests := []struct{ expr, want string }{
		{"$1 - 1", "14"},
		{"$1 + 1 - $1", "1"},
		{"1 - $2", "-1.50"},
		{"($1 + 1)", "16"},
		{"$1 - 1::bigint", "14"},
		{"$1 - -1", "16"},
		{"$1 - 2 * 3", ""},
		{"$3 - 1", ""},
		{"$4 - 1", ""},
		{"n - 1", ""},
		{"- $1", ""},
		{"$1 -", ""},
	}
	for _, tt := range tests {
		a := Read("UPDATE t SET n = " + tt.expr + " WHERE id = 7")
		texts, ok := a.Tables[0].Writes[0].Value.Resolve(args)
		if a.Tables[0].Writes[0].Kind == Relative {
			texts, ok = nil, false
		}
		if ok != (tt.want != "") || ok && texts[0] != tt.want {
			t.Errorf("%s is %q (%v), want %q", tt.expr, texts, ok, tt.want)
		}
	}
}
