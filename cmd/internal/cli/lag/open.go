package lag

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/ccheck/ccheck/cmd/internal/exit"
	"github.com/ccheck/ccheck/cmd/internal/place"
	"github.com/ccheck/ccheck/cmd/internal/verdict"
	"github.com/ccheck/ccheck/probes/history"
	"github.com/ccheck/ccheck/probes/lag"
	"github.com/ccheck/ccheck/probes/lag/cluster"
	"github.com/ccheck/ccheck/probes/server/postgres"
	"github.com/ccheck/ccheck/probes/target"
)

// servers are the cluster that is open, and what takes it away again.
type servers struct {
	place    *place.Place
	box      *place.Sandbox
	grown    *cluster.Cluster // nil when the servers are the user's
	primary  lag.Server
	replicas []lag.Server
}

// sessions is how many connections the probe has on the primary at most: one
// for the talk and one for the payments under each policy, and its own.
const sessions = 10

// open opens the user's servers, or starts some.
func (o *Options) open(ctx context.Context) (s *servers, err error) {
	s = &servers{}
	defer func() {
		if err != nil {
			s.leave(ctx, o)
			s = nil
		}
	}()
	if len(o.Replicas) > 0 && !o.Place.Named(o.Streams) {
		return s, exit.Usagef("--replica is given, and no primary").WithHint("name the primary with --primary; without both, throw-away servers are started")
	}
	if o.own != "" && o.Place.Named(o.Streams) {
		return s, exit.Usagef("%s is for throw-away replicas, and the servers are yours", o.own).WithHint("leave it out, or use --lab")
	}
	s.place, err = o.Place.Find(ctx, o.Streams, sessions, postgres.Options{Dir: postgres.MemoryDir(), Settings: map[string]string{"max_wal_size": "128MB"}})
	if err != nil && o.Primary != "" {
		err = blame(err, "--primary", "")
	}
	if err != nil {
		return s, err
	}
	var named []*target.Target
	if s.place.Server != nil {
		named, err = o.grow(ctx, s)
	} else {
		named, err = o.named(ctx, s)
	}
	if err != nil {
		return s, err
	}
	if err = o.admit(ctx, s); err != nil {
		return s, err
	}
	if s.box, err = s.place.Sandbox(ctx); err != nil {
		return s, err
	}
	s.primary = lag.Server{Name: "primary", Config: s.box.Config()}
	return s, o.connect(ctx, s, named)
}

// grow starts the replicas of the throw-away primary.
func (o *Options) grow(ctx context.Context, s *servers) (all []*target.Target, err error) {
	o.Streams.Sayf("starting %d replicas, the last one %s late", o.Count, o.Delay)
	if s.grown, err = cluster.Grow(ctx, s.place.Server, o.Count, o.Delay, o.Partition > 0); err != nil {
		return nil, exit.Failedf("%w", err)
	}
	for _, r := range s.grown.Replicas {
		t, err := target.Parse(target.Source{DSN: r.DSN(), DSNGiven: true, Throwaway: true})
		if err != nil {
			return nil, err
		}
		all = append(all, t)
	}
	return all, nil
}

// named are the replicas that the user named.
func (o *Options) named(ctx context.Context, s *servers) (all []*target.Target, err error) {
	if len(o.Replicas) == 0 {
		return nil, o.unnamed(ctx, s)
	}
	for i, dsn := range o.Replicas {
		t, err := target.Parse(target.Source{DSN: dsn, DSNGiven: true, Env: o.Streams.Env})
		if err != nil {
			return nil, blame(err, "--replica", fmt.Sprintf("replica %d: ", i+1))
		}
		all = append(all, t)
	}
	return all, nil
}

// unnamed says what is missing when only a primary was named.
func (o *Options) unnamed(ctx context.Context, s *servers) error {
	conn, err := s.place.Target.Connect(ctx, place.NewRun(), s.place.Limits)
	if err != nil {
		return err
	}
	defer conn.Close(context.WithoutCancel(ctx))
	attached, err := target.Attached(ctx, conn)
	if err != nil {
		return exit.Failedf("%w", err)
	}
	if len(attached) == 0 {
		return exit.Failedf("no replica is attached to %s", s.place.Target.Address()).WithHint("start one, or let ccheck start servers of its own with --lab")
	}
	return exit.Usagef("%s has replicas, and none was named: %s", s.place.Target.Address(), strings.Join(attached, ", ")).
		WithHint("name each with --replica")
}

