package stress

import (
	"context"
	"errors"
	"fmt"
	"regexp"

	"github.com/ccheck/ccheck/cmd/internal/exit"
	"github.com/ccheck/ccheck/cmd/internal/flags"
	"github.com/ccheck/ccheck/cmd/internal/place"
	"github.com/ccheck/ccheck/probes/scenario"
	"github.com/ccheck/ccheck/probes/stress"
)

var (
	shardText = regexp.MustCompile(`^([0-9]{1,4})/([0-9]{1,4})$`)
	meetText  = regexp.MustCompile(`^[a-z0-9]{1,40}$`)
)

// maxShards bounds the processes of a run.
const maxShards = 256

// parseShard reads --shard and refuses what does not go with it.
func (o *Options) parseShard() error {
	if o.Shard == "" {
		return nil
	}
	m := shardText.FindStringSubmatch(o.Shard)
	var i, n int
	if m != nil {
		fmt.Sscan(m[1], &i)
		fmt.Sscan(m[2], &n)
	}
	switch {
	case i < 1 || i > n || n < 2 || n > maxShards:
		return exit.Usagef("--shard %s is no part of a run", flags.Shown(o.Shard)).WithHint("write --shard 1/4 to --shard 4/4, one for each of four processes; at most %d", maxShards)
	case !meetText.MatchString(o.Meet):
		return exit.Usagef("--meet %s is no name of a meeting", flags.Shown(o.Meet)).WithHint("it takes 1 to 40 lower-case letters and digits")
	case !o.Seed.Given:
		return exit.Usagef("--shard %s needs --seed: all shards must have the same", o.Shard).WithHint("give every shard the same, such as --seed 1")
	case o.Compare || o.Plan || len(o.Isolation.Levels) > 1:
		return exit.Usagef("--shard %s makes one run", o.Shard).WithHint("leave --compare and --plan out, and name one --isolation")
	case o.Output.Given():
		return exit.Usagef("--shard %s has no result: what one shard did can only be judged with the others", o.Shard).
			WithHint("give the format to `ccheck check shard-*.hist`")
	case !o.Place.Named(o.Streams):
		return exit.Usagef("--shard %s needs a server that all shards can reach", o.Shard).WithHint("name it with --dsn or CCHECK_DSN")
	}
	if o.History == "" {
		o.History = fmt.Sprintf("shard-%d.hist", i)
	}
	o.shard = &stress.Shard{Index: i, Count: n}
	return nil
}

// part makes the part of a run that is this shard's. It has no verdict.
func part(ctx context.Context, s *session, sc *scenario.Scenario, level scenario.Isolation) error {
	sh := s.o.shard
	if sc.Load.Mode == scenario.Rounds {
		return exit.Usagef("%s runs in rounds, and all lanes of a round begin in one process", sc.FullName()).WithHint("leave --shard out")
	}
	clients, err := s.partLanes(sc)
	if err != nil {
		return err
	}
	run := place.NewRun()
	run.ID = s.o.Meet
	join := s.place.Guest
	if sh.First() {
		join = s.place.SandboxOf
	}
	box, err := join(ctx, run)
	if err != nil {
		return err
	}
	res, err := s.meet(ctx, sc, level, box, clients)
	if note := box.Leave(ctx, s.o.Keep); note != "" {
		s.o.Streams.Warnf("%s", note)
	}
	if err != nil {
		return s.explain(met(err))
	}
	if res.Cut != "" {
		s.o.Streams.Warnf("%s", res.Cut)
	}
	_, err = fmt.Fprintf(s.o.Streams.Out, "ccheck: shard %s recorded %d calls in %s; `ccheck check` judges all shards together\n", sh, res.Final.Total.Calls(), res.Path)
	return err
}

// meet waits for the others and makes the run with them.
func (s *session) meet(ctx context.Context, sc *scenario.Scenario, level scenario.Isolation, box *place.Sandbox, clients int) (*stress.Result, error) {
	sh := *s.o.shard
	s.o.Streams.Sayf("shard %s waits for the others in %s", &sh, box.Run.Schema())
	m, err := stress.Meet(ctx, box.Config(), s.o.Meet, box.Run.Schema(), sh.Index, sh.Count)
	if err != nil {
		return nil, err
	}
	defer m.Close()
	sh.Meeting = m
	opts := s.stressOptions(sc, level, box, clients)
	opts.Stop, opts.Guard, opts.Path, opts.Shard = ctx.Done(), true, s.o.History, &sh
	return stress.Run(context.WithoutCancel(ctx), opts)
}

// partLanes is the number of lanes of all shards, which must be the same for each:
// it is never made smaller. The first shard finds out whether the server has room
// for all, the others for their own.
func (s *session) partLanes(sc *scenario.Scenario) (int, error) {
	clients := s.o.wanted(sc)
	if clients < s.o.shard.Count {
		return 0, exit.Usagef("%d clients are fewer than %d shards", clients, s.o.shard.Count).WithHint("--clients counts those of all shards")
	}
	needed := clients + beside*s.o.shard.Count
	if !s.o.shard.First() {
		needed = clients/s.o.shard.Count + 1 + beside
	}
	if _, err := s.place.Facts.ConnectionCap(needed, s.o.Place.MaxConnections); err != nil {
		return 0, err
	}
	return clients, nil
}

// met puts an error of the meeting into the words of a command.
func met(err error) error {
	var m *stress.MeetingError
	if errors.As(err, &m) {
		return exit.Failedf("%w", err).WithHint("%s", m.Hint)
	}
	return err
}
