package stress

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/ccheck/ccheck/probes/history"
	"github.com/ccheck/ccheck/probes/pg"
)

// sampleEvery is the pause between two looks at who waits for a lock.
const sampleEvery = 100 * time.Millisecond

// askBlockers is the number of waiting lanes of one look whose blockers are
// asked for: pg_blocking_pids holds the lock manager's partition locks, and
// with 200 lanes waiting it would slow what it measures.
const askBlockers = 5

// sampleWaits records lanes that wait for a lock until the lanes have ended.
// Without the right to see other sessions' waits there is nothing to see; the
// lanes' own sessions are of the same role, so that is rare.
func (r *run) sampleWaits(ctx context.Context, done <-chan struct{}) {
	conn, err := pg.Connect(ctx, r.Config(), nil, pg.Simple)
	if err != nil {
		return
	}
	defer conn.Close()
	defer conn.Watch(ctx)()
	rec := r.w.Recorder(history.Checker)
	t := time.NewTicker(sampleEvery)
	defer t.Stop()
	for {
		select {
		case <-done:
			_ = rec.Flush()
			return
		case <-t.C:
		}
		if err := r.sampleOnce(conn); err != nil {
			return
		}
	}
}

func (r *run) sampleOnce(conn *pg.Conn) error {
	lanes := map[string]int{}
	var pids []string
	for _, l := range r.lanes {
		pid := strconv.FormatUint(uint64(l.pid.Load()), 10)
		lanes[pid] = l.id
		pids = append(pids, pid)
	}
	res, err := conn.Ask(fmt.Sprintf(
		`select pid, wait_event, case when row_number() over (order by query_start) <= %d then array_to_string(pg_blocking_pids(pid), ' ') else '' end
		from pg_stat_activity where wait_event_type = 'Lock' and pid = any ('{%s}')`, askBlockers, strings.Join(pids, ",")))
	if err != nil {
		return err
	}
	if len(res.Rows) > 0 {
		r.meter.mark("lock wait")
	}
	for _, row := range res.Rows {
		r.meter.waits.Add(1)
		op := history.Op{Scope: history.ScopeWait, Kind: history.OK, Text: row[1].Text}
		for _, pid := range strings.Fields(row[2].Text) {
			if lane, ours := lanes[pid]; ours {
				op.Args = append(op.Args, history.Int(int64(lane)))
			}
		}
		waiter := r.w.Recorder(lanes[row[0].Text])
		waiter.Record(&op)
		if err := waiter.Flush(); err != nil {
			return err
		}
	}
	return nil
}
