package cli

import (
	"context"
	"io"
	"strings"
	"syscall"
	"testing"

	"github.com/ccheck/ccheck/cmd/internal/exit"
	"github.com/ccheck/ccheck/cmd/internal/stdio"
)

// full is a disk with no room.
type full struct{}

func (full) Write([]byte) (int, error) { return 0, syscall.ENOSPC }

// A command whose result could not be written did not end well, whoever wrote
// it; an end that says more stays.
func TestNothingIsLostInSilence(t *testing.T) {
	tests := []struct {
		args string
		out  io.Writer
		want int
	}{
		{"list", full{}, exit.Failed},
		{"list", io.Discard, exit.Clean},
		{"explain invariant", full{}, exit.Failed},
		{"version", full{}, exit.Failed},
		{"--version", full{}, exit.Failed},
		{"help", full{}, exit.Failed},
		{"stress --help", full{}, exit.Failed},
		{"explain nothing-of-this-name", full{}, exit.Usage},
	}
	for _, tt := range tests {
		s, b := stdio.Test()
		s.Out = tt.out
		code := Main(context.Background(), append([]string{"ccheck"}, strings.Fields(tt.args)...), s)
		if code != tt.want || (code == exit.Failed && !strings.Contains(b.Err.String(), "no space left on device")) {
			t.Errorf("%s: code %d, want %d: %s", tt.args, code, tt.want, b.Err.String())
		}
	}
}
