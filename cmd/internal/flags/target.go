package flags

import (
	"fmt"
	"slices"

	"github.com/spf13/pflag"

	"github.com/ccheck/ccheck/cmd/internal/input"
	"github.com/ccheck/ccheck/cmd/internal/stdio"
	"github.com/ccheck/ccheck/probes/target"
)

// Target are the flags that name a server.
type Target struct {
	DSN            string
	DSNFile        string
	UseDatabaseURL bool
	set            *pflag.FlagSet
}

// Register adds the flags to fs.
func (t *Target) Register(fs *pflag.FlagSet) {
	fs.StringVar(&t.DSN, "dsn", "", "server: a `URL`, key=value pairs, env:NAME, or - for standard input")
	fs.StringVar(&t.DSNFile, "dsn-file", "", "`file` that holds the URL or the key=value pairs")
	fs.BoolVar(&t.UseDatabaseURL, "use-database-url", false, "take the server from DATABASE_URL")
	t.set = fs
}

// Named reports whether a server was named at all: by a flag, by CCHECK_DSN, or
// by the variables with which libpq finds one. PGUSER and the like name none.
func (t *Target) Named(s *stdio.Streams) bool {
	if t.given("dsn") || t.given("dsn-file") || t.UseDatabaseURL {
		return true
	}
	return slices.ContainsFunc([]string{"CCHECK_DSN", "PGHOST", "PGHOSTADDR", "PGSERVICE"}, func(name string) bool {
		return s.Env(name) != ""
	})
}

// Flagged reports whether a flag named a server.
func (t *Target) Flagged() bool { return t.DSN != "" || t.DSNFile != "" || t.UseDatabaseURL }

func (t *Target) given(flag string) bool { return t.set != nil && t.set.Changed(flag) }

// Find finds the server; its warnings are the caller's to tell.
func (t *Target) Find(s *stdio.Streams) (*target.Target, error) {
	if err := input.Check(t.DSNFile); err != nil {
		return nil, fmt.Errorf("--dsn-file: %w", err)
	}
	found, err := target.Parse(target.Source{
		DSN: t.DSN, DSNGiven: t.given("dsn"), DSNFile: t.DSNFile,
		UseDatabaseURL: t.UseDatabaseURL, Env: s.Env, Stdin: s.In,
	})
	if err != nil {
		return nil, err
	}
	found.Waits = func(address string) { s.Sayf("waiting for %s to answer", address) }
	return found, nil
}

// Parse finds the server and prints the warnings about how it was named.
func (t *Target) Parse(s *stdio.Streams) (*target.Target, error) {
	found, err := t.Find(s)
	if err != nil {
		return nil, err
	}
	for _, w := range found.Warnings {
		s.Warnf("%s", w)
	}
	return found, nil
}
