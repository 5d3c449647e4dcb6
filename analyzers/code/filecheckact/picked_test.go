package filecheckact

import (
	"testing"

	"github.com/ccheck/ccheck/analyzers/internal/flow"
)

// TestTurnedAway has the branches before a Mkdir as an interface shows them, without
// the question whether a directory is there, and as os.Stat does.
func TestTurnedAway(t *testing.T) {
	there := flow.Cond{Source: flow.Source{Path: ".err"}, Test: flow.NoErr, Yes: true}
	refuses := flow.Cond{Source: flow.Source{Path: ".err"}, Test: flow.Err, Refused: true}
	passes := flow.Cond{Source: flow.Source{Path: ".IsDir"}, Test: flow.Decides}
	stops := flow.Cond{Source: flow.Source{Path: ".IsDir"}, Test: flow.Decides, Refused: true}
	noFile := flow.Cond{Source: flow.Source{Path: ".IsDir"}, Test: flow.Decides, Refused: true, Yes: true}
	tests := []struct {
		name  string
		conds []flow.Cond
		want  bool
	}{
		{"whatever is there", []flow.Cond{refuses}, true},
		{"what is left after a question", []flow.Cond{there, refuses}, false},
		{"a file, and a directory passes", []flow.Cond{there, passes, refuses}, false},
		{"a directory", []flow.Cond{there, stops}, true},
		{"a file alone", []flow.Cond{there, noFile}, false},
		{"a file in words of its own", []flow.Cond{there, noFile, refuses}, true},
	}
	for _, tt := range tests {
		s := &flow.Summary{Events: []flow.Event{{}, {Conds: tt.conds}}}
		if got := turnedAway(s, 0, 1); got != tt.want {
			t.Errorf("%s: refused is %v, want %v", tt.name, got, tt.want)
		}
	}
}
