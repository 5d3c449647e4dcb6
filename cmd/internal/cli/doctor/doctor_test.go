package doctor

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/ccheck/ccheck/cmd/internal/cli/clitest"
	"github.com/ccheck/ccheck/cmd/internal/exit"
	"github.com/ccheck/ccheck/cmd/internal/stdio"
	"github.com/ccheck/ccheck/probes/server/postgres/pgtest"
	"github.com/ccheck/ccheck/probes/target"
)

func TestOptions(t *testing.T) {
	s, _ := stdio.Test()
	var got Options
	cmd := New(s, func(_ context.Context, o *Options) error { got = *o; return nil })
	if err := clitest.Run(t, cmd, "--dsn", "env:X", "--json"); err != nil || got.Target.DSN != "env:X" || !got.JSON {
		t.Errorf("%+v, %v", got, err)
	}
}

func TestPrint(t *testing.T) {
	checks := []check{
		{"version", target.OK, "PostgreSQL 15.18", ""},
		{"connections", target.Bad, "none is free", "wait, or free some"},
	}
	s, b := stdio.Test()
	if err := print(&Options{Streams: s}, checks); err != nil {
		t.Fatal(err)
	}
	want := "ok    version      PostgreSQL 15.18\nbad   connections  none is free\n                   wait, or free some\n"
	if got := b.Out.String(); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestRealServer(t *testing.T) {
	dsn := pgtest.DSN(t)
	s, b := stdio.Test()
	s.Env = func(name string) string { return map[string]string{"CCHECK_DSN": dsn}[name] }
	if err := clitest.Run(t, New(s, nil), "--json"); err != nil {
		t.Fatalf("%v\n%s", err, b.Out.String())
	}
	var checks []check
	if err := json.Unmarshal(b.Out.Bytes(), &checks); err != nil {
		t.Fatal(err)
	}
	names := map[string]target.State{}
	for _, c := range checks {
		names[c.Name] = c.State
	}
	for _, want := range []string{"ccheck", "server binaries", "connection", "version", "rights", "connections"} {
		if names[want] != target.OK {
			t.Errorf("%s is %q; all: %v", want, names[want], names)
		}
	}
}

// A server that cannot be reached is told in the list, and in the exit code.
func TestBadIsTheExitCode(t *testing.T) {
	s, b := stdio.Test()
	err := clitest.Run(t, New(s, nil), "--dsn", "postgres://app@127.0.0.1:1/shop")
	var e *exit.Error
	if !errors.As(err, &e) || e.Code != exit.Failed || e.Msg != "" {
		t.Errorf("error %v, want a silent code 3", err)
	}
	if !strings.Contains(b.Out.String(), "bad   connection") {
		t.Errorf("said\n%s", b.Out.String())
	}
}
