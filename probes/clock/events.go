package clock

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"sync"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/ccheck/ccheck/probes/history"
)

// Events are what two sessions write in turn.
type Events struct {
	Config *pgconn.Config // of a session in the schema of the run
	Each   int            // events of each session
	Skew   time.Duration  // that the clock of A is set ahead, to see what is found
}

// Table is the statement that makes what the events are written to.
const Table = `create table event (n bigint not null); insert into event values (0)`

// write is one event: the number that it gets is its place in the order of the
// server, since the row is locked until the commit. RETURNING is evaluated with
// the lock held.
const write = `update event set n = n + 1 returning n, (extract(epoch from clock_timestamp()) * 1000000)::bigint, (extract(epoch from now()) * 1000000)::bigint`

// lanes of the sessions, behind those of the sources.
const eventLane = 100

// inTurn is how many of its events, the last, each session writes in strict turn
// with the other, so that they have met whatever the machine did with the two
// before.
const inTurn = 25

func (d *driver) events(ctx context.Context) error {
	if d.o.Events == nil {
		return nil
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var wg sync.WaitGroup
	errs := make([]error, 2)
	turns := [2]chan struct{}{make(chan struct{}, 1), make(chan struct{}, 1)}
	turns[0] <- struct{}{}
	for i, name := range []string{"A", "B"} {
		wg.Go(func() {
			w := &writer{driver: d, name: name, rec: d.Recorder(eventLane + i), mine: turns[i], next: turns[1-i]}
			if errs[i] = w.write(ctx); errs[i] != nil {
				cancel() // nobody waits for a turn that does not come
			}
		})
	}
	wg.Wait()
	return errors.Join(errs...)
}

// writer is one of the two sessions.
type writer struct {
	*driver
	name       string
	rec        *history.Recorder
	conn       *pgconn.PgConn
	mine, next chan struct{} // turns
}

func (w *writer) write(ctx context.Context) (err error) {
	if w.conn, err = pgconn.ConnectConfig(ctx, w.o.Events.Config); err != nil {
		return fmt.Errorf("connecting the session %s: %w", w.name, err)
	}
	defer w.conn.Close(context.WithoutCancel(ctx))
	for i := range w.o.Events.Each {
		locked := func() {}
		if i >= w.o.Events.Each-inTurn {
			select {
			case <-w.mine:
			case <-ctx.Done():
				return ctx.Err()
			}
			// The other one may ask for the row as soon as it is locked, and gets it next.
			locked = func() { w.next <- struct{}{} }
		}
		if err := w.event(ctx, locked); err != nil {
			return fmt.Errorf("writing an event of %s: %w", w.name, err)
		}
	}
	return nil
}

// event writes one event and stamps it while the row is locked: A by this
// machine, B by the database.
func (w *writer) event(ctx context.Context, locked func()) (err error) {
	rec, conn, name := w.rec, w.conn, w.name
	rec.BeginCall("event")
	results, err := conn.Exec(ctx, "begin; "+write).ReadAll()
	if err != nil {
		rec.EndCall(history.Unknown, 1, text("session", name), err)
		return errors.Join(err, rec.Flush())
	}
	locked()
	ours := time.Now().Add(w.o.Events.Skew).UnixMicro()
	if _, err := conn.Exec(ctx, "commit").ReadAll(); err != nil {
		rec.EndCall(history.Unknown, 1, text("session", name), err)
		return errors.Join(err, rec.Flush())
	}
	row := results[1].Rows[0]
	theirs, err := strconv.ParseInt(string(row[1]), 10, 64)
	if err != nil {
		return err
	}
	stamp := theirs
	if name == "A" {
		stamp = ours
	}
	w.answers.Add(1)
	rec.EndCall(history.Accepted, 1, text("session", name, "n", string(row[0]), "now_us", string(row[2])).number("stamp_us", stamp), nil)
	return rec.Flush()
}
