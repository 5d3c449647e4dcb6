package explore

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/ccheck/ccheck/probes/history"
	"github.com/ccheck/ccheck/probes/pg"
)

// replica is the hot standby that lanes read after "-- @on replica". Its replay
// of the log is stopped and goes on when the scheduler says so, since how far
// it is behind is a choice like which lane comes next: a read there can see the
// state after any commit, never an earlier one than the read before.
//
// Between two commits it makes no difference when the log is replayed, so the
// choice is offered right after each commit alone.
type replica struct {
	conn    *pg.Conn // to the standby
	primary *pg.Conn
	rec     *history.Recorder
	readers []bool // lanes that read there
}

// ReplayMark is the text of the note that tells when the standby has replayed
// all that was committed.
const ReplayMark = "replay"

const (
	// logSQL has what was committed written out, which the lanes' commits do not
	// wait for, and tells how far the log is.
	logSQL = "begin; set local synchronous_commit = on; select pg_logical_emit_message(true, 'ccheck', 'replay'); commit; select pg_current_wal_flush_lsn()"

	pauseSQL  = "select pg_wal_replay_pause()"
	resumeSQL = "select pg_wal_replay_resume()"

	replayLimit = time.Minute
)

var errOldReplica = errors.New("reading from a replica takes PostgreSQL 14 or newer, where replay goes on at once when it was stopped")

// follow connects to the standby and has it replay the set-up.
func (x *explorer) follow(ctx context.Context) error {
	if x.Replica == nil {
		return nil
	}
	conn, err := pg.Connect(ctx, x.Replica(), nil, pg.Simple)
	if err != nil {
		return fmt.Errorf("connecting to the replica: %w", err)
	}
	conn.Watch(ctx)
	x.replica = &replica{conn: conn, primary: x.admin, rec: x.rec, readers: make([]bool, len(x.Lanes))}
	x.commute = nil // what a read there sees depends on when the log was replayed
	version, err := conn.Ask("select current_setting('server_version_num')::int >= 140000")
	switch {
	case err != nil:
		return fmt.Errorf("asking the replica for its version: %w", err)
	case version.Rows[0][0].Text != "t":
		return errOldReplica
	}
	return x.replica.replay(ctx)
}

// replay has the standby replay all that was committed, and no more.
func (r *replica) replay(ctx context.Context) error {
	at, err := r.primary.Ask(logSQL)
	if err != nil {
		return fmt.Errorf("asking for the position in the log: %w", err)
	}
	if _, err := r.conn.Ask(resumeSQL); err != nil {
		return fmt.Errorf("having the replica go on: %w", err)
	}
	if err := r.await(ctx, at.Rows[0][0].Text); err != nil {
		return err
	}
	if _, err := r.conn.Ask(pauseSQL); err != nil {
		return fmt.Errorf("having the replica stop: %w", err)
	}
	r.rec.Record(&history.Op{Scope: history.ScopeNote, Kind: history.OK, Text: ReplayMark})
	return nil
}

// await returns when the standby has replayed the log up to the position.
func (r *replica) await(ctx context.Context, lsn string) error {
	limit := time.After(replayLimit)
	pause := soonPause
	for {
		there, err := r.conn.Ask("select pg_last_wal_replay_lsn() >= '" + lsn + "'::pg_lsn")
		if err != nil {
			return fmt.Errorf("asking the replica how far it is: %w", err)
		}
		if there.Rows[0][0].Text == "t" {
			return nil
		}
		select {
		case <-time.After(pause):
			pause = min(2*pause, lastPause)
		case <-limit:
			return fmt.Errorf("the replica did not replay what was committed within %v", replayLimit)
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// ConnectReplica opens a session of the lane on the standby.
func (s *Seat) ConnectReplica(ctx context.Context, cfg *pgconn.Config) (*Session, error) {
	c, err := s.Connect(ctx, cfg)
	if err != nil {
		return nil, fmt.Errorf("connecting to the replica: %w", err)
	}
	c.standby = true
	return c, nil
}

// behind reports whether the step that was made last has committed something
// that a lane may still look for on the standby.
func (e *execution) behind() bool {
	if e.x.replica == nil || !e.committed {
		return false
	}
	for i, s := range e.x.seats {
		if e.x.replica.readers[i] && s.phase != over && s.phase != away {
			return true
		}
	}
	return false
}