// admit asks the rails. That replicas are attached is what the user said, and no
// reason to refuse.
func (o *Options) admit(ctx context.Context, s *servers) error {
	p := s.place
	conn, err := p.Target.Connect(ctx, place.NewRun(), p.Limits)
	if err != nil {
		return err
	}
	defer conn.Close(context.WithoutCancel(ctx))
	if p.Facts, err = p.Target.Inspect(ctx, conn); err != nil {
		return err
	}
	facts := p.Facts
	facts.Replicas, facts.Slots = 0, 0
	if err := target.Refuse(facts, target.Override{Database: o.Place.KnownAs}); err != nil {
		return err
	}
	_, err = p.Facts.ConnectionCap(sessions, o.Place.MaxConnections)
	return err
}

// connect looks at each replica once, with the settings that its sessions have.
func (o *Options) connect(ctx context.Context, s *servers, named []*target.Target) error {
	primary, err := pgconn.ConnectConfig(ctx, s.primary.Config)
	if err != nil {
		return exit.Failedf("connecting to %s: %w", s.place.Target.Address(), err)
	}
	defer primary.Close(context.WithoutCancel(ctx))
	if _, err := primary.Exec(ctx, lag.Tables).ReadAll(); err != nil {
		return exit.Failedf("making the tables on %s: %w", s.place.Target.Address(), err)
	}
	for i, t := range named {
		conn, err := t.ConnectReplica(ctx, s.box.Run, s.place.Limits, primary)
		if err != nil {
			return err
		}
		conn.Close(ctx)
		s.replicas = append(s.replicas, lag.Server{Name: fmt.Sprintf("r%d", i+1), Config: t.Config(s.box.Run, s.place.Limits)})
		if s.grown != nil {
			continue
		}
		for _, w := range t.Warnings {
			o.Streams.Warnf("%s", strings.ReplaceAll(w, "--dsn", "--replica"))
		}
		o.Streams.Sayf("r%d is %s", i+1, t.Address())
	}
	return nil
}

// leave takes away what the run made.
func (s *servers) leave(ctx context.Context, o *Options) {
	if s.box != nil {
		if note := s.box.Leave(ctx, false); note != "" {
			o.Streams.Warnf("%s", note)
		}
	}
	if s.grown != nil {
		s.grown.Close()
	}
	if s.place != nil {
		s.place.Close(ctx)
	}
}

func (s *servers) target() history.Target { return s.box.Header().Target }

// partition is how the late replica is cut off; nil when it is not to be.
func (o *Options) partition(s *servers) *lag.Partition {
	if o.Partition == 0 || s.grown == nil {
		return nil
	}
	return &lag.Partition{Replica: s.replicas[len(s.replicas)-1].Name, For: o.Partition, Cut: s.grown.Cut, Mend: s.grown.Mend}
}

// told translates the errors of the probe.
func told(err error, path string) error {
	var promoted *lag.PromotedError
	var stuck *lag.StuckError
	kept := verdict.Kept(path)
	switch {
	case errors.As(err, &promoted):
		return (&exit.Error{Code: exit.Failed, Msg: promoted.Error(), Err: err}).WithHint("name the new cluster's primary and replicas, and run again; %s", kept)
	case errors.As(err, &stuck):
		return (&exit.Error{Code: exit.Failed, Msg: stuck.Error(), Err: err}).WithHint("is it attached? pg_stat_replication on the primary and pg_stat_wal_receiver on the replica tell")
	}
	return exit.Failedf("%w", err).WithHint("%s", kept)
}

// limit bounds a request of an application.
const limit = 10 * time.Second

// blame has an error of a connection string name the flag that gave it.
func blame(err error, flag, prefix string) error {
	var e *target.Error
	if !errors.As(err, &e) {
		return err
	}
	name := strings.NewReplacer("--dsn", flag)
	return &exit.Error{Code: e.Exit, Msg: prefix + name.Replace(e.Msg), Hint: name.Replace(e.Hint), Err: err}
}
