package stress

import (
	"strings"
	"testing"
	"time"
)

func TestTrouble(t *testing.T) {
	calm := health{started: "monday", free: 50}
	for name, tc := range map[string]struct {
		before, now health
		want        string
	}{
		"calm":                {calm, calm, ""},
		"failover":            {calm, health{recovery: true, started: "monday", free: 50}, "failover"},
		"restart":             {calm, health{started: "tuesday", free: 50}, "restarted"},
		"connections run out": {calm, health{started: "monday", free: 2}, "only 2 connections"},
		"they were out":       {health{started: "monday", free: 2}, health{started: "monday", free: 2}, ""},
		"replica falls back":  {calm, health{started: "monday", free: 50, lag: 11 * time.Second}, "11s behind"},
		"it was far back":     {health{started: "monday", free: 50, lag: time.Minute}, health{started: "monday", free: 50, lag: 70 * time.Second}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			got := trouble(tc.before, tc.now)
			if (got == "") != (tc.want == "") || !strings.Contains(got, tc.want) {
				t.Errorf("%q, want %q", got, tc.want)
			}
		})
	}
}
