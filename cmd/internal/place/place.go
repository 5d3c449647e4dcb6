// Package place is where a command that drives a scenario works: the user's
// server, with the rails passed, or a throw-away one that it starts; and there a
// sandbox for each run. It runs nothing in it.
package place

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/spf13/pflag"

	"github.com/ccheck/ccheck/cmd/internal/build"
	"github.com/ccheck/ccheck/cmd/internal/exit"
	"github.com/ccheck/ccheck/cmd/internal/flags"
	"github.com/ccheck/ccheck/cmd/internal/stdio"
	"github.com/ccheck/ccheck/probes/history"
	"github.com/ccheck/ccheck/probes/server/postgres"
	"github.com/ccheck/ccheck/probes/target"
)

// Flags are the flags that say where.
type Flags struct {
	Target    flags.Target
	Throwaway bool
	// KnownAs is the database that the user says it is, against the rails.
	KnownAs        string
	MaxConnections int
}

// Register adds the flags to fs.
func (f *Flags) Register(fs *pflag.FlagSet) {
	f.Target.Register(fs)
	fs.BoolVar(&f.Throwaway, "throwaway", false, "use a throw-away server even where CCHECK_DSN or the PG* variables name one")
	fs.StringVar(&f.KnownAs, "i-know-this-is", "", "run on a server that looks like production: the exact name of its `database`")
	fs.IntVar(&f.MaxConnections, "max-connections", 0, "connections that may be opened, instead of a share of the server's")
}

// Check finds what is wrong with the flags before anything was run.
func (f *Flags) Check() error {
	switch {
	case f.MaxConnections < 0:
		return exit.Usagef("--max-connections %d is negative", f.MaxConnections).WithHint("give the connections that may be opened, or leave it out")
	case f.Throwaway && f.Target.Flagged():
		return exit.Usagef("--throwaway starts a server, and another flag names one").WithHint("leave one of them out")
	}
	return nil
}

// Named reports whether the user named a server, by a flag or a variable that
// psql would follow too.
func (f *Flags) Named(s *stdio.Streams) bool { return !f.Throwaway && f.Target.Named(s) }

// Again is what names the server in a command that is to be run again: --dsn where
// it names a variable, since any other value may hold a password.
func (f *Flags) Again() []string {
	switch {
	case strings.HasPrefix(f.Target.DSN, "env:"):
		return []string{"--dsn " + f.Target.DSN}
	case f.Target.DSNFile != "":
		return []string{"--dsn-file " + flags.Quoted(f.Target.DSNFile)}
	case f.Target.UseDatabaseURL:
		return []string{"--use-database-url"}
	case f.Throwaway:
		return []string{"--throwaway"}
	}
	return nil
}

// Place is a server.
type Place struct {
	Target  *target.Target
	Server  *postgres.Server // nil when the server is the user's
	Facts   target.Facts
	Limits  target.Settings
	Role    Role // of the application, once Owner has made it
	streams *stdio.Streams
}

// Open finds the server, starting one when none was named, and asks the rails.
// connections is the number of sessions that a run needs. Close must be called.
func (f *Flags) Open(ctx context.Context, s *stdio.Streams, connections int) (*Place, error) {
	p, err := f.Find(ctx, s, connections, postgres.Options{
		Dir: postgres.MemoryDir(), Settings: map[string]string{"max_wal_size": "128MB"},
	})
	if err != nil {
		return nil, err
	}
	if err = f.Admit(ctx, p); err == nil {
		_, err = p.Facts.ConnectionCap(connections, f.MaxConnections)
	}
	if err != nil {
		p.Close(ctx)
		return nil, err
	}
	return p, nil
}

// Find finds the server, and asks nothing of it. One that it starts has room
// for the connections and is otherwise as own says. Close must be called.
func (f *Flags) Find(ctx context.Context, s *stdio.Streams, connections int, own postgres.Options) (*Place, error) {
	p := &Place{Limits: target.DefaultSettings(), streams: s}
	var err error
	if f.Named(s) {
		p.Target, err = f.Target.Parse(s)
		return p, err
	}
	if err := p.start(ctx, connections, own); err != nil {
		p.Close(ctx)
		return nil, err
	}
	return p, nil
}

