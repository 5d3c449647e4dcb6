package once

import (
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/ccheck/ccheck/analyzers/report"
	"github.com/ccheck/ccheck/probes/retry"
	"github.com/ccheck/ccheck/probes/scenario"
)

// The time line has each fault with the tries that came of it.
func TestTimeline(t *testing.T) {
	sc, err := scenario.Open("payment/retried")
	if err != nil {
		t.Fatal(err)
	}
	f := recorded(t, func(config func() *pgconn.Config) retry.Subject {
		return &retry.Scripted{Scenario: sc, Config: config, Seed: 1}
	}, retry.Options{Faults: []retry.Fault{retry.Serialization, retry.Twice}})
	line := Timeline(f.Header, f.Ops())
	if line == nil || len(line.Rows) != 2 {
		t.Fatalf("%+v", line)
	}
	for i, want := range [][]report.SpanKind{{report.Undone, report.Commits}, {report.Undone, report.Undone, report.Commits}} {
		var kinds []report.SpanKind
		for _, s := range line.Rows[i].Spans {
			kinds = append(kinds, s.Kind)
		}
		if !slices.Equal(kinds, want) || !strings.Contains(line.Rows[i].Note, "changed once") {
			t.Errorf("%s: %v, %s; want %v", line.Rows[i].Name, kinds, line.Rows[i].Note, want)
		}
	}
}

// A rival that really collides with the call finds what it lacks, and nothing in
// the version that starts over; where the server raises nothing, nothing is known.
func TestContention(t *testing.T) {
	tests := map[string]struct {
		version string
		level   scenario.Isolation
		faults  []retry.Fault
		found   []string
		verdict report.Verdict
	}{
		"not started over": {"", scenario.RepeatableRead, retry.Contended, []string{"not started over"}, report.Faulty},
		"effect outside":   {"early-effect", scenario.RepeatableRead, retry.Contended, []string{"effect twice after a retry"}, report.Faulty},
		"started over":     {"retried", scenario.RepeatableRead, retry.Contended, nil, report.Clean},
		"serializable":     {"idempotent", scenario.Serializable, retry.Contended, nil, report.Clean},
		"deadlock alone":   {"retried", scenario.ReadCommitted, []retry.Fault{retry.Deadlock}, nil, report.Clean},
		"dropped":          {"", scenario.ReadCommitted, []retry.Fault{retry.Deadlock}, []string{"not started over"}, report.Faulty},
		"never raised":     {"retried", scenario.ReadCommitted, []retry.Fault{retry.Serialization}, nil, report.Unknown},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			sc, err := scenario.Open(strings.TrimSuffix("payment/"+tt.version, "/"))
			if err != nil {
				t.Fatal(err)
			}
			res := driven(t, func(config func() *pgconn.Config) retry.Subject {
				return &retry.Scripted{Scenario: sc, Config: config, Isolation: tt.level, Seed: 1}
			}, retry.Options{Faults: tt.faults, Contention: true})
			var found []string
			for _, f := range res.Findings {
				found = append(found, f.Anomaly)
			}
			if !slices.Equal(found, tt.found) || res.Verdict != tt.verdict {
				t.Errorf("%s: %q, %v; want %s: %q", res.Verdict, found, res.Reasons, tt.verdict, tt.found)
			}
		})
	}
}
