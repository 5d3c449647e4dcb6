package process

import (
	"errors"
	"net"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"testing"
)

func TestParseLimit(t *testing.T) {
	tests := []struct {
		text string
		want int64
		ok   bool
	}{
		{"1048576", 1 << 20, true}, {"512B", 512, true}, {"10KiB", 10 << 10, true}, {"3GiB", 3 << 30, true}, {"2TiB", 2 << 40, true},
		{"off", 0, false}, {"", 0, false}, {"-1", 0, false}, {"99999999TiB", 0, false},
	}
	for _, tt := range tests {
		if got, ok := parseLimit(tt.text); got != tt.want || ok != tt.ok {
			t.Errorf("parseLimit(%q) = %d, %v", tt.text, got, ok)
		}
	}
}

// TestSelf asks about this very process.
func TestSelf(t *testing.T) {
	if runtime.GOOS != "linux" {
		if _, err := KindOf(os.Getpid()); err == nil {
			t.Error("it claims to know what runs in a process without /proc")
		}
		return
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	ports, err := Ports(os.Getpid())
	if err != nil || !slices.Contains(ports, l.Addr().(*net.TCPAddr).Port) {
		t.Errorf("ports %v, %v; want %v in them", ports, err, l.Addr())
	}
	if kind, err := KindOf(os.Getpid()); kind != Go || err != nil {
		t.Errorf("a Go test is %q, %v", kind, err)
	}
	if m := MemoryOf(os.Getpid()); m.RSS < 1<<20 || m.Free < 1<<20 {
		t.Errorf("memory %+v", m)
	}
	if _, err := Ports(1 << 30); !errors.Is(err, ErrGone) {
		t.Errorf("ports of no process: %v", err)
	}
	if _, err := KindOf(1 << 30); !errors.Is(err, ErrGone) {
		t.Errorf("kind of no process: %v", err)
	}
}

// TestSettings asks a process for what it was started with.
func TestSettings(t *testing.T) {
	cmd := exec.Command("sleep", "60")
	cmd.Env = []string{"CACHE=on", "EMPTY="}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	env, args, err := Settings(cmd.Process.Pid)
	if runtime.GOOS != "linux" {
		if err == nil {
			t.Error("it claims to know the environment of a process without /proc")
		}
		return
	}
	if err != nil || env["CACHE"] != "on" || len(env) != 2 || !slices.Equal(args, []string{"sleep", "60"}) {
		t.Errorf("got %v, %v, %v", env, args, err)
	}
	if _, _, err := Settings(999999999); err == nil {
		t.Error("a process that is not there has an environment")
	}
}
