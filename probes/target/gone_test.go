//go:build unix

package target

import (
	"os"
	"os/exec"
	"testing"
)

func TestGone(t *testing.T) {
	name, err := os.Hostname()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), "true")
	if err := cmd.Run(); err != nil {
		t.Fatal(err)
	}
	over, here := cmd.Process.Pid, word(name)
	tests := []struct {
		name string
		run  Run
		want bool
	}{
		{"ended", Run{Host: here, PID: over}, true},
		{"alive", Run{Host: here, PID: os.Getpid()}, false},
		{"of another machine", Run{Host: here + "x", PID: over}, false},
		{"no process", Run{Host: here}, false},
	}
	for _, tt := range tests {
		if got := gone(tt.run); got != tt.want {
			t.Errorf("%s: %v, want %v", tt.name, got, tt.want)
		}
	}
}
