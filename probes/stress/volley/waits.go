package volley

import (
	"sync"
	"time"

	"github.com/ccheck/ccheck/probes/history"
)

// lookEvery is the pause between two looks at who waits for a lock: a lane that
// was made to wait has met another one, whatever their statements say.
const lookEvery = 5 * time.Millisecond

const waiters = `select pid, wait_event from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`

// watchLocks looks at the connections of the application until one waits for a
// lock, or end is called. One that waited in a round is enough to know.
func (r *run) watchLocks() (end func()) {
	done := make(chan struct{})
	var looking sync.WaitGroup
	if !r.Service.Apart {
		looking.Go(func() { r.lookForWait(done) })
	}
	return func() {
		close(done)
		looking.Wait()
	}
}

func (r *run) lookForWait(done <-chan struct{}) {
	t := time.NewTicker(lookEvery)
	defer t.Stop()
	for {
		select {
		case <-done:
			return
		case <-t.C:
		}
		res, err := r.conn.Ask(waiters)
		if err != nil {
			return // what needs the connection next will tell
		}
		for _, row := range res.Rows {
			if r.Gate.waits(row[0].Text, row[1].Text) {
				return
			}
		}
	}
}

// waits records that the connection with this backend waits for a lock. False says
// that there is none with a transaction in the record.
func (g *Gate) waits(pid, lock string) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	for c, t := range g.conns {
		if g.out != nil && len(t.sent) > 0 && history.Int(int64(c.BackendPID)).Text == pid {
			t.rec.Record(&history.Op{Scope: history.ScopeWait, Kind: history.OK, Text: lock})
			return true
		}
	}
	return false
}
