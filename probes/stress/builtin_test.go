package stress_test

import (
	"testing"

	"github.com/ccheck/ccheck/probes/scenario"
	"github.com/ccheck/ccheck/probes/stress"
)

// Every built-in scenario and every variant of it runs on a real server: what
// the manifest's check cannot see, such as an operator that the server finds
// ambiguous, ends a run here.
func TestEveryBuiltinRuns(t *testing.T) {
	for _, sc := range scenario.Builtin() {
		versions := []*scenario.Scenario{sc}
		for _, v := range sc.Variants() {
			version, err := sc.Variant(v)
			if err != nil {
				t.Fatal(err)
			}
			versions = append(versions, version)
		}
		for _, v := range versions {
			t.Run(v.FullName(), func(t *testing.T) { runs(t, v) })
		}
	}
}

func runs(t *testing.T, sc *scenario.Scenario) {
	o := options(t, sc)
	o.Clients, o.Transactions = 4, 10
	res, err := stress.Run(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	if res.Final.Total.Accepted+res.Final.Total.Refused == 0 {
		t.Errorf("no call got an answer: %+v", res.Final.Total)
	}
	for _, c := range res.Final.Claims {
		if c.State == "error" {
			t.Errorf("claim %q cannot be asked: %s", c.Name, c.Note)
		}
	}
}
