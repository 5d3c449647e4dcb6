package deadlock

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/ccheck/ccheck/probes/history"
)

// WatchOptions are what a watch of a live server needs.
type WatchOptions struct {
	Conn     *pgconn.PgConn // a session of the watcher's own
	Header   history.Header
	Path     string        // of the history, which must not exist
	Every    time.Duration // between two looks
	Duration time.Duration // 0 is until it is stopped
	Long     time.Duration // a wait that is worth telling
	Stop     <-chan struct{}
	Progress func(Watched)
}

// Watched is how far a watch is.
type Watched struct {
	Looks     int
	Waits     int64 // sessions seen waiting, in all looks
	Deadlocks int64 // that the server has counted meanwhile
	Elapsed   time.Duration
}

// The notes of a watch. Counted has the number of deadlocks that the server
// counted, Logged what its log says of one.
const (
	Counted = "counted"
	Logged  = "logged"
)

// watcher is one watch.
type watcher struct {
	WatchOptions
	w       *history.Writer
	rec     *history.Recorder
	known   map[string]*backend // by pid
	stmts   map[string]*history.Stmt
	counts  Watched
	before  int64 // deadlocks that the server had counted
	log     logfile
	running time.Time
}

// Watch samples who waits for whom until its time is over. It sends SELECT and
// nothing else.
func Watch(ctx context.Context, o WatchOptions) (counts Watched, err error) {
	o.Header.Probe, o.Header.Start = Probe.Name, time.Now()
	o.Header.Params = append(o.Header.Params,
		history.Parameter{Name: "mode", Value: "watch"}, history.Parameter{Name: "every", Value: o.Every.String()},
		history.Parameter{Name: "long", Value: o.Long.String()}, history.Parameter{Name: "duration", Value: o.Duration.String()},
	)
	w, err := history.Create(o.Path, o.Header, 0)
	if err != nil {
		return counts, err
	}
	x := &watcher{WatchOptions: o, w: w, rec: w.Recorder(history.Checker), known: map[string]*backend{}, stmts: map[string]*history.Stmt{}, running: time.Now()}
	err = x.watch(ctx)
	if closeErr := w.Close(); err == nil {
		err = closeErr
	}
	return x.counts, err
}

func (x *watcher) watch(ctx context.Context) error {
	x.rec.Record(&history.Op{Scope: history.ScopeNote, Kind: history.OK, Text: "start"})
	var err error
	if x.before, err = x.deadlocks(ctx); err != nil {
		return err
	}
	x.log = openLog(ctx, x.Conn)
	tick := time.NewTicker(x.Every)
	defer tick.Stop()
	for x.goesOn(ctx) {
		if err := x.look(ctx); err != nil {
			return err
		}
		select {
		case <-tick.C:
		case <-x.Stop:
		case <-ctx.Done():
		}
	}
	return x.end(context.WithoutCancel(ctx))
}

func (x *watcher) goesOn(ctx context.Context) bool {
	select {
	case <-x.Stop:
		return false
	default:
	}
	return ctx.Err() == nil && (x.Duration == 0 || time.Since(x.running) < x.Duration)
}

// lookSQL are the sessions that wait for a lock and those they wait for.
const lookSQL = `with waiting as (
	select pid, pg_blocking_pids(pid) as blockers from pg_stat_activity
	where wait_event_type = 'Lock' and datname = current_database())
select a.pid, coalesce(a.usename, ''), coalesce(a.application_name, ''), coalesce(a.state, ''), coalesce(a.query, ''),
	coalesce(a.query_start::text, ''), coalesce(a.xact_start::text, ''), coalesce(array_to_string(w.blockers, ' '), '')
from pg_stat_activity a left join waiting w using (pid)
where w.pid is not null or exists (select from waiting b where a.pid = any (b.blockers))
order by a.pid`

// look takes one sample.
func (x *watcher) look(ctx context.Context) error {
	rows, err := ask(ctx, x.Conn, lookSQL)
	if err != nil {
		return fmt.Errorf("looking at who waits: %w", err)
	}
	x.counts.Looks++
	x.counts.Elapsed = time.Since(x.running)
	involved := map[string]bool{}
	for _, r := range rows {
		involved[r[0]] = true
		if err := x.backend(r[0]).seen(x, activity{user: r[1], app: r[2], state: r[3], query: r[4], queryStart: r[5], xactStart: r[6]}); err != nil {
			return err
		}
	}
	for _, r := range rows {
		if r[7] != "" {
			x.counts.Waits++
			x.backend(r[0]).waits(x, strings.Fields(r[7]))
		}
	}
	if err := x.release(involved); err != nil {
		return err
	}
	if x.Progress != nil {
		x.Progress(x.counts)
	}
	return x.rec.Flush()
}

// release ends what is no longer waited for.
func (x *watcher) release(involved map[string]bool) error {
	for pid, b := range x.known {
		if involved[pid] {
			continue
		}
		b.close()
		if err := b.rec.Flush(); err != nil {
			return err
		}
	}
	return nil
}

// end writes what the server counted and logged meanwhile.
func (x *watcher) end(ctx context.Context) error {
	if err := x.release(nil); err != nil {
		return err
	}
	after, err := x.deadlocks(ctx)
	if err != nil {
		return err
	}
	x.counts.Deadlocks = after - x.before
	for _, text := range x.log.deadlocks(ctx, x.Conn) {
		x.rec.Record(&history.Op{Scope: history.ScopeNote, Kind: history.OK, Phase: Logged, Text: text})
	}
	x.rec.Record(&history.Op{Scope: history.ScopeNote, Kind: history.OK, Phase: Counted, Text: strconv.FormatInt(x.counts.Deadlocks, 10)})
	return x.rec.Flush()
}

// deadlocks is the server's own count for the database.
func (x *watcher) deadlocks(ctx context.Context) (int64, error) {
	rows, err := ask(ctx, x.Conn, "select deadlocks from pg_stat_database where datname = current_database()")
	if err != nil || len(rows) != 1 {
		return 0, fmt.Errorf("reading how many deadlocks the server has counted: %w", err)
	}
	return strconv.ParseInt(rows[0][0], 10, 64)
}

func (x *watcher) backend(pid string) *backend {
	b := x.known[pid]
	if b == nil {
		b = &backend{lane: len(x.known), rec: x.w.Recorder(len(x.known))}
		x.known[pid] = b
	}
	return b
}

// define numbers a text.
func (x *watcher) define(sql string) (*history.Stmt, error) {
	st := x.stmts[sql]
	if st != nil {
		return st, nil
	}
	st = &history.Stmt{SQL: sql}
	if err := x.w.Define(st); err != nil {
		return nil, err
	}
	x.stmts[sql] = st
	return st, nil
}

// ask runs a query and returns its rows as text, null as "".
func ask(ctx context.Context, conn *pgconn.PgConn, sql string) ([][]string, error) {
	res := conn.ExecParams(ctx, sql, nil, nil, nil, nil).Read()
	if res.Err != nil {
		return nil, res.Err
	}
	var list [][]string
	for _, r := range res.Rows {
		row := make([]string, len(r))
		for i, v := range r {
			row[i] = string(v)
		}
		list = append(list, row)
	}
	return list, nil
}
