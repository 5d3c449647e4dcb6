package explore

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/ccheck/ccheck/probes/history"
	"github.com/ccheck/ccheck/probes/pg"
)

// detector sees which lanes wait for a lock, on a connection of its own, which
// is watched as a whole.
// pg_blocking_pids looks at the server's lock table (manual, 9.26); a
// serializable, read only, deferrable transaction waits outside of it.
type detector struct {
	conn  *pg.Conn
	ask   *pg.Stmt
	args  [1]history.Value
	lanes map[string]int // by the pid of a session
	wire  *Wire          // knows the sessions of an application; nil without one
	polls int64
}

const (
	evictLimit = 5 * time.Second
	evictPause = 2 * time.Millisecond
)

const blockersSQL = "select array_to_string(pg_blocking_pids($1::int) || pg_safe_snapshot_blocking_pids($1::int), ' ')"

func newDetector(conn *pg.Conn, seats []*Seat) *detector {
	d := &detector{conn: conn, ask: &pg.Stmt{Stmt: history.Stmt{SQL: blockersSQL}, NumParams: 1}, lanes: map[string]int{}}
	for _, s := range seats {
		for _, pid := range s.pids {
			d.lanes[strconv.FormatUint(uint64(pid), 10)] = s.Lane
		}
	}
	return d
}

// stranger stands for a session that is none of the lanes'.
const stranger = -1

// blockers returns the lanes that the backend waits for; none when it does not
// wait. A lane may wait for itself: two of its sessions.
func (d *detector) blockers(pid uint32) ([]int, error) {
	d.polls++
	d.args[0] = history.Int(int64(pid))
	res, err := d.conn.Exec(context.Background(), d.ask, d.args[:])
	if err != nil {
		return nil, fmt.Errorf("asking the server who waits: %w", err)
	}
	text := res.Rows[0][0].Text
	if text == "" {
		return nil, nil
	}
	var lanes []int
	for _, word := range strings.Fields(text) {
		lane, ours := d.laneOf(word)
		if !ours {
			lane = stranger
		}
		lanes = append(lanes, lane)
	}
	return lanes, nil
}

func (d *detector) laneOf(pid string) (int, bool) {
	if d.wire == nil {
		lane, ours := d.lanes[pid]
		return lane, ours
	}
	n, err := strconv.ParseUint(pid, 10, 32)
	if err != nil {
		return 0, false // 0 stands for a prepared transaction
	}
	return d.wire.laneOfPID(uint32(n))
}

// evict ends sessions that a request has left in a transaction, and waits until
// their locks are gone, evictLimit at most: the tables are put back next.
func (d *detector) evict(pids []uint32) error {
	for _, pid := range pids {
		for begun := time.Now(); time.Since(begun) < evictLimit; time.Sleep(evictPause) {
			// It answers false for a process that is gone (manual, 9.28.2).
			res, err := d.conn.Ask(fmt.Sprintf("select coalesce(bool_or(pg_terminate_backend(pid)), false) from pg_stat_activity where pid = %d", pid))
			if err != nil {
				return fmt.Errorf("ending a session that was left in a transaction: %w", err)
			}
			if res.Rows[0][0].Text != "t" {
				break
			}
		}
	}
	return nil
}

// cancel ends the statement that the backend waits in.
func (d *detector) cancel(pid uint32) error {
	if _, err := d.conn.Ask(fmt.Sprintf("select pg_cancel_backend(%d)", pid)); err != nil {
		return fmt.Errorf("ending a deadlock: %w", err)
	}
	return nil
}

// The pauses between two looks at a lane whose answer has not come. A statement
// that has waited in an earlier schedule is looked at sooner: most answers come
// before anybody has to ask.
const (
	soonPause  = 50 * time.Microsecond
	firstPause = 400 * time.Microsecond
	lastPause  = 5 * time.Millisecond
)
