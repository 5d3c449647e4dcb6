package explore

import (
	"testing"

	"github.com/ccheck/ccheck/cmd/internal/flags"
)

func TestWhoMayRefuse(t *testing.T) {
	for _, tt := range []struct{ scenario, actor, want string }{
		{"coupon", "redeem", "redeem"}, {"counter", "view", ""}, {"inventory", "deliver", ""}, {"inventory", "order", "order"},
	} {
		sc, err := flags.OpenScenario(tt.scenario)
		if err != nil {
			t.Fatal(err)
		}
		d := &done{cell: &cell{sc: sc, actors: []string{tt.actor, tt.actor}}}
		if got := d.decider(); got != tt.want {
			t.Errorf("%s of %s: %q, want %q", tt.actor, tt.scenario, got, tt.want)
		}
	}
}
