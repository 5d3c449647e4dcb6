package delivery

import (
	"strings"
	"testing"

	"github.com/ccheck/ccheck/analyzers/report"
	"github.com/ccheck/ccheck/probes/history"
	"github.com/ccheck/ccheck/probes/queue"
)

// The time line shows lost jobs as never done, jobs with two workers as done twice,
// and beside them jobs that were done once.
func TestTimeline(t *testing.T) {
	for version, want := range map[string]string{"no-recovery": "lost", "one-statement": "done twice", "skip-locked": ""} {
		t.Run(version, func(t *testing.T) {
			var o queue.Options
			for _, k := range queue.Kinds {
				if k.Name == version {
					o = options(t, k.Variant)
				}
			}
			if _, err := queue.Drive(t.Context(), o); err != nil {
				t.Fatal(err)
			}
			f, err := history.Open(o.Path)
			if err != nil {
				t.Fatal(err)
			}
			line := Timeline(f.Header, f.Ops())
			if line == nil || line.To <= line.From {
				t.Fatalf("%+v", line)
			}
			bad, good := 0, 0
			for _, r := range line.Rows {
				switch {
				case len(r.Marks) == 0 && len(r.Spans) == 0:
					t.Errorf("the row %s is empty", r.Name)
				case want != "" && strings.HasPrefix(r.Note, want) && isBad(r):
					bad++
				case r.Note == "" && len(r.Marks) == 1 && !isBad(r):
					good++
				}
			}
			if (bad > 0) != (want != "") || good != mostGood {
				t.Errorf("%d rows of %q and %d of jobs that were done once: %+v", bad, want, good, line.Rows)
			}
		})
	}
}

func isBad(r report.TimeRow) bool { return len(r.Marks) > 0 && r.Marks[len(r.Marks)-1].Bad }