func (p *Place) start(ctx context.Context, connections int, own postgres.Options) (err error) {
	p.streams.Sayf("no server was named: starting a throw-away PostgreSQL")
	own.MaxConnections, own.AllowDownload = max(100, 2*connections+20), true
	own.Say = func(text string) { p.streams.Sayf("%s", text) }
	if p.Server, err = postgres.Start(ctx, own); err != nil {
		return err
	}
	p.Target, err = target.Parse(target.Source{DSN: p.Server.DSN(), DSNGiven: true, Throwaway: true, Env: func(string) string { return "" }})
	// Nobody else is on this server, and a limit that ends a lane's wait would
	// be seen as a failure of the application.
	p.Limits.Lock, p.Limits.Statement, p.Limits.IdleInTransaction = time.Minute, time.Minute, time.Minute
	return err
}

// Admit asks the server for its facts, and the rails whether a run may work
// there.
func (f *Flags) Admit(ctx context.Context, p *Place) error {
	conn, err := p.Target.Connect(ctx, NewRun(), p.Limits)
	if err != nil {
		return err
	}
	defer conn.Close(context.WithoutCancel(ctx))
	if p.Facts, err = p.Target.Inspect(ctx, conn); err != nil {
		return err
	}
	return target.Refuse(p.Facts, target.Override{Database: f.KnownAs})
}

// Close stops a throw-away server.
func (p *Place) Close(ctx context.Context) {
	if p.Server == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 30*time.Second)
	defer cancel()
	if err := p.Server.Stop(ctx); err != nil {
		p.streams.Warnf("the throw-away server did not stop in good order: %v", err)
	}
}

// NewRun names a run that begins now.
func NewRun() target.Run { return target.NewRun(build.Version(), time.Now()) }

// Sandbox is the schema of one run, with the connection that carries its lock.
type Sandbox struct {
	Run   target.Run
	place *Place
	box   *target.Sandbox // nil for a guest's
	conn  *pgconn.PgConn
}

// Sandbox makes the schema of a run. Leave must be called.
func (p *Place) Sandbox(ctx context.Context) (*Sandbox, error) { return p.SandboxOf(ctx, NewRun()) }

// Guest is the schema of a run that another process makes and removes; it need not
// be there yet. Leave must be called.
func (p *Place) Guest(ctx context.Context, run target.Run) (*Sandbox, error) {
	conn, err := p.Target.Connect(ctx, run, p.Limits)
	if err != nil {
		return nil, err
	}
	return &Sandbox{Run: run, place: p, conn: conn}, nil
}

// SandboxOf makes the schema of a run that has a name already. Leave must be
// called.
func (p *Place) SandboxOf(ctx context.Context, run target.Run) (*Sandbox, error) {
	s := &Sandbox{Run: run, place: p}
	var err error
	if s.conn, err = p.Target.Connect(ctx, s.Run, p.Limits); err != nil {
		return nil, err
	}
	if s.box, err = p.Target.CreateSandbox(ctx, s.conn, s.Run); err != nil {
		s.conn.Close(context.WithoutCancel(ctx))
		return nil, err
	}
	return s, nil
}

// Config is a new configuration of a session in the sandbox.
func (s *Sandbox) Config() *pgconn.Config { return s.place.Target.Config(s.Run, s.place.Limits) }

// Tables describes the tables of the sandbox.
func (s *Sandbox) Tables(ctx context.Context) ([]history.Table, error) {
	return s.place.Target.Tables(ctx, s.conn, s.Run.Schema())
}

// Header is the head of a history of the run.
func (s *Sandbox) Header() history.Header {
	p := s.place
	return history.Header{
		Run: s.Run.ID, Version: build.Version(),
		Target: history.Target{
			Kind: "postgresql", Version: p.Facts.Version, Address: p.Target.Address(),
			Schema: s.Run.Schema(), Throwaway: p.Server != nil,
		},
	}
}

// Leave takes the schema away, or keeps it when that is asked for. The note
// says what is left.
func (s *Sandbox) Leave(ctx context.Context, keep bool) (note string) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 20*time.Second)
	defer cancel()
	defer s.conn.Close(ctx)
	if s.box == nil {
		return ""
	}
	if keep && s.place.Server == nil {
		if err := s.box.Release(ctx); err != nil {
			s.place.streams.Warnf("%v", err)
		}
		return fmt.Sprintf("schema %s was kept, as --keep asks; `ccheck clean --dsn … --force` removes it", s.box.Schema)
	}
	if err := s.box.Drop(ctx); err != nil && s.place.Server == nil { // one of ours takes it along
		return fmt.Sprintf("schema %s is left on %s: %v; `ccheck clean --dsn … --force` removes it", s.box.Schema, s.place.Target.Address(), err)
	}
	return ""
}
