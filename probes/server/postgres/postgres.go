// Package postgres runs throw-away PostgreSQL servers for labs, demos and
// tests: a primary, and streaming replicas of it. A server is private (own
// data directory, loopback, a random password), never runs as root, and dies
// with the process that started it, even when that process is killed by
// SIGKILL.
//
// It is not a way to manage servers that hold data: everything is gone after
// Stop, and unless Options.Durable is set a crash of the machine loses it
// earlier. It does not judge or load the server either; a probe gets
// Server.Config and does that.
//
// Two mechanisms guard against leftovers. Each server has a guard process that
// waits for the end of its owner and then takes the server down (see guard.go);
// and each directory carries a locked owner file, so that Clean can tell the
// directory of a living process from an orphan (see clean.go).
package postgres

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
)

const (
	// User is the role that owns the server, a superuser.
	User = "ccheck"
	// Database is the database that every new server has.
	Database = "ccheck"

	// startLimit bounds the wait for a server to accept connections, so that a
	// caller without a deadline is not left hanging.
	startLimit = time.Minute
	// defaultConnections leaves room for the lab's 200 lanes and those who watch them.
	defaultConnections = 300
)

// Options say how a server is started. The zero value is a good choice.
type Options struct {
	// Install is the PostgreSQL to run; nil takes the first of Find.
	Install *Install
	// Dir is the parent of the server's own directory; "" is os.TempDir. See
	// MemoryDir for a quicker one.
	Dir string
	// Settings are lines of postgresql.conf that win over ccheck's, by name.
	Settings map[string]string
	// MaxConnections is max_connections; 0 is 300.
	MaxConnections int
	// Durable keeps fsync, synchronous_commit and full_page_writes on, for
	// measurements that must pay for durability.
	Durable bool
	// AllowDownload permits fetching the binaries when none are installed.
	AllowDownload bool
	// Say takes progress for people, one sentence a call; nil drops it.
	Say func(string)
}

// Server is a running PostgreSQL. Its methods may be called from several
// goroutines.
type Server struct {
	home   home
	config *pgconn.Config
	dsn    string

	life sync.Mutex // held while the server is stopped, restarted or copied

	mu       sync.Mutex // guards what follows
	process  *process
	frozen   *frozen // set while the server is paused
	replicas []*Server
	stopped  bool

	primary *Server // of a replica
	slot    string  // of a replica, on the primary
}

// Start creates a database cluster and returns when it accepts connections.
// The context bounds the start only; the server runs until Stop, or until this
// process ends. Before that, orphans of earlier runs in the same place are
// removed. On error nothing is left behind.
func Start(ctx context.Context, o Options) (*Server, error) {
	o = o.withDefaults()
	install, err := o.pick(ctx)
	if err != nil {
		return nil, err
	}
	o.clean(ctx)
	o.Say(fmt.Sprintf("starting PostgreSQL %s from %s", install.Version, install.Bin))
	s, err := newServer(install, o)
	if err != nil {
		return nil, err
	}
	if err := s.create(ctx, o); err != nil {
		return nil, joinStop(err, s)
	}
	return s, nil
}

// clean removes orphans. One that cannot be removed is no reason not to start.
func (o Options) clean(ctx context.Context) {
	removed, err := Clean(ctx, o.Dir)
	for _, dir := range removed {
		o.Say("removed " + dir + ", left behind by a run that was killed")
	}
	if err != nil {
		o.Say(err.Error())
	}
}

func (o Options) withDefaults() Options {
	if o.Dir == "" {
		o.Dir = os.TempDir()
	}
	if o.MaxConnections == 0 {
		o.MaxConnections = defaultConnections
	}
	if o.Say == nil {
		o.Say = func(string) {}
	}
	return o
}

// pick chooses the binaries: the caller's, else the first found, else a download.
func (o Options) pick(ctx context.Context) (Install, error) {
	if o.Install != nil {
		return *o.Install, nil
	}
	found, err := Find(ctx)
	if err != nil {
		return Install{}, err
	}
	if len(found) > 0 {
		return found[0], nil
	}
	if !o.AllowDownload {
		return Install{}, ErrNotFound
	}
	return newDownload().fetch(ctx, o.Say)
}

func newServer(install Install, o Options) (*Server, error) {
	dir, err := filepath.Abs(o.Dir)
	if err != nil {
		return nil, fmt.Errorf("making a directory for a throw-away PostgreSQL: %w", err)
	}
	h, err := newHome(install, dir)
	if err != nil {
		return nil, err
	}
	return &Server{home: h}, nil
}

// create fills a new home with an empty cluster and starts it.
func (s *Server) create(ctx context.Context, o Options) error {
	ctx, cancel := context.WithTimeout(ctx, startLimit)
	defer cancel()
	password := newPassword()
	if err := s.home.initdb(ctx, password); err != nil {
		return err
	}
	if err := s.home.configure(o.settings(s.home)); err != nil {
		return err
	}
	if err := s.start(ctx, password, "postgres"); err != nil {
		return err
	}
	return s.createDatabase(ctx)
}

func (s *Server) createDatabase(ctx context.Context) error {
	if err := exec(ctx, s.Config(), "CREATE DATABASE "+Database); err != nil {
		return fmt.Errorf("creating the database %q: %w", Database, err)
	}
	s.config.Database = Database
	return nil
}

// joinStop stops what a failed start has left and keeps the first error.
func joinStop(err error, s *Server) error {
	ctx, cancel := context.WithTimeout(context.Background(), startLimit)
	defer cancel()
	if stop := s.Stop(ctx); stop != nil {
		return fmt.Errorf("%w (and %w)", err, stop)
	}
	return err
}

// Config returns a copy of the connection parameters of the superuser, over
// loopback TCP, for the database "ccheck".
func (s *Server) Config() *pgconn.Config { return s.config.Copy() }

// DSN returns the same as a URL. It contains the password: it is for the
// environment of child processes and must never be printed.
func (s *Server) DSN() string { return s.dsn }

// Address returns host:port.
func (s *Server) Address() string {
	return fmt.Sprintf("%s:%d", s.config.Host, s.config.Port)
}

// Socket returns the directory of the Unix-domain socket, which only this
// user can enter, or "" where the path would be longer than the system allows.
func (s *Server) Socket() string { return s.home.socket }

// Version returns the server's version as PostgreSQL writes it, for example "15.18".
func (s *Server) Version() string { return s.home.install.Version }

// Install returns the binaries that run.
func (s *Server) Install() Install { return s.home.install }

// Dir returns the server's own directory, which holds the cluster ("data") and
// the log ("log") and goes away with Stop.
func (s *Server) Dir() string { return s.home.dir }

// PID returns the process id of the postmaster, 0 when it does not run.
func (s *Server) PID() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.process == nil || s.process.ended() {
		return 0
	}
	return s.process.pid()
}

// String describes the server without its password.
func (s *Server) String() string {
	return fmt.Sprintf("PostgreSQL %s at %s", s.Version(), s.Address())
}
