// Package leasestore is where the commands about leases and leaders keep them:
// a throw-away PostgreSQL, Redis or etcd, one of the user's, or the user's own
// code. It drives nothing.
package leasestore

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"syscall"
	"time"

	"github.com/ccheck/ccheck/cmd/internal/exit"
	"github.com/ccheck/ccheck/cmd/internal/place"
	"github.com/ccheck/ccheck/cmd/internal/stdio"
	"github.com/ccheck/ccheck/cmd/internal/verdict"
	"github.com/ccheck/ccheck/probes/history"
	"github.com/ccheck/ccheck/probes/lease"
	leaseetcd "github.com/ccheck/ccheck/probes/lease/etcd"
	leasepg "github.com/ccheck/ccheck/probes/lease/postgres"
	"github.com/ccheck/ccheck/probes/lease/process"
	leaseredis "github.com/ccheck/ccheck/probes/lease/redis"
	"github.com/ccheck/ccheck/probes/lease/web"
	"github.com/ccheck/ccheck/probes/server/etcd"
	"github.com/ccheck/ccheck/probes/server/redis"
	"github.com/ccheck/ccheck/probes/target"
)

// The kinds of store.
const (
	Postgres = "postgres"
	Advisory = "advisory" // of PostgreSQL, by session-level locks
	Redis    = "redis"
	Etcd     = "etcd"
	Exec     = "exec"
	HTTP     = "http"
)

// Options say which store.
type Options struct {
	Streams     *stdio.Streams
	Kind        string
	URL         string // of a Redis, an etcd or an application; env:NAME is taken from there
	Command     []string
	Place       *place.Flags // of a PostgreSQL
	Connections int
	Plant       string
	// Target opens what is driven without a store of ours: instances that keep
	// their leases where they will. Leave calls close.
	Target func(ctx context.Context) (t history.Target, close func(context.Context), err error)
}

// Store is an open store.
type Store struct {
	*lease.Backend
	Run   target.Run
	close func(context.Context)
}

// limit bounds what is done to take things away.
const limit = 20 * time.Second

// Open opens the store, starting a server where none was named. Leave must be
// called.
func Open(ctx context.Context, o Options) (*Store, error) {
	s := &Store{Run: place.NewRun(), close: func(context.Context) {}}
	if err := s.open(ctx, &o); err != nil {
		s.Leave(ctx)
		return nil, Told(err)
	}
	return s, nil
}

func (s *Store) open(ctx context.Context, o *Options) (err error) {
	if o.Target != nil {
		s.Backend = &lease.Backend{}
		var leave func(context.Context)
		if s.Backend.Target, leave, err = o.Target(ctx); leave != nil {
			s.close = leave
		}
		return err
	}
	switch o.Kind {
	case Redis:
		err = s.redis(ctx, o)
	case Etcd:
		err = s.etcd(ctx, o)
	case Exec:
		s.Backend, err = process.Backend(os.Environ(), o.Command)
	case HTTP:
		s.Backend, err = web.Backend(o.url())
	default:
		err = s.postgres(ctx, o)
	}
	return err
}

// Leave takes away what the run made, also when the run was stopped.
func (s *Store) Leave(ctx context.Context) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), limit)
	defer cancel()
	s.close(ctx)
}

func (o *Options) url() string {
	if name, ok := strings.CutPrefix(o.URL, "env:"); ok {
		return o.Streams.Env(name)
	}
	return o.URL
}

func (s *Store) postgres(ctx context.Context, o *Options) error {
	p, err := o.Place.Open(ctx, o.Streams, o.Connections)
	if err != nil {
		return err
	}
	s.close = p.Close
	box, err := p.Sandbox(ctx)
	if err != nil {
		return err
	}
	s.close = func(ctx context.Context) {
		if note := box.Leave(ctx, false); note != "" {
			o.Streams.Warnf("%s", note)
		}
		p.Close(ctx)
	}
	config := box.Config()
	if err := leasepg.Setup(ctx, config); err != nil {
		return err
	}
	kind := leasepg.Backend
	if o.Kind == Advisory {
		kind = leasepg.Advisory
	}
	s.Backend, s.Run = kind(config, lease.Planted(o.Plant)), box.Run
	s.Target = box.Header().Target
	return nil
}

