package fenced

import (
	"slices"
	"testing"
	"time"

	"github.com/ccheck/ccheck/probes/history"
)

// tale builds what instances told, in milliseconds.
type tale struct{ r *record }

func at(ms int) time.Duration { return time.Duration(ms) * time.Millisecond }

func newTale(end int) *tale {
	return &tale{&record{byNumber: map[int64]*grant{}, byName: map[string][]*grant{}, whole: true, end: at(end)}}
}

func (t *tale) call(what string, lane int, from, to int, number int64, outcome history.Outcome) *tale {
	t.r.add(&call{what: what, lane: lane, start: at(from), sent: at(from), end: at(to), outcome: outcome, name: "leader",
		token: string(rune('0' + number)), grant: number, ttl: at(1000), told: true, tick: number})
	return t
}

func (t *tale) leader(lane, from, to int, number int64) *tale {
	return t.call("acquire", lane, from, to, number, history.Accepted)
}

func (t *tale) follower(lane, from, to int, number int64) *tale {
	return t.call("release", lane, from, to, number, history.Accepted)
}

func (t *tale) still(lane, from, to int, number int64) *tale {
	return t.call("renew", lane, from, to, number, history.Accepted)
}

func (t *tale) fault(lane, when int, what string) *tale {
	t.r.faults = append(t.r.faults, fault{lane, what, at(when)})
	return t
}

func (t *tale) pause(lane, from, to int) *tale {
	t.r.pauses = append(t.r.pauses, pause{lane, at(from), at(to)})
	return t.fault(lane, from, "paused").fault(lane, to, "resumed")
}

// Two lead only where both do for certain.
func TestTwoTold(t *testing.T) {
	tests := map[string]struct {
		kind string
		tale *tale
		two  bool
	}{
		"one after the other":             {command, newTale(5000).leader(0, 100, 105, 1).follower(0, 2000, 2005, 1).leader(1, 2000, 2010, 2), false},
		"the first does not stop":         {command, newTale(5000).leader(0, 100, 105, 1).leader(1, 2000, 2010, 2).follower(0, 3000, 3005, 1), true},
		"within the doubt":                {command, newTale(5000).leader(0, 100, 105, 1).leader(1, 2000, 2010, 2).follower(0, 2008, 2015, 1), false},
		"the first was killed":            {command, newTale(5000).leader(0, 100, 105, 1).fault(0, 1500, "killed").leader(1, 2500, 2510, 2), false},
		"the first ended by itself":       {command, newTale(5000).leader(0, 100, 105, 1).fault(0, 1500, "ended").leader(1, 2500, 2510, 2), false},
		"the first is stopped":            {command, newTale(5000).leader(0, 100, 105, 1).pause(0, 1000, 3000).leader(1, 2000, 2010, 2).follower(0, 3900, 3905, 1), false},
		"stopped, and does not notice":    {command, newTale(9000).leader(0, 100, 105, 1).pause(0, 1000, 3000).leader(1, 2000, 2010, 2).follower(0, 4500, 4505, 1), true},
		"stopped until the end":           {command, newTale(9000).leader(0, 100, 105, 1).fault(0, 1000, "paused").leader(1, 2000, 2010, 2), false},
		"cut off, and does not notice":    {command, newTale(9000).leader(0, 100, 105, 1).fault(0, 1000, "cut off").leader(1, 2000, 2010, 2), true},
		"cut off, and stops":              {command, newTale(9000).leader(0, 100, 105, 1).fault(0, 1000, "cut off").follower(0, 1900, 1905, 1).leader(1, 2000, 2010, 2), false},
		"elected anew":                    {command, newTale(9000).leader(0, 100, 105, 1).leader(0, 1000, 1005, 2).leader(1, 900, 990, 3).follower(1, 995, 998, 3), true},
		"asked, and says so no more":      {watched, newTale(9000).leader(0, 100, 105, 1).still(0, 200, 205, 1).leader(1, 2000, 2010, 2).still(1, 2100, 2105, 2), false},
		"asked, and both say so":          {watched, newTale(9000).leader(0, 100, 105, 1).still(0, 400, 405, 1).leader(1, 500, 510, 2).still(0, 600, 605, 1).still(1, 700, 705, 2).still(0, 800, 805, 1), true},
		"asked while it was stopped":      {watched, newTale(9000).leader(0, 100, 105, 1).leader(1, 2000, 2010, 2).still(0, 200, 3000, 1).still(1, 3500, 3505, 2).still(0, 3300, 3305, 1), false},
		"stopped, and says so for long":   {watched, newTale(9000).leader(0, 100, 105, 1).leader(1, 2000, 2010, 2).still(0, 200, 3000, 1).still(0, 3300, 3305, 1).still(0, 3700, 3705, 1).still(0, 4100, 4105, 1).still(1, 2400, 2405, 2).still(1, 2800, 2805, 2).still(1, 3200, 3205, 2).still(1, 3600, 3605, 2).still(1, 4000, 4005, 2).still(1, 4400, 4405, 2), true},
		"three, of which two are at odds": {command, newTale(9000).leader(0, 100, 105, 1).follower(0, 900, 905, 1).leader(1, 1000, 1005, 2).leader(2, 2000, 2005, 3), true},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			tt.tale.r.index()
			j := tt.tale.r.judge(&history.Header{Probe: leaders, Target: history.Target{Kind: tt.kind}})
			two := false
			for _, f := range j.findings {
				two = two || f.Claim == oneLeader
			}
			if two != tt.two {
				t.Errorf("two leaders: %v, %v", two, j.reasons)
			}
		})
	}
}

// A job is late when it was sent after a rival was elected for certain, and no
// doubt about the moment makes it so.
func TestToldJobs(t *testing.T) {
	base := func() *tale {
		return newTale(9000).leader(0, 100, 105, 1).pause(0, 1000, 3000).leader(1, 2000, 2010, 2).follower(0, 3200, 3205, 1)
	}
	tests := map[string]struct {
		tale   *tale
		claims []string
		late   int
	}{
		"done after the pause":          {base().call("fire", 0, 3000, 3100, 1, history.Accepted), []string{deposed}, 1},
		"refused after the pause":       {base().call("fire", 0, 3000, 3100, 1, history.Refused), nil, 1},
		"done before, and told of late": {base().call("fire", 0, 990, 3100, 1, history.Accepted), nil, 1},
		"done twice":                    {base().call("fire", 0, 500, 510, 1, history.Accepted).call("fire", 0, 600, 610, 1, history.Accepted), []string{onceEach}, 0},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			tt.tale.r.index()
			j := tt.tale.r.judge(&history.Header{Probe: leaders, Target: history.Target{Kind: command}})
			var claims []string
			for _, f := range j.findings {
				claims = append(claims, f.Claim)
			}
			if !slices.Equal(claims, tt.claims) || j.late["fire"] != tt.late {
				t.Errorf("%v, late %d; want %v, %d", claims, j.late["fire"], tt.claims, tt.late)
			}
		})
	}
}
