package target

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/jackc/pgx/v5/pgconn"
)

// The key of the advisory lock of a run, in the two-integer form, which no
// application's one-bigint key can meet. Advisory locks are per database.
const (
	lockClass  = 0x63636b // "cck"
	lockObject = 1
)

// dropRounds is how often Drop and Clean try to get at a schema that somebody
// still holds locks in.
const dropRounds = 5

// Sandbox is the schema that a run works in. It exists from CreateSandbox to
// Drop, and the run's lock on the database with it.
type Sandbox struct {
	Schema string
	Run    Run

	target *Target
	conn   *pgconn.PgConn

	mu   sync.Mutex // a signal may ask for the drop while it runs
	gone bool
}

// String is the name of the schema.
func (s *Sandbox) String() string { return s.Schema }

// Format writes String, whatever the verb: the connection inside a Sandbox
// holds the password.
func (s *Sandbox) Format(f fmt.State, _ rune) { io.WriteString(f, s.Schema) }

// CreateSandbox takes the lock of the database, so that one run at a time works
// in it, and creates the run's schema with its marker. The connection carries
// the lock and has to stay open for the whole run. It refuses a schema of that
// name that exists. Errors are *Error.
func (t *Target) CreateSandbox(ctx context.Context, conn *pgconn.PgConn, run Run) (*Sandbox, error) {
	if !runID.MatchString(run.ID) {
		return nil, usage(fmt.Sprintf("the run id %q is no run id", run.ID), "use 1 to 40 lower-case letters and digits")
	}
	if err := t.lock(ctx, conn); err != nil {
		return nil, err
	}
	s := &Sandbox{Schema: run.Schema(), Run: run, target: t, conn: conn}
	if err := s.create(ctx); err != nil {
		unlock(context.WithoutCancel(ctx), conn)
		return nil, err
	}
	return s, nil
}

// createSQL are the statements that make a sandbox.
func createSQL(run Run) []string {
	return []string{
		"create schema " + run.Schema(),
		"comment on schema " + run.Schema() + " is " + literal(run.marker()),
	}
}

func dropSQL(run Run) string { return "drop schema if exists " + run.Schema() + " cascade" }

func (s *Sandbox) create(ctx context.Context) error {
	comment, exists, err := schemaComment(ctx, s.conn, s.Schema)
	if err != nil {
		return s.target.Explain(err)
	}
	if exists {
		return s.foreign(comment)
	}
	sql := createSQL(s.Run)
	// One message is one transaction: no schema without its marker.
	if err := script(ctx, s.conn, sql[0]+"; "+sql[1]); err != nil {
		return s.target.explainCreate(err)
	}
	return nil
}

func (t *Target) explainCreate(err error) *Error {
	e := t.Explain(err)
	if e.Kind == Rights {
		e.Msg = fmt.Sprintf("user %q may not create a schema in database %q", t.User(), t.Database())
		e.Hint = fmt.Sprintf("GRANT CREATE ON DATABASE %s TO %s, or use another role", ident(t.Database()), ident(t.User()))
	}
	return e
}

// foreign is the refusal to touch a schema that is there already.
func (s *Sandbox) foreign(comment string) error {
	if other, ours := parseMarker(comment); ours {
		return refused(Rail, fmt.Sprintf("the schema %s is there already, left by the run of %s on %s", s.Schema, other.Started.Format("2006-01-02 15:04"), other.Host),
			"remove it with ccheck clean")
	}
	return refused(Rail, fmt.Sprintf("the schema %s is there already and is not ccheck's", s.Schema), "start again: every run takes a new name")
}

// lock takes the advisory lock of the database or names who has it.
func (t *Target) lock(ctx context.Context, conn *pgconn.PgConn) error {
	got, err := row(ctx, conn, fmt.Sprintf("select pg_try_advisory_lock(%d, %d)", lockClass, lockObject))
	if err != nil {
		return t.Explain(err)
	}
	if got[0] == "t" {
		return nil
	}
	holders, err := rows(ctx, conn, fmt.Sprintf(`select a.pid, a.application_name, a.usename from pg_locks l join pg_stat_activity a using (pid)
		where l.locktype = 'advisory' and l.granted and l.classid = %d and l.objid = %d and l.objsubid = 2
		and l.database = (select oid from pg_database where datname = current_database())`, lockClass, lockObject))
	if err != nil {
		return t.Explain(err)
	}
	who := "it has just ended"
	if len(holders) > 0 {
		h := holders[0]
		who = fmt.Sprintf("%q of user %q, server process %s", h[1], h[2], h[0])
	}
	return refused(Busy, fmt.Sprintf("another run of ccheck works in %s: %s", t.Address(), who), "wait for its end, or use another database")
}

func unlock(ctx context.Context, conn *pgconn.PgConn) error {
	_, err := row(ctx, conn, fmt.Sprintf("select pg_advisory_unlock(%d, %d)", lockClass, lockObject))
	return err
}

