package stress

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/ccheck/ccheck/probes/history"
	"github.com/ccheck/ccheck/probes/scenario"
	"github.com/ccheck/ccheck/probes/server/postgres/pgtest"
)

// Every lane has one shard.
func TestShares(t *testing.T) {
	for clients := 2; clients < 40; clients++ {
		for count := 2; count <= clients; count++ {
			next := 0
			for i := 1; i <= count; i++ {
				from, to := (&Shard{Index: i, Count: count}).share(clients)
				if from != next || to <= from {
					t.Fatalf("shard %d/%d of %d lanes has %d to %d, and the one before ended at %d", i, count, clients, from, to, next)
				}
				next = to
			}
			if next != clients {
				t.Fatalf("%d shards have %d of %d lanes", count, next, clients)
			}
		}
	}
}

// Shards begin together, and the first hears what the others counted.
func TestMeeting(t *testing.T) {
	cfg := pgtest.Config(t)
	ctx := t.Context()
	const count = 3
	type outcome struct {
		began  int64
		within time.Duration
		others []scenario.Count
		lost   []int
		err    error
	}
	results := make([]outcome, count)
	done := make(chan int)
	for i := range count {
		go func() {
			defer func() { done <- i }()
			o := &results[i]
			m, err := Meet(ctx, cfg.Copy(), "t", "public", i+1, count)
			if o.err = err; err != nil {
				return
			}
			defer m.Close()
			if o.err = m.begin(ctx); o.err != nil {
				return
			}
			o.began, o.within = m.Clock(time.Now())
			o.others, o.lost, o.err = m.end(ctx, []scenario.Count{{Actor: "a", OK: int64(i + 1)}})
		}()
	}
	for range count {
		<-done
	}
	for i, o := range results {
		if o.err != nil || len(o.lost) > 0 || o.within <= 0 || o.began < results[0].began-int64(time.Minute) {
			t.Errorf("shard %d: %+v", i+1, o)
		}
	}
	if got := sum([]scenario.Count{{Actor: "a", OK: 1}}, results[0].others); got[0].OK != 1+2+3 {
		t.Errorf("all shards counted %+v", got)
	}
}

// A shard that is there twice is refused; one that is gone is told.
func TestMeetingTroubles(t *testing.T) {
	cfg := pgtest.Config(t)
	ctx := t.Context()
	first, err := Meet(ctx, cfg.Copy(), "t", "public", 1, 2)
	if err != nil {
		t.Fatal(err)
	}
	defer first.Close()
	var refused *MeetingError
	if _, err := Meet(ctx, cfg.Copy(), "t", "public", 1, 2); !errors.As(err, &refused) || !strings.Contains(refused.Msg, "shard 1/2 of the meeting t is there already") {
		t.Errorf("twice: %v", err)
	}
	second := make(chan error)
	go func() {
		m, err := Meet(ctx, cfg.Copy(), "t", "public", 2, 2)
		if err == nil {
			err = m.begin(ctx)
			m.Close() // before it says anything
		}
		second <- err
	}()
	if err := errors.Join(first.begin(ctx), <-second); err != nil {
		t.Fatal(err)
	}
	if _, lost, err := first.end(ctx, nil); err != nil || len(lost) != 1 || lost[0] != 2 {
		t.Errorf("lost %v, error %v", lost, err)
	}
	ended, cancel := context.WithCancel(ctx)
	cancel()
	if err := first.await(ended, "nobody", func(context.Context) (bool, error) { return false, nil }); !errors.Is(err, context.Canceled) {
		t.Errorf("waiting is not ended by its context: %v", err)
	}
}

