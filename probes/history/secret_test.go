package history_test

import (
	"testing"

	"github.com/ccheck/ccheck/probes/history"
)

func TestMask(t *testing.T) {
	m := history.NewMask([]string{"users.Mail", "iban2"})
	tests := []struct {
		name, value string
		want        bool
	}{
		{"password", "x", true}, {"passwd", "x", true}, {"password_hash", "x", true}, {"api_key", "k", true}, {"apiKey", "k", true},
		{"ssn", "1", true}, {"users.ssn", "1", true}, {"card_number", "4", true}, {"cvv", "123", true}, {"pin", "1", true},
		{"body.user.token", "abc", true}, {"session_id", "77777777", true},
		{"tokens", "5", false}, {"session_count", "12", false}, {"is_secret", "t", false},
		{"passenger", "Ann", false}, {"spin", "1", false}, {"card_id", "9", false}, {"compass", "N", false}, {"id", "1", false},
		{"mail", "a@b", true}, {"users.mail", "a@b", true}, {"iban2", "1", true}, {"mailbox", "1", false},
		{"password", "", false}, {"", "rooms", false},
	}
	for _, tt := range tests {
		if got := m.Hides(tt.name, history.Text(tt.value)); got != tt.want {
			t.Errorf("%s %q: %v", tt.name, tt.value, got)
		}
	}
	if got := history.Mask(nil).Show("token", history.Null); got != "NULL" {
		t.Errorf("NULL is shown as %s", got)
	}
}
