package clean

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/ccheck/ccheck/cmd/internal/cli/clitest"
	"github.com/ccheck/ccheck/cmd/internal/exit"
	"github.com/ccheck/ccheck/cmd/internal/stdio"
)

func TestOptions(t *testing.T) {
	s, _ := stdio.Test()
	var got Options
	cmd := New(s, func(_ context.Context, o *Options) error { got = *o; return nil })
	if err := clitest.Run(t, cmd); err != nil || got.OlderThan != time.Hour || got.Force || got.List {
		t.Errorf("defaults: %+v, %v", got, err)
	}
	if err := clitest.Run(t, cmd, "--older-than", "5m", "--force", "--list", "--dsn", "env:X"); err != nil ||
		got.OlderThan != 5*time.Minute || !got.Force || !got.List || got.Target.DSN != "env:X" {
		t.Errorf("given: %+v, %v", got, err)
	}
}

func TestServers(t *testing.T) {
	tests := []struct {
		name    string
		removed []string
		err     error
		out     string
		code    int
	}{
		{"none", nil, nil, "nothing was left behind\n", exit.Clean},
		{"two", []string{"a", "b"}, nil, "removed  the throw-away server in a\nremoved  the throw-away server in b\n", exit.Clean},
		{"one of two", []string{"a"}, errors.New("b is not ours"), "removed  the throw-away server in a\n", exit.Failed},
	}
	for _, tt := range tests {
		s, b := stdio.Test()
		err := run(context.Background(), &Options{Streams: s, Dirs: []string{"tmp"}, Servers: func(context.Context, string) ([]string, error) { return tt.removed, tt.err }})
		if b.Out.String() != tt.out || exit.Code(err) != tt.code {
			t.Errorf("%s: code %d, said %q", tt.name, exit.Code(err), b.Out.String())
		}
	}
}

// Every folder is looked into, whatever is wrong with one.
func TestEveryFolder(t *testing.T) {
	s, b := stdio.Test()
	err := run(context.Background(), &Options{Streams: s, Dirs: []string{"tmp", "shm"}, Servers: func(_ context.Context, dir string) ([]string, error) {
		if dir == "tmp" {
			return nil, errors.New("tmp/x is not ours")
		}
		return []string{dir + "/y"}, nil
	}})
	if b.Out.String() != "removed  the throw-away server in shm/y\n" || exit.Code(err) != exit.Failed {
		t.Errorf("code %d, said %q", exit.Code(err), b.Out.String())
	}
}

func TestSize(t *testing.T) {
	for n, want := range map[int64]string{0: "0 kB", 8192: "8 kB", 10<<20 - 1: "10239 kB", 10 << 20: "10 MB", 5 << 30: "5120 MB"} {
		if got := size(n); got != want {
			t.Errorf("size(%d) = %s, want %s", n, got, want)
		}
	}
}
