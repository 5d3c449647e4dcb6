package cursor

import (
	"context"
	"database/sql"
	"net/http"
	"net/url"
	"time"
)

type feed struct {
	db   *sql.DB
	last time.Time
	id   int64
}

func (f *feed) next(ctx context.Context) error {
	rows, err := f.db.QueryContext(ctx, `SELECT id, created_at FROM event WHERE created_at > $1 ORDER BY created_at`, f.last) // want `a reader goes on after the largest timestamp`
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		var id int64
		if err := rows.Scan(&id, &f.last); err != nil {
			return err
		}
	}
	return rows.Err()
}

type row struct {
	ID int64
	At time.Time
}

type poller struct {
	db   *sql.DB
	seen time.Time
	from time.Time
}

func (p *poller) poll(read func(*sql.Rows) ([]row, error)) error {
	rows, err := p.db.Query("select id, updated_at from doc where updated_at >= ? order by updated_at limit 100", p.seen) // want `a reader goes on after the largest timestamp`
	if err != nil {
		return err
	}
	defer rows.Close()
	all, err := read(rows)
	if err != nil {
		return err
	}
	for _, r := range all {
		p.seen = r.At
	}
	return nil
}

// A page of a report begins where the user says.
func (p *poller) report() (*sql.Rows, error) {
	return p.db.Query("select id from doc where updated_at >= ? order by updated_at", p.from)
}

// A number that the database counts.
func (f *feed) nextID() error {
	rows, err := f.db.Query(`SELECT id FROM event WHERE id > $1 ORDER BY id`, f.id)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		if err := rows.Scan(&f.id); err != nil {
			return err
		}
	}
	return rows.Err()
}

// What is valid now is chosen by the clock, and the number beside it is no time.
func (f *feed) valid() (*sql.Rows, error) {
	return f.db.Query(`SELECT id FROM event WHERE feed = $1 AND (updated_at IS NULL OR updated_at > $2) ORDER BY updated_at`, f.id, time.Now())
}

// The latest of those above a stamp are not read one after the other.
func (f *feed) latest() error {
	return f.db.QueryRow(`SELECT created_at FROM event WHERE created_at > $1 ORDER BY created_at DESC`, f.last).Scan(&f.last)
}

func (p *poller) of(feed int64) (*sql.Rows, error) {
	return p.db.Query("select id from doc where feed = ? and updated_at > ? order by updated_at asc, id", feed, p.seen) // want `a reader goes on after the largest timestamp`
}

// What is newer than the reader's own last look.

type syncer struct {
	db   *sql.DB
	last time.Time
}

func (s *syncer) pull(each func(*sql.Rows) error) error {
	now := time.Now()
	rows, err := s.db.Query(`SELECT id FROM events WHERE updated_at > $1`, s.last) // want `newer than its own last look`
	if err != nil {
		return err
	}
	defer rows.Close()
	s.last = now
	return each(rows)
}

// Near misses: it looks again at the last minute; from where another says.

func (s *syncer) overlap(each func(*sql.Rows) error) error {
	now := time.Now()
	rows, err := s.db.Query(`SELECT id FROM events WHERE updated_at > $1`, s.last.Add(-time.Minute))
	if err != nil {
		return err
	}
	defer rows.Close()
	s.last = now
	return each(rows)
}

type counter struct {
	db   *sql.DB
	from time.Time
}

func (c *counter) count() (n int, err error) {
	err = c.db.QueryRow(`SELECT count(*) FROM events WHERE created_at > $1`, c.from).Scan(&n)
	return n, err
}

func newCounter(db *sql.DB) *counter { return &counter{db, time.Now()} }

// The same over HTTP.

type puller struct {
	last time.Time
	base string
	etag string
}

func (p *puller) list(get func(string, url.Values) error) error {
	began := time.Now()
	q := url.Values{"updated_since": {p.last.Format(time.RFC3339)}} // want `newer than its own last look`
	if err := get(p.base, q); err != nil {
		return err
	}
	p.last = began
	return nil
}

func (p *puller) changed(r *http.Request, do func(*http.Request) error) error {
	now := time.Now()
	r.Header.Set("If-Modified-Since", p.last.UTC().Format(http.TimeFormat)) // want `newer than its own last look`
	if err := do(r); err != nil {
		return err
	}
	p.last = now
	return nil
}

// Near miss: the stamp is the server's.
type polite struct{ modified time.Time }

func (p *polite) get(r *http.Request, do func(*http.Request) (*http.Response, error)) error {
	r.Header.Set("If-Modified-Since", p.modified.UTC().Format(http.TimeFormat))
	resp, err := do(r)
	if err != nil {
		return err
	}
	p.modified, err = http.ParseTime(resp.Header.Get("Last-Modified"))
	return err
}

// The caller remembers where to go on.

func after(ctx context.Context, db *sql.DB, from time.Time) (ids []int64, next time.Time, err error) {
	rows, err := db.QueryContext(ctx, `SELECT id, created_at FROM event WHERE created_at > $1 ORDER BY created_at LIMIT 100`, from) // want `goes on after the timestamp of the last row`
	if err != nil {
		return nil, from, err
	}
	defer rows.Close()
	for rows.Next() {
		var id int64
		if err := rows.Scan(&id, &next); err != nil {
			return nil, from, err
		}
		ids = append(ids, id)
	}
	return ids, next, rows.Err()
}

// Near miss: what a report begins with, and the rows of one day.
func day(ctx context.Context, db *sql.DB, from time.Time) (*sql.Rows, error) {
	return db.QueryContext(ctx, `SELECT id, created_at FROM event WHERE created_at > $1 ORDER BY created_at`, from)
}
