package stress

import (
	"testing"

	"github.com/ccheck/ccheck/probes/scenario"
)

func TestDefineReplacesParams(t *testing.T) {
	sc, err := scenario.Open("wallet")
	if err != nil {
		t.Fatal(err)
	}
	o := &Options{vars: []scenario.Param{{Name: "accounts", Value: "3"}}}
	got := o.adapt(sc)
	if v := value(got.Params, "accounts"); v != "3" {
		t.Errorf("setup sees accounts = %q, want 3", v)
	}
	for _, a := range got.Actors {
		if v := value(a.Params, "accounts"); v != "3" {
			t.Errorf("actor %s sees accounts = %q, want 3", a.Name, v)
		}
	}
	if v := value(got.Params, "start"); v != value(sc.Params, "start") {
		t.Errorf("start = %q has changed", v)
	}
	if v := value(sc.Params, "accounts"); v != "10" {
		t.Errorf("the scenario itself has accounts = %q now", v)
	}
}

func value(params []scenario.Param, name string) string {
	for _, p := range params {
		if p.Name == name {
			return p.Value
		}
	}
	return ""
}

func TestClientsReplaceTheLanesOfOneActor(t *testing.T) {
	sc, err := scenario.Open("coupon")
	if err != nil {
		t.Fatal(err)
	}
	o := &Options{Clients: 33, ClientsGiven: true}
	if got := o.wanted(o.adapt(sc)); got != 33 {
		t.Errorf("%d lanes, want 33", got)
	}
	if got := (&Options{}).wanted(sc); got != 20 {
		t.Errorf("the scenario itself has %d lanes now, want 20", got)
	}
}

func TestSuits(t *testing.T) {
	for _, tt := range []struct {
		name, scenario string
		vars           []string
		fits           bool
	}{
		{"a parameter", "wallet", []string{"accounts"}, true},
		{"a variable of a script", "wallet", []string{"amount"}, true},
		{"a variable of pgbench", "wallet", []string{"random_seed"}, true},
		{"the start of a name", "wallet", []string{"accou"}, false},
		{"nothing", "wallet", []string{"accounts", "nosuch"}, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			sc, err := scenario.Open(tt.scenario)
			if err != nil {
				t.Fatal(err)
			}
			o := &Options{}
			for _, name := range tt.vars {
				o.vars = append(o.vars, scenario.Param{Name: name, Value: "1"})
			}
			if err := o.suits(sc); (err == nil) != tt.fits {
				t.Errorf("fits %v, error %v", tt.fits, err)
			}
		})
	}
}
