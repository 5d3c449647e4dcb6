package serial

import "testing"

func TestGuard(t *testing.T) {
	tests := []struct{ query, prefix, update, want string }{
		{
			"SELECT cents AS has FROM purse WHERE id = :id", "", "UPDATE purse SET cents = :new WHERE id = :id",
			"UPDATE purse SET cents = :new WHERE id = :id AND cents IS NOT DISTINCT FROM :has",
		},
		{
			"SELECT status, owner FROM job WHERE id = :id FOR SHARE", "j_", "UPDATE job SET status = 'done', owner = NULL WHERE id = :id\n",
			"UPDATE job SET status = 'done', owner = NULL WHERE id = :id AND status IS NOT DISTINCT FROM :j_status AND owner IS NOT DISTINCT FROM :j_owner",
		},
		{"SELECT cents FROM purse WHERE id = :src", "", "UPDATE purse SET cents = 1 WHERE id = :dst", ""},
		{"SELECT cents FROM purse WHERE id = :id", "", "UPDATE purse SET note = 'x' WHERE id = :id", ""},
		{"SELECT gone FROM purse WHERE id = :id", "", "UPDATE purse SET gone = 1 WHERE id = :id", ""},
		{"SELECT cents FROM purse WHERE id = :id", "", "UPDATE purse SET cents = 1 WHERE id = :id RETURNING cents", ""},
		{"SELECT sum(cents) AS cents FROM purse WHERE owner = :id", "", "UPDATE purse SET cents = 1 WHERE owner = :id", ""},
		{"SELECT cents FROM purse ORDER BY id LIMIT 1", "", "UPDATE purse SET cents = 1", ""},
	}
	for _, tt := range tests {
		var seen []Seen
		if s, ok := See(tt.query, tt.prefix); ok {
			seen = append(seen, s)
		}
		got, ok := Guard(tt.update, seen, func(v string) bool { return v == "gone" })
		if ok != (tt.want != "") || ok && got != tt.want {
			t.Errorf("Guard(%q) after %q = %q, %v", tt.update, tt.query, got, ok)
		}
	}
}
