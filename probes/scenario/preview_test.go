package scenario_test

import (
	"slices"
	"testing"

	"github.com/ccheck/ccheck/probes/scenario"
)

// A preview has values where a run would have the same ones, and says of the
// others what they will be.
func TestPreview(t *testing.T) {
	sc := &scenario.Scenario{
		Params: []scenario.Param{{Name: "start", Value: "100"}, {Name: "less", Value: "-5"}, {Name: "who", Value: "o'hara", Quoted: true}},
		Actors: []scenario.Actor{{Name: "pay"}, {Name: "refund"}},
	}
	tests := []struct {
		sql, want string
		counted   []string
	}{
		{"SELECT 1 WHERE sum <> :start - :less", "SELECT 1 WHERE sum <> 100 - (-5)", nil},
		{"SELECT ':start', x::int WHERE name = :who", "SELECT ':start', x::int WHERE name = 'o''hara'", nil},
		{
			"SELECT :ok_pay - :ok_pay + :unknown_refund + :start", "SELECT :ok_pay - :ok_pay + :unknown_refund + 100",
			[]string{":ok_pay is the number of calls of pay that were accepted", ":unknown_refund is the number of calls of refund whose answer was lost"},
		},
		{"SELECT :refused_pay, :failed_pay", "SELECT :refused_pay, :failed_pay",
			[]string{":refused_pay is the number of calls of pay that were refused", ":failed_pay is the number of calls of pay that failed"}},
	}
	for _, tt := range tests {
		text, counted, err := sc.Preview(scenario.Invariant{SQL: scenario.Source{Text: tt.sql}})
		if err != nil || text != tt.want || !slices.Equal(counted, tt.counted) {
			t.Errorf("%s: %q, %q, error %v", tt.sql, text, counted, err)
		}
	}
	if _, _, err := sc.Preview(scenario.Invariant{SQL: scenario.Source{Text: "SELECT :ok_nobody"}}); err == nil {
		t.Error("a variable that is nowhere has a preview")
	}
}
