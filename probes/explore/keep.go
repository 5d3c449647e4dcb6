package explore

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/ccheck/ccheck/probes/history"
	"github.com/ccheck/ccheck/probes/pg"
)

// Keeper keeps the rows of a database as they were at one moment, and puts them
// back. It works while nobody else writes.
type Keeper struct {
	conn  *pg.Conn
	world *world
}

// Keep remembers the tables and the sequences of the first schema of the search
// path. A table with more than maxRows rows is a *TooLargeError.
func Keep(ctx context.Context, cfg *pgconn.Config, tables []history.Table, maxRows int) (*Keeper, error) {
	return keep(ctx, cfg, tables, maxRows, false)
}

// KeepOrWatch is Keep where such a table is left as it is. Restore returns the
// error when somebody has written to it. For that it gets a trigger, so the
// database must be one that ccheck made.
func KeepOrWatch(ctx context.Context, cfg *pgconn.Config, tables []history.Table, maxRows int) (*Keeper, error) {
	return keep(ctx, cfg, tables, maxRows, true)
}

func keep(ctx context.Context, cfg *pgconn.Config, tables []history.Table, maxRows int, watch bool) (*Keeper, error) {
	conn, err := pg.Connect(ctx, hasty(cfg), nil, pg.Simple)
	if err != nil {
		return nil, fmt.Errorf("connecting to keep the tables: %w", err)
	}
	w, err := newWorld(conn, nil, tables, maxRows, watch)
	if err != nil {
		conn.Close()
		return nil, err
	}
	return &Keeper{conn: conn, world: w}, nil
}

// Restore puts the rows back, and returns the tables that had changed.
func (k *Keeper) Restore() (changed []string, err error) {
	c, err := k.world.diff(false)
	if err != nil {
		return nil, err
	}
	for i, t := range k.world.tables {
		if c.tables[i].any() {
			changed = append(changed, t.Name)
		}
	}
	return changed, k.world.reset(c)
}

// Watched are the tables that have too many rows to be put back.
func (k *Keeper) Watched() []string {
	var names []string
	for _, l := range k.world.large {
		names = append(names, l.name)
	}
	return names
}

// Close forgets the rows.
func (k *Keeper) Close() { k.conn.Close() }

// Boundary is the state in which a request is accepted for the last time.
type Boundary struct {
	Calls   int // that were made before it
	Last    Ending
	Refusal Ending // what the one after it is answered
	Found   bool
}

// FindBoundary makes a call again and again until the class of its answer
// changes, puts the rows back and repeats all calls but the last accepted one.
// Then one more call is accepted and the next is not: two that are made at once
// have something to get wrong. most and limit bound the search. When the
// class never changes the rows are as they were.
func FindBoundary(ctx context.Context, k *Keeper, lane int, call func(context.Context, int) Ending, most int, limit time.Duration) (b Boundary, err error) {
	end := time.Now().Add(limit)
	for b.Calls < most && time.Now().Before(end) && ctx.Err() == nil {
		e := call(ctx, lane)
		if e.Err != nil {
			return b, e.Err
		}
		if b.Calls > 0 && class(e) != class(b.Last) {
			b.Found, b.Refusal = true, e
			break
		}
		if b.Calls == 0 && e.Outcome != history.Accepted {
			break
		}
		b.Last = e
		b.Calls++
	}
	if _, err := k.Restore(); err != nil {
		return b, err
	}
	if !b.Found {
		return b, ctx.Err()
	}
	b.Calls--
	for range b.Calls {
		call(ctx, lane)
	}
	return b, ctx.Err()
}

// Record writes to a history how the rows differ from those that were kept, and
// returns what the application behind the gate did by itself since the last time:
// the rows that only it has written are left out.
func (k *Keeper) Record(rec *history.Recorder, gate *Wire) (Company, error) {
	k.world.rec, k.world.gate = rec, gate
	_, err := k.world.diff(true)
	return k.world.company, err
}

// Advance moves the sequences on, so that what they give shows as chance.
func (k *Keeper) Advance() error { return k.world.advance() }