// shardHistory is a history of a shard with one call, whose clock is off.
func shardHistory(t *testing.T, run, shard string, lane int, clock int64, ended bool) *history.File {
	t.Helper()
	path := filepath.Join(t.TempDir(), "shard.hist")
	w, err := history.Create(path, history.Header{Run: run, Probe: Probe.Name, Seed: 7, Params: []history.Parameter{
		{Name: ParamShard, Value: shard}, {Name: ParamClock, Value: fmt.Sprint(clock)}, {Name: ParamClockError, Value: "1000"},
	}}, 0)
	if err != nil {
		t.Fatal(err)
	}
	r := w.Recorder(lane)
	r.BeginCall("pay")
	r.EndCall(history.Accepted, 1, nil, nil)
	err = r.Flush()
	c := w.Recorder(history.Checker)
	c.Record(&history.Op{Scope: history.ScopeState, Kind: history.OK, Text: "account", Phase: "after"})
	if ended {
		op := &history.Op{Scope: history.ScopeNote, Kind: history.OK}
		op.Text = fmt.Sprintf("%s%d 2000", history.ClockMark, clock+w.Elapsed().Nanoseconds())
		c.Record(op)
	}
	if err := errors.Join(err, c.Flush(), w.Close()); err != nil {
		t.Fatal(err)
	}
	f, err := history.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func TestJoin(t *testing.T) {
	second := int64(time.Second)
	files := []*history.File{shardHistory(t, "r", "2/2", 1, 5*second, true), shardHistory(t, "r", "1/2", 0, 6*second, true)}
	path := filepath.Join(t.TempDir(), "all.hist")
	if err := Join(path, files); err != nil {
		t.Fatal(err)
	}
	f, err := history.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	if IsShard(f.Header) || f.Header.Param(ParamShards) != "2" || f.Header.Param(ParamClockError) == "" {
		t.Errorf("params %v", f.Header.Params)
	}
	calls, states := map[int64]bool{}, 0
	var lanes []int
	for o, err := range f.Ops() {
		if err != nil {
			t.Fatal(err)
		}
		switch {
		case o.Scope == history.ScopeState:
			states++
		case o.Scope == history.ScopeCall && o.Kind == history.Invoke:
			calls[o.Call] = true
			lanes = append(lanes, o.Process)
		}
	}
	// What shard 2 did lies a second before, on the clock of the server.
	if len(calls) != 2 || states != 1 || len(lanes) != 2 || lanes[0] != 1 {
		t.Errorf("calls %v, states %d, lanes %v", calls, states, lanes)
	}
}

func TestJoinRefuses(t *testing.T) {
	one := func(run, shard string) *history.File { return shardHistory(t, run, shard, 0, 0, true) }
	plain := newHistory(t)
	tests := []struct {
		name  string
		files []*history.File
		want  string
	}{
		{"none", nil, "there is no history to join"},
		{"missing", []*history.File{one("r", "1/3"), one("r", "3/3")}, "of 3 shards these are missing: 2"},
		{"twice", []*history.File{one("r", "1/2"), one("r", "1/2")}, "are both shard 1"},
		{"other run", []*history.File{one("r", "1/2"), one("q", "2/2")}, "are of different runs"},
		{"other day", []*history.File{one("r", "1/2"), shardHistory(t, "r", "2/2", 1, int64(time.Hour), true)}, "are of different runs"},
		{"cut", []*history.File{one("r", "1/2"), shardHistory(t, "r", "2/2", 1, 0, false)}, "ends before the run of its shard did"},
		{"no shard", []*history.File{one("r", "1/2"), plain}, "is not the history of a shard"},
	}
	for _, tt := range tests {
		err := Join(filepath.Join(t.TempDir(), "all.hist"), tt.files)
		var refused *JoinError
		if !errors.As(err, &refused) || !strings.Contains(refused.Msg, tt.want) || refused.Hint == "" {
			t.Errorf("%s: %v", tt.name, err)
		}
	}
}

// newHistory is one of a run without shards.
func newHistory(t *testing.T) *history.File {
	t.Helper()
	w, err := history.Create(filepath.Join(t.TempDir(), "run.jsonl"), history.Header{Probe: Probe.Name}, 0)
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	f, err := history.Open(w.Path())
	if err != nil {
		t.Fatal(err)
	}
	return f
}
