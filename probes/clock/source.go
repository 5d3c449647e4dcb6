package clock

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/ccheck/ccheck/probes/internal/reach"
)

// Source is another clock.
type Source struct {
	Name string // for people, without a credential
	Kind string // "database", "http" or "ntp"
	read func(context.Context) (Bound, error)
	// Close ends what the source has open.
	Close func(context.Context)
}

// Database is the clock of the server behind the session, which it takes over.
func Database(name string, conn *pgconn.PgConn) Source {
	const sql = "select (extract(epoch from clock_timestamp()) * 1000000)::bigint"
	return Source{Name: name, Kind: "database", Close: func(ctx context.Context) { conn.Close(ctx) }, read: func(ctx context.Context) (Bound, error) {
		w := start()
		sent := w.now()
		res := conn.ExecParams(ctx, sql, nil, nil, nil, nil).Read()
		got := w.now()
		if res.Err != nil {
			return Bound{}, fmt.Errorf("reading the clock of %s: %w", name, res.Err)
		}
		us, err := strconv.ParseInt(string(res.Rows[0][0]), 10, 64)
		if err != nil {
			return Bound{}, fmt.Errorf("reading the clock of %s: %w", name, err)
		}
		at := time.UnixMicro(us)
		return between(at, at.Add(time.Microsecond), sent, got), nil
	}}
}

// NoDateError says that an answer does not tell the time.
type NoDateError struct{ Name, Why string }

func (e *NoDateError) Error() string { return e.Name + " does not tell its time: " + e.Why }

// HTTP is the clock behind a URL, as its Date header tells it.
func HTTP(name, url string, limit time.Duration) Source {
	client := &http.Client{Timeout: limit, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	return Source{Name: name, Kind: "http", Close: func(context.Context) { client.CloseIdleConnections() }, read: func(ctx context.Context) (Bound, error) {
		req, err := http.NewRequestWithContext(ctx, http.MethodHead, url, nil)
		if err != nil {
			return Bound{}, fmt.Errorf("making a request for %s: %w", name, err)
		}
		w := start()
		sent := w.now()
		res, err := client.Do(req)
		got := w.now()
		if err != nil {
			return Bound{}, fmt.Errorf("asking %s: %w", name, reach.Why(err))
		}
		defer res.Body.Close()
		if _, err := io.Copy(io.Discard, io.LimitReader(res.Body, 1<<20)); err != nil {
			return Bound{}, fmt.Errorf("reading the answer of %s: %w", name, err)
		}
		return dated(name, res.Header, sent, got)
	}}
}

// dated reads the Date of an answer, which is in whole seconds.
func dated(name string, h http.Header, sent, got time.Time) (Bound, error) {
	if age := h.Get("Age"); age != "" && age != "0" {
		return Bound{}, &NoDateError{name, "the answer is that of a cache (Age: " + age + ")"}
	}
	at, err := http.ParseTime(h.Get("Date"))
	if err != nil {
		return Bound{}, &NoDateError{name, "its answer has no Date header"}
	}
	return between(at, at.Add(time.Second), sent, got), nil
}

// errNoAnswer is what a server that speaks something else is told by.
var errNoAnswer = errors.New("what came back is no answer of an NTP server")
