package stress

import (
	"testing"

	"github.com/ccheck/ccheck/cmd/internal/flags"
	"github.com/ccheck/ccheck/cmd/internal/place"
	"github.com/ccheck/ccheck/probes/scenario"
)

func TestAgain(t *testing.T) {
	const command = "ccheck stress shop --isolation rc --seed 7"
	plain := &scenario.Scenario{Name: "shop"}
	tests := []struct {
		name string
		o    Options
		sc   *scenario.Scenario
		want string
	}{
		{"built in", Options{Name: "shop"}, plain, command},
		{"folder", Options{Name: "./my shop"}, plain, "ccheck stress './my shop' --isolation rc --seed 7"},
		{"version in the name", Options{Name: "./shop/atomic"}, &scenario.Scenario{Name: "shop", Version: "atomic"}, "ccheck stress ./shop --isolation rc --seed 7"},
		{"variables", Options{Name: "shop", Define: []string{"n=5", "who=it's"}, Think: "0-5ms"}, plain, command + ` -D n=5 -D 'who=it'\''s' --think 0-5ms`},
		{"variable with the server", Options{Name: "shop", Place: place.Flags{Target: flags.Target{DSN: "env:SHOP"}}}, plain, command + " --dsn env:SHOP"},
		{"server with a password", Options{Name: "shop", Place: place.Flags{Target: flags.Target{DSN: "postgres://a:canary@h/d"}}}, plain, command},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := tt.o.again(command, tt.sc); got != tt.want {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
		})
	}
}
