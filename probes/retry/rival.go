package retry

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/ccheck/ccheck/probes/history"
	"github.com/ccheck/ccheck/probes/internal/lab"
	"github.com/ccheck/ccheck/probes/pg"
)

// Contended are the faults that a rival can bring about.
var Contended = []Fault{Serialization, Twice, Deadlock}

const (
	glance   = 3 * time.Millisecond // between two looks at who waits for the rival
	mostRows = 200                  // of a table that the rival contends for
	patient  = "10min"
)

// rival is another transaction on the rows that a call changes. For 40001 it
// updates them, to what they are, before the call comes to them, and commits when
// the call waits for it. For 40P01 it locks what the call has not locked yet, and
// asks for what it has when the call waits. The server then answers as it does to
// anybody: above READ COMMITTED with 40001, and with 40P01 to whom it finds waiting
// in a circle first, which is the call.
type rival struct {
	conn, side *pg.Conn // it works on the first, and the second one looks on

	mu     sync.Mutex
	rows   []claimed
	fault  Fault
	left   int           // how often it is still to do so
	stop   chan struct{} // of the watcher; nil when the rival has nothing locked
	over   chan struct{} // closed when it has collided; nil while it does not
	watch  sync.WaitGroup
	failed error
}

// claimed are the rows of a table that a call changes; none of one that it adds
// to.
type claimed struct {
	table  string
	where  string
	column string // one that can be set to itself
}

// newRival connects. It waits for its locks longer than the call does, so that the
// call is the one that the server picks, also where only a superuser may ask for
// that and the call is found first because it waited first.
func (d *driver) newRival(ctx context.Context) (*rival, error) {
	r := &rival{}
	var err error
	if r.conn, err = pg.Connect(ctx, d.Config(), nil, pg.Simple); err != nil {
		return nil, err
	}
	if r.side, err = pg.Connect(ctx, d.Config(), nil, pg.Simple); err != nil {
		return nil, err
	}
	_, err = r.conn.Ask(fmt.Sprintf("set deadlock_timeout = '%s'", patient))
	if err != nil && !lab.IsServer(err) {
		return nil, err
	}
	return r, nil
}

func (r *rival) close() {
	for _, c := range []*pg.Conn{r.conn, r.side} {
		if c != nil {
			c.Close()
		}
	}
}

// learn takes the rows that a round has changed.
func (r *rival) learn(w *world) error {
	r.rows = nil
	for _, t := range w.tables {
		removed, touched := w.changed[t.Name]
		if !touched {
			continue
		}
		c := claimed{table: lab.Ident(t.Name), where: "false"}
		columns, err := lab.Writable(w.conn, t.Name)
		if err != nil {
			return err
		}
		list := strings.Split(columns, ", ")
		c.column = list[len(list)-1]
		if len(removed) > 0 {
			c.where = same(&t.Table, removed[:min(len(removed), mostRows)])
		}
		r.rows = append(r.rows, c)
	}
	return nil
}

// same is a condition that is true of these rows: by their key where they have
// one, which a change leaves as it is.
func same(t *history.Table, rows [][]history.Value) string {
	columns := t.Key
	if len(columns) == 0 {
		columns = t.Columns
	}
	var all []string
	for _, row := range rows {
		var one []string
		for _, c := range columns {
			v := row[slices.Index(t.Columns, c)]
			literal := lab.Literal(v.Text)
			if v.Null {
				literal = "null"
			}
			one = append(one, lab.Ident(c)+" is not distinct from "+literal)
		}
		all = append(all, "("+strings.Join(one, " and ")+")")
	}
	return strings.Join(all, " or ")
}

// arm makes it come between for the next call.
func (r *rival) arm(f Fault) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.fault, r.left = f, 1
	if f == Twice {
		r.left = 2
	}
}

