package serial

import "testing"

func TestLock(t *testing.T) {
	tests := []struct{ sql, want string }{
		{"SELECT cents FROM purse WHERE id = :id", "SELECT cents FROM purse WHERE id = :id FOR UPDATE"},
		{"SELECT no FROM folio ORDER BY no DESC LIMIT 1", "SELECT no FROM folio ORDER BY no DESC LIMIT 1 FOR UPDATE"},
		{"SELECT count(*) FROM seat", ""},
		{"SELECT a.x FROM a JOIN b ON a.id = b.id", ""},
		{"SELECT cents FROM purse FOR SHARE", ""},
		{"UPDATE purse SET cents = 1", ""},
		{"BEGIN", ""},
	}
	for _, tt := range tests {
		if got, ok := Lock(tt.sql); got != tt.want || ok != (tt.want != "") {
			t.Errorf("Lock(%q) = %q, %v", tt.sql, got, ok)
		}
	}
}
