package ledger

import (
	"fmt"
	"strings"
	"testing"

	"github.com/ccheck/ccheck/probes/explore"
)

// failing is a test that is to fail.
type failing struct {
	*testing.T
	text string
}

func (f *failing) Errorf(format string, args ...any) { f.text += fmt.Sprintf(format, args...) }

// Each constraint is there for something: without it the invariants see a fault.
func TestPlanted(t *testing.T) {
	tests := []struct {
		name, old, new string
		lanes          []explore.Func
		want           string
	}{
		{
			"no floor", "CHECK (balance >= floor)", "CHECK (true)",
			[]explore.Func{pay("rent", "r1", 2, 3, 80), pay("food", "f1", 2, 1, 80)}, "no account is below its floor",
		},
		{
			"balance that is read first", "UPDATE ledger_balance SET balance = balance + NEW.amount WHERE account_id = NEW.account_id;",
			"UPDATE ledger_balance SET balance = (SELECT sum(amount) FROM ledger_entry WHERE account_id = NEW.account_id) WHERE account_id = NEW.account_id;",
			[]explore.Func{pay("rent", "r1", 2, 3, 10), pay("food", "f1", 2, 1, 10)}, "a balance is the sum of its entries",
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			broken := strings.Replace(setup(), tt.old, tt.new, 1)
			if broken == setup() {
				t.Fatalf("the migration does not hold %q", tt.old)
			}
			f := &failing{T: t}
			if n := explore.Run(f, explore.Test{Setup: broken, Lanes: tt.lanes, Invariants: invariants(nil)}); n.Broken == 0 || !strings.Contains(f.text, tt.want) {
				t.Errorf("%d of %d schedules broken: %s", n.Broken, n.Schedules, f.text)
			}
		})
	}
}