// arrive is told of each batch of the call before it is let through. What the call
// sends after a collision waits until the rival has let go, so that it does not
// run into the same one again.
func (r *rival) arrive() {
	r.mu.Lock()
	over := r.over
	r.mu.Unlock()
	if over != nil {
		<-over
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.left == 0 || r.stop != nil || r.failed != nil {
		return
	}
	locked, err := r.take()
	if err != nil {
		r.failed = err
		return
	}
	if locked {
		stop := make(chan struct{})
		r.stop = stop
		r.watch.Go(func() { r.await(stop) })
	}
}

// take locks what it needs, without waiting for anybody.
func (r *rival) take() (bool, error) {
	if _, err := r.conn.Ask("begin"); err != nil {
		return false, err
	}
	take := r.update
	if r.fault == Deadlock {
		take = r.lock
	}
	locked, err := take()
	if err != nil || !locked {
		_, undo := r.conn.Ask("rollback")
		return false, errors.Join(err, undo)
	}
	return true, nil
}

// update updates the rows that nobody has locked.
func (r *rival) update() (bool, error) {
	n := 0
	for _, c := range r.rows {
		found, err := r.count(fmt.Sprintf(`with free as (select ctid from %[1]s where %[2]s for update skip locked),
			mine as (update %[1]s as t set %[3]s = t.%[3]s from free where t.ctid = free.ctid returning 1) select count(*) from mine`, c.table, c.where, c.column))
		if err != nil {
			return false, fmt.Errorf("updating the rows of %s beside the call: %w", c.table, err)
		}
		n += found
	}
	return n > 0, nil
}

// lock locks rows that the call is still to come to, or a table, once there is a
// row that the call has locked.
func (r *rival) lock() (bool, error) {
	free, taken := 0, 0
	for _, c := range r.rows {
		mine, err := r.count(fmt.Sprintf("select count(*) from (select 1 from %s where %s for update skip locked) as free", c.table, c.where))
		if err != nil {
			return false, fmt.Errorf("locking the rows of %s beside the call: %w", c.table, err)
		}
		all, err := r.count(fmt.Sprintf("select count(*) from %s where %s", c.table, c.where))
		if err != nil {
			return false, err
		}
		free, taken = free+mine, taken+all-mine
	}
	if taken == 0 {
		return false, nil
	}
	for _, c := range r.rows {
		if free > 0 {
			break
		}
		_, err := r.conn.Ask(fmt.Sprintf("savepoint ccheck; lock table %s in share mode nowait", c.table))
		switch {
		case err == nil:
			free++
		case lab.IsServer(err):
			if _, err := r.conn.Ask("rollback to savepoint ccheck"); err != nil {
				return false, err
			}
		default:
			return false, err
		}
	}
	return free > 0, nil
}

func (r *rival) count(query string) (int, error) { return count(r.conn, query) }

func count(conn *pg.Conn, query string) (n int, err error) {
	res, err := conn.Ask(query)
	if err != nil {
		return 0, err
	}
	_, err = fmt.Sscan(res.Rows[0][0].Text, &n)
	return n, err
}

// await lets go when the call waits for the rival, or when it is to stop.
func (r *rival) await(stop <-chan struct{}) {
	query := fmt.Sprintf("select count(*) from pg_stat_activity where %d = any(pg_blocking_pids(pid))", r.conn.PID())
	for {
		n, err := count(r.side, query)
		switch {
		case err != nil:
			r.done(false, err)
			return
		case n > 0:
			r.collide()
			return
		}
		select {
		case <-stop:
			_, err := r.conn.Ask("rollback")
			r.done(false, err)
			return
		case <-time.After(glance):
		}
	}
}

// collide does what the call cannot survive in one transaction.
func (r *rival) collide() {
	over := make(chan struct{})
	r.mu.Lock()
	r.over = over
	r.mu.Unlock()
	defer close(over)
	if r.fault != Deadlock {
		_, err := r.conn.Ask("commit")
		r.done(err == nil, err)
		return
	}
	var err error
	for _, c := range r.rows {
		if err == nil {
			_, err = r.conn.Ask(fmt.Sprintf("select count(*) from (select 1 from %s where %s for update) as theirs", c.table, c.where))
		}
	}
	won := err == nil
	if lab.IsServer(err) {
		err = nil // the server picked the rival
	}
	_, undo := r.conn.Ask("rollback")
	r.done(won, errors.Join(err, undo))
}

// done ends one collision.
func (r *rival) done(met bool, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if met {
		r.left--
	}
	if r.failed == nil {
		r.failed = err
	}
	r.stop, r.over = nil, nil
}

// disarm lets go of everything.
func (r *rival) disarm() error {
	r.mu.Lock()
	r.left = 0
	if r.stop != nil {
		close(r.stop)
	}
	r.mu.Unlock()
	r.watch.Wait()
	if r.failed != nil {
		return fmt.Errorf("contending with the call: %w", r.failed)
	}
	return nil
}
