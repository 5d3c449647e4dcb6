package isolation

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// A step is believed to wait when a lock keeps it and nothing that runs could
// give the lock away: every other session under way waits as well or has
// answered. Then only a further step can change anything, so it need not be
// watched for any time. isolationtester looks after 10 ms for the first time
// and takes every wait it sees for lasting, which is what is left to do when
// another session keeps running.
const (
	// cadence is how long a wait must be seen while others run.
	cadence = 10 * time.Millisecond
	// soonest is the first wait for an answer before the server is asked about
	// locks; it doubles from there to slowest. Asking takes about as long.
	soonest = 100 * time.Microsecond
	slowest = 5 * time.Millisecond
	// hangs is when a server is taken for one that will not answer.
	hangs = 30 * time.Second
)

// waitQuery names the process ids of $1 that wait for a lock, or a safe
// snapshot, of one of the sessions. Locks of others, like those of autovacuum,
// come and go by themselves. The function is made for isolationtester and
// stands in no manual; it is in src/backend/utils/adt/lockfuncs.c.
const (
	waitStatement = "ccheck_waiting"
	waitQuery     = `SELECT p FROM pg_catalog.unnest($1::pg_catalog.int4[]) AS p
WHERE pg_catalog.pg_isolation_test_session_is_blocked(p, '{%s}')`
)

// watcher sees on the control connection which sessions wait for locks.
type watcher struct {
	control  *conn
	sessions []*conn
	answer   map[*conn]bool // of the last question
}

func newWatcher(ctx context.Context, control *conn, sessions []*conn) (*watcher, error) {
	_, err := control.pg.Prepare(ctx, waitStatement, fmt.Sprintf(waitQuery, pids(sessions)), nil)
	if err != nil {
		return nil, fmt.Errorf("preparing the question about locks: %w", err)
	}
	return &watcher{control: control, sessions: sessions, answer: map[*conn]bool{}}, nil
}

func pids(sessions []*conn) string {
	all := make([]string, len(sessions))
	for i, c := range sessions {
		all[i] = strconv.FormatUint(uint64(c.pg.PID()), 10)
	}
	return strings.Join(all, ",")
}

// ask puts the question for some sessions. It is not interrupted by the end of
// the context, for which pgconn would close the connection; it is short.
func (w *watcher) ask(ctx context.Context, of []*conn) error {
	clear(w.answer)
	if err := w.control.pg.Conn().SetReadDeadline(time.Now().Add(hangs)); err != nil {
		return fmt.Errorf("asking which steps wait: %w", err)
	}
	pids := []byte("{" + pids(of) + "}")
	r := w.control.pg.ExecPrepared(context.WithoutCancel(ctx), waitStatement, [][]byte{pids}, nil, nil).Read()
	if r.Err != nil {
		w.control.lost = r.Err
		return fmt.Errorf("asking which steps wait: %w", r.Err)
	}
	for _, row := range r.Rows {
		for _, c := range of {
			if string(row[0]) == strconv.FormatUint(uint64(c.pg.PID()), 10) {
				w.answer[c] = true
			}
		}
	}
	return nil
}

// watch is the observation of one session while a step is tried.
type watch struct {
	*watcher
	of    *conn
	since time.Time // the session has been seen to wait from then on
	still int       // answers in a row by which nothing under way runs
}

// waits asks whether the step waits and can be left. An answer that has come
// meanwhile is in the session's inbox.
func (w *watch) waits(ctx context.Context) (bool, error) {
	under := w.underWay()
	if err := w.ask(ctx, under); err != nil {
		return false, err
	}
	if !w.answer[w.of] {
		w.since, w.still = time.Time{}, 0
		return false, nil
	}
	if w.since.IsZero() {
		w.since = time.Now()
	}
	w.count(under)
	// One answer is put together session after session: a lock may have been
	// handed on in between, so that two look stuck that are not. With one
	// session under way there is no in between.
	if len(under) == 1 && w.still == 1 || w.still == 2 {
		return true, nil
	}
	return time.Since(w.since) >= cadence, nil
}

// underWay are the sessions on which the server may be at work: this one and
// the others that have not answered.
func (w *watch) underWay() []*conn {
	under := []*conn{w.of}
	for _, c := range w.sessions {
		if c == w.of || c.active == nil {
			continue
		}
		c.fill(instant)
		if !c.answered() {
			under = append(under, c)
		}
	}
	return under
}

// count counts the answers by which all that are under way wait.
func (w *watch) count(under []*conn) {
	for _, c := range under {
		if !w.answer[c] {
			w.still = 0
			return
		}
	}
	w.still++
}