func (s *Store) redis(ctx context.Context, o *Options) error {
	url := o.url()
	if o.URL == "" {
		o.Streams.Sayf("no server was named: starting a throw-away Redis")
		server, err := redis.Start(ctx, false)
		if err != nil {
			return err
		}
		url = server.URL()
		s.stops(o, server.Stop)
	}
	st, t, err := leaseredis.Connect(ctx, url, s.Run.ID)
	if err != nil {
		return err
	}
	s.keep(o, t, st.Clean)
	s.Backend = st.Backend(s.Target, lease.Planted(o.Plant))
	return nil
}

func (s *Store) etcd(ctx context.Context, o *Options) error {
	url := o.url()
	if o.URL == "" {
		o.Streams.Sayf("no server was named: starting a throw-away etcd")
		server, err := etcd.Start(ctx)
		if err != nil {
			return err
		}
		url = server.URL()
		s.stops(o, server.Stop)
	}
	st, t, err := leaseetcd.Connect(ctx, url, s.Run.ID)
	if err != nil {
		return err
	}
	s.keep(o, t, st.Clean)
	s.Backend = st.Backend(s.Target, lease.Planted(o.Plant))
	return nil
}

// stops notes that a server goes with the store, and its keys with it.
func (s *Store) stops(o *Options, stop func(context.Context) error) {
	s.close = func(ctx context.Context) {
		if err := stop(ctx); err != nil {
			o.Streams.Warnf("the throw-away server did not stop in good order: %v", err)
		}
	}
}

// keep notes the target, and on a server of the user's that the keys of the run
// must go.
func (s *Store) keep(o *Options, t history.Target, clean func(context.Context) error) {
	t.Throwaway = o.URL == ""
	s.Backend = &lease.Backend{Target: t}
	if t.Throwaway {
		return
	}
	s.close = func(ctx context.Context) {
		if err := clean(ctx); err != nil {
			o.Streams.Warnf("keys that begin with ccheck and have %s in them are left at %s: %v", s.Run.ID, t.Address, err)
		}
	}
}

// Told gives an error of a store its code and its mend.
func Told(err error) error {
	var setup *lease.SetupError
	switch {
	case errors.As(err, &setup):
		e := exit.Failedf("%s", setup.Msg).WithHint("%s", setup.Hint)
		if strings.HasPrefix(setup.Msg, "that is no ") {
			e = exit.Usagef("--url: %s", setup.Msg).WithHint("%s", setup.Hint)
		}
		e.Err = err
		return e
	case errors.Is(err, redis.ErrNotFound), errors.Is(err, etcd.ErrNotFound):
		return exit.Failedf("%w", err).WithHint("or name one of yours with --url")
	}
	return fmt.Errorf("opening the store: %w", err)
}

// Failed is why a run broke off, with what was recorded until then.
func Failed(err error, path string) error {
	var setup *lease.SetupError
	if errors.As(err, &setup) {
		return Told(err)
	}
	if why := gone(err); why != "" {
		e := exit.Failedf("the store does not answer any more, or never did (%s)", why).WithHint("look whether it runs, and into its log; %s", verdict.Kept(path))
		e.Err = err
		return e
	}
	return exit.Failedf("%w", err).WithHint("%s", verdict.Kept(path))
}

// gone is how a connection was lost, "" when none was.
func gone(err error) string {
	for _, lost := range []error{io.EOF, syscall.ECONNRESET, syscall.ECONNREFUSED, syscall.EPIPE} {
		if errors.Is(err, lost) {
			return lost.Error()
		}
	}
	return ""
}
