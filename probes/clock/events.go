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

func (d *driver) events(ctx context.Context) error {
	if d.o.Events == nil {
		return nil
	}
	var wg sync.WaitGroup
	errs := make([]error, 2)
	for i, name := range []string{"A", "B"} {
		wg.Go(func() { errs[i] = d.write(ctx, eventLane+i, name) })
	}
	wg.Wait()
	return errors.Join(errs...)
}

func (d *driver) write(ctx context.Context, lane int, name string) error {
	conn, err := pgconn.ConnectConfig(ctx, d.o.Events.Config)
	if err != nil {
		return fmt.Errorf("connecting the session %s: %w", name, err)
	}
	defer conn.Close(context.WithoutCancel(ctx))
	rec := d.Recorder(lane)
	for range d.o.Events.Each {
		if err := d.event(ctx, rec, conn, name); err != nil {
			return fmt.Errorf("writing an event of %s: %w", name, err)
		}
	}
	return nil
}

// event writes one event and stamps it while the row is locked: A by this
// machine, B by the database.
func (d *driver) event(ctx context.Context, rec *history.Recorder, conn *pgconn.PgConn, name string) (err error) {
	rec.BeginCall("event")
	results, err := conn.Exec(ctx, "begin; "+write).ReadAll()
	if err != nil {
		rec.EndCall(history.Unknown, 1, text("session", name), err)
		return errors.Join(err, rec.Flush())
	}
	ours := time.Now().Add(d.o.Events.Skew).UnixMicro()
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
	d.answers.Add(1)
	rec.EndCall(history.Accepted, 1, text("session", name, "n", string(row[0]), "now_us", string(row[2])).number("stamp_us", stamp), nil)
	return rec.Flush()
}