// Release gives the database back and leaves the schema, for a run that keeps
// it to be looked at. Later ccheck clean finds it.
func (s *Sandbox) Release(ctx context.Context) error {
	if s.conn.IsClosed() {
		return nil
	}
	if err := unlock(ctx, s.conn); err != nil {
		return s.target.Explain(err)
	}
	return nil
}

// Drop ends what is left of the run's sessions, drops the schema and gives the
// database back. It may be called again, and after the sandbox's connection has
// died or while it is busy: then it opens one of its own. Give it a context
// that is not the one a signal has cancelled. The schema is dropped only while
// it carries the run's marker.
func (s *Sandbox) Drop(ctx context.Context) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.gone {
		return nil
	}
	err := s.drop(ctx)
	if err != nil {
		return s.stuck(err)
	}
	s.gone = true
	return nil
}

// drop uses the sandbox's own connection while it works. When it does not, that
// session is ended too, and the lock goes with it.
func (s *Sandbox) drop(ctx context.Context) error {
	if s.alive(ctx) {
		if err := dropSchema(ctx, s.conn, s.Run, cancelBackend); err != nil {
			return err
		}
		return unlock(ctx, s.conn)
	}
	conn, err := s.target.Connect(ctx, s.Run, DefaultSettings())
	if err != nil {
		return err
	}
	defer conn.Close(context.WithoutCancel(ctx))
	return dropSchema(ctx, conn, s.Run, terminateBackend)
}

// alive reports whether the sandbox's connection still works, and ends a
// transaction that it may be left in.
func (s *Sandbox) alive(ctx context.Context) bool {
	if s.conn.IsClosed() || s.conn.IsBusy() {
		return false
	}
	if s.conn.TxStatus() != 'I' && script(ctx, s.conn, "rollback") != nil {
		return false
	}
	_, err := row(ctx, s.conn, "select 1")
	return err == nil
}

func (s *Sandbox) stuck(err error) error {
	e := *s.target.Explain(err)
	e.Msg = fmt.Sprintf("the schema %s could not be dropped: %s", s.Schema, e.Msg)
	if e.Kind != Rail {
		e.Hint = "remove it later with ccheck clean --force"
	}
	return &e
}

var errForeign = refused(Rail, "its comment is no longer the marker of this run", "look at what it holds and drop it by hand")

// The functions that stop a session: its statement, or all of it.
const (
	cancelBackend    = "pg_cancel_backend"
	terminateBackend = "pg_terminate_backend"
)

// dropSchema drops the schema of a run, if it is there and still marked. The
// run's sessions are stopped first, and ended when that was not enough.
func dropSchema(ctx context.Context, conn *pgconn.PgConn, run Run, stop string) error {
	if err := script(ctx, conn, relaxSQL(conn)); err != nil {
		return err
	}
	for round := 1; ; round++ {
		comment, exists, err := schemaComment(ctx, conn, run.Schema())
		if err != nil || !exists {
			return err
		}
		if r, ours := parseMarker(comment); !ours || r.ID != run.ID {
			return errForeign
		}
		if err := endSessions(ctx, conn, stop, run); err != nil {
			return err
		}
		err = script(ctx, conn, dropSQL(run))
		if !waiting(err) || round == dropRounds {
			return err
		}
		stop = terminateBackend
	}
}

// relaxSQL gives the drop of large tables more time than an ordinary statement
// has. Waiting for locks stays short: the loop around it does something instead.
func relaxSQL(conn *pgconn.PgConn) string {
	sql := "set statement_timeout = '5min'; set lock_timeout = '2s'"
	if versionNum(conn.ParameterStatus("server_version")) >= 170000 {
		sql += "; set transaction_timeout = 0"
	}
	return sql
}

// waiting reports whether a drop failed because somebody held a lock.
func waiting(err error) bool {
	var pg *pgconn.PgError
	return errors.As(err, &pg) && (pg.Code == "55P03" || pg.Code == "40P01")
}

// endSessions calls pg_cancel_backend or pg_terminate_backend on the run's
// other sessions in this database. Those of another role are left: we have no
// right to end them, and they are found by the drop's time-out.
func endSessions(ctx context.Context, conn *pgconn.PgConn, function string, run Run) error {
	_, err := rows(ctx, conn, `select `+function+`(pid) from pg_stat_activity
		where datname = current_database() and usename = current_user and pid <> pg_backend_pid()
		and application_name like 'ccheck/%' and application_name like '% run=' || $1::text`, run.ID)
	return err
}

// schemaComment returns the comment of a schema and whether it exists.
func schemaComment(ctx context.Context, conn *pgconn.PgConn, schema string) (string, bool, error) {
	list, err := rows(ctx, conn, "select coalesce(obj_description(oid, 'pg_namespace'), '') from pg_namespace where nspname = $1", schema)
	if err != nil || len(list) == 0 {
		return "", false, err
	}
	return list[0][0], true, nil
}
