package watch

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/ccheck/ccheck/cmd/internal/exit"
	"github.com/ccheck/ccheck/cmd/internal/stdio"
)

func TestFlags(t *testing.T) {
	s, _ := stdio.Test()
	var got *Options
	cmd := New(s, func(_ context.Context, o *Options) error { got = o; return nil })
	cmd.SetArgs([]string{"4121", "--snapshots", "9", "--interval", "2s", "--load", "./load.sh", "--per-request", "50", "--keep", "d", "--track-allocations", "--force", "--exit-zero"})
	if err := cmd.Execute(); err != nil {
		t.Fatal(err)
	}
	w := got.Watch
	if got.Target != "4121" || !got.NoFail || w.Snapshots != 9 || w.Interval != 2*time.Second || w.Load != "./load.sh" || w.Work != 50 || w.Keep != "d" || !w.Track || !w.Force {
		t.Errorf("got %+v", got)
	}
}

func TestBadFlags(t *testing.T) {
	for _, tt := range []struct{ args, says string }{
		{"", "needs <process>"}, {"1 2", "does not take"}, {"1 -n 1", "--snapshots cannot be 1"}, {"1 --interval -1s", "--interval cannot be negative"},
		{"1 --per-request -1", "--per-request cannot be negative"}, {"1 --format nosuch", "unknown format"},
	} {
		s, _ := stdio.Test()
		cmd := New(s, func(context.Context, *Options) error { return nil })
		cmd.SilenceErrors, cmd.SilenceUsage = true, true
		cmd.SetArgs(strings.Fields(tt.args))
		err := cmd.Execute()
		if err == nil || exit.Code(err) != exit.Usage || !strings.Contains(err.Error(), tt.says) {
			t.Errorf("%q: %v", tt.args, err)
		}
	}
}
