package lag

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
)

// Tables are the statements that make what the run writes to, in the schema of
// the run.
const Tables = `create table post (key text primary key, version bigint not null);
create table account (key text primary key, balance bigint not null, version bigint not null)`

// lsn is a position in the write-ahead log.
type lsn uint64

// parseLSN reads PostgreSQL's form of it, two hexadecimal numbers: 16/B374D848.
func parseLSN(s string) (lsn, error) {
	high, low, ok := strings.Cut(s, "/")
	h, err1 := strconv.ParseUint(high, 16, 32)
	l, err2 := strconv.ParseUint(low, 16, 32)
	if !ok || err1 != nil || err2 != nil {
		return 0, fmt.Errorf("%q is no position in the log", s)
	}
	return lsn(h<<32 | l), nil
}

func (p lsn) String() string { return fmt.Sprintf("%X/%X", uint64(p)>>32, uint64(p)&0xffffffff) }

// conn is a session on one server.
type conn struct {
	*pgconn.PgConn
	name    string
	replica bool
}

func connect(ctx context.Context, s Server, replica bool) (*conn, error) {
	c, err := pgconn.ConnectConfig(ctx, s.Config)
	if err != nil {
		return nil, fmt.Errorf("connecting to %s: %w", s.Name, err)
	}
	return &conn{c, s.Name, replica}, nil
}

// ask runs statements in one message and returns the rows of the last one.
func (c *conn) ask(ctx context.Context, sql string) ([][]string, error) {
	results, err := c.Exec(ctx, sql).ReadAll()
	if err != nil {
		return nil, fmt.Errorf("asking %s: %w", c.name, err)
	}
	var last [][]string
	for _, r := range results {
		if len(r.FieldDescriptions) == 0 {
			continue
		}
		last = last[:0]
		for _, row := range r.Rows {
			var cells []string
			for _, v := range row {
				cells = append(cells, string(v))
			}
			last = append(last, cells)
		}
	}
	return last, nil
}

// position is SQL for how far the server is: what it has replayed, or written.
// On a primary the inserted position is asked for, since with synchronous_commit
// off a commit returns before it is written.
func (c *conn) position() string {
	if c.replica {
		return "pg_last_wal_replay_lsn()"
	}
	return "pg_current_wal_insert_lsn()"
}

// errNotThere is the answer of a replica that has not even the table.
var errNotThere = errors.New("the replica has not replayed the set-up yet")

// version reads the row of a key, and how far the server is.
func (c *conn) version(ctx context.Context, table, key string) (int64, lsn, error) {
	column := map[string]string{"post": "version", "account": "balance"}[table]
	rows, err := c.ask(ctx, fmt.Sprintf("select %s, pg_is_in_recovery(), %s from %s where key = '%s'", column, c.position(), table, key))
	if err != nil {
		return 0, 0, err
	}
	if len(rows) != 1 {
		return 0, 0, errNotThere
	}
	if c.replica && rows[0][1] != "t" {
		return 0, 0, &PromotedError{c.name}
	}
	n, err := strconv.ParseInt(rows[0][0], 10, 64)
	if err != nil {
		return 0, 0, fmt.Errorf("reading %s on %s: %w", table, c.name, err)
	}
	at, err := parseLSN(rows[0][2])
	return n, at, err
}

// change writes on the primary and returns the version and the number that the
// statement returns, and a position that is not before its commit.
func (c *conn) change(ctx context.Context, sql string) (version, n int64, at lsn, err error) {
	results, err := c.Exec(ctx, "begin; "+sql+"; commit; select "+c.position()).ReadAll()
	if err != nil {
		return 0, 0, 0, fmt.Errorf("writing on %s: %w", c.name, err)
	}
	if len(results) != 4 || len(results[1].Rows) != 1 {
		return 0, 0, 0, fmt.Errorf("writing on %s: the row is gone", c.name)
	}
	row := results[1].Rows[0]
	version, err1 := strconv.ParseInt(string(row[0]), 10, 64)
	n, err2 := strconv.ParseInt(string(row[1]), 10, 64)
	at, err3 := parseLSN(string(results[3].Rows[0][0]))
	if err := errors.Join(err1, err2, err3); err != nil {
		return 0, 0, 0, fmt.Errorf("writing on %s: %w", c.name, err)
	}
	return version, n, at, nil
}

// replayed reports whether the replica has replayed the log up to there.
func (c *conn) replayed(ctx context.Context, to lsn) (bool, error) {
	rows, err := c.ask(ctx, "select pg_is_in_recovery(), pg_last_wal_replay_lsn() >= '"+to.String()+"'::pg_lsn")
	if err != nil {
		return false, err
	}
	if rows[0][0] != "t" {
		return false, &PromotedError{c.name}
	}
	return rows[0][1] == "t", nil
}

// sleep waits, unless ctx ends before.
func sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// cluster are the sessions on all servers of one who works alone.
type cluster struct {
	primary  *conn
	replicas []*conn
}

func (d *driver) connect(ctx context.Context) (*cluster, error) {
	c := &cluster{}
	var err error
	if c.primary, err = connect(ctx, d.o.Primary, false); err != nil {
		return nil, err
	}
	for _, s := range d.o.Replicas {
		r, err := connect(ctx, s, true)
		if err != nil {
			c.close(ctx)
			return nil, err
		}
		c.replicas = append(c.replicas, r)
	}
	return c, nil
}

func (c *cluster) close(ctx context.Context) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
	defer cancel()
	c.primary.Close(ctx) // a session that is gone is closed
	for _, r := range c.replicas {
		r.Close(ctx)
	}
}

// setup makes the rows, and waits until every replica has them.
func (d *driver) setup(ctx context.Context) error {
	c, err := d.connect(ctx)
	if err != nil {
		return err
	}
	defer c.close(ctx)
	var rows []string
	for _, p := range Policies {
		rows = append(rows, fmt.Sprintf("('post/%s', 0), ('reply/%s', 0)", p, p))
	}
	sql := "insert into post values " + strings.Join(rows, ", ") + "; insert into account values ('replica', 0, 0), ('primary', 0, 0), ('wait', 0, 0), ('token', 0, 0)"
	if _, err := c.primary.ask(ctx, sql); err != nil {
		return fmt.Errorf("making the rows: %w", err)
	}
	limit := time.Now().Add(max(d.o.Patience, time.Minute))
	for _, r := range c.replicas {
		if err := r.await(ctx, limit); err != nil {
			return err
		}
	}
	return nil
}

// await waits until the replica has the rows of the set-up.
func (c *conn) await(ctx context.Context, limit time.Time) error {
	for {
		rows, err := c.ask(ctx, "select 1 from account where key = 'token'")
		var answer *pgconn.PgError
		if err != nil && (!errors.As(err, &answer) || answer.Code != "42P01") { // undefined_table: not there yet
			return err
		}
		if len(rows) == 1 {
			return nil
		}
		if time.Now().After(limit) {
			return &StuckError{c.name}
		}
		if err := sleep(ctx, 5*time.Millisecond); err != nil {
			return err
		}
	}
}

// StuckError says that nothing of the run ever came to a replica.
type StuckError struct{ Server string }

func (e *StuckError) Error() string {
	return "what is written on the primary does not come to " + e.Server
}
