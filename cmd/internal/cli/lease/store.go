package lease

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/ccheck/ccheck/cmd/internal/exit"
	"github.com/ccheck/ccheck/cmd/internal/place"
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

// store is a backend that is open, and what takes it away again.
type store struct {
	*lease.Backend
	run   target.Run
	close func(context.Context) error
}

// limit bounds what is done to take things away.
const limit = 20 * time.Second

// open opens the store, starting a server where none was named.
func (o *Options) open(ctx context.Context) (*store, error) {
	s := &store{run: place.NewRun(), close: func(context.Context) error { return nil }}
	var err error
	switch o.Backend {
	case "redis":
		err = o.redis(ctx, s)
	case "etcd":
		err = o.etcd(ctx, s)
	case "exec":
		s.Backend, err = process.Backend(os.Environ(), o.Command)
	case "http":
		s.Backend, err = web.Backend(o.url())
	default:
		err = o.postgres(ctx, s)
	}
	if err != nil {
		return nil, errors.Join(told(err), s.leave(ctx))
	}
	return s, nil
}

// leave takes away what the run made, also when the run was stopped.
func (s *store) leave(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), limit)
	defer cancel()
	return s.close(ctx)
}

// url is --url, or the variable that it names.
func (o *Options) url() string {
	if name, ok := strings.CutPrefix(o.URL, "env:"); ok {
		return o.Streams.Env(name)
	}
	return o.URL
}

func (o *Options) postgres(ctx context.Context, s *store) error {
	p, err := o.Place.Open(ctx, o.Streams, o.Clients+4)
	if err != nil {
		return err
	}
	s.close = func(ctx context.Context) error { p.Close(ctx); return nil }
	box, err := p.Sandbox(ctx)
	if err != nil {
		return err
	}
	s.close = func(ctx context.Context) error {
		if note := box.Leave(ctx, false); note != "" {
			o.Streams.Warnf("%s", note)
		}
		p.Close(ctx)
		return nil
	}
	config := box.Config()
	if err := leasepg.Setup(ctx, config); err != nil {
		return err
	}
	s.Backend, s.run = leasepg.Backend(config, lease.Planted(o.Plant)), box.Run
	s.Backend.Target = box.Header().Target
	return nil
}

func (o *Options) redis(ctx context.Context, s *store) error {
	url, throwaway := o.url(), o.URL == ""
	if throwaway {
		o.Streams.Sayf("no server was named: starting a throw-away Redis")
		server, err := redis.Start(ctx, false)
		if err != nil {
			return err
		}
		url, s.close = server.URL(), server.Stop
	}
	st, t, err := leaseredis.Connect(ctx, url, s.run.ID)
	if err != nil {
		return err
	}
	o.keep(s, t, throwaway, st.Clean)
	s.Backend = st.Backend(s.Target, lease.Planted(o.Plant))
	return nil
}

func (o *Options) etcd(ctx context.Context, s *store) error {
	url, throwaway := o.url(), o.URL == ""
	if throwaway {
		o.Streams.Sayf("no server was named: starting a throw-away etcd")
		server, err := etcd.Start(ctx)
		if err != nil {
			return err
		}
		url, s.close = server.URL(), server.Stop
	}
	st, t, err := leaseetcd.Connect(ctx, url, s.run.ID)
	if err != nil {
		return err
	}
	o.keep(s, t, throwaway, st.Clean)
	s.Backend = st.Backend(s.Target, lease.Planted(o.Plant))
	return nil
}

// keep notes the target, and that the keys of the run go before the server.
func (o *Options) keep(s *store, t history.Target, throwaway bool, clean func(context.Context) error) {
	t.Throwaway = throwaway
	s.Backend = &lease.Backend{Target: t}
	if throwaway {
		return // the keys go with the server
	}
	s.close = func(ctx context.Context) error {
		if err := clean(ctx); err != nil {
			o.Streams.Warnf("the keys that begin with ccheck and have %s in them are left at %s: %v", s.run.ID, t.Address, err)
		}
		return nil
	}
}

// told gives an error of the store its code and its mend.
func told(err error) error {
	var setup *lease.SetupError
	switch {
	case errors.As(err, &setup):
		e := exit.Failedf("%s", setup.Msg).WithHint("%s", setup.Hint)
		e.Err = err
		if strings.HasPrefix(setup.Msg, "that is no ") {
			e.Code, e.Msg = exit.Usage, "--url: "+setup.Msg
		}
		return e
	case errors.Is(err, redis.ErrNotFound), errors.Is(err, etcd.ErrNotFound):
		return exit.Failedf("%w", err).WithHint("or name one of yours with --url")
	}
	return fmt.Errorf("opening the store: %w", err)
}
