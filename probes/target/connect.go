package target

import (
	"context"
	"crypto/tls"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
)

// oldest is the first version that is supported, as server_version_num.
const oldest = 120000

// Connect opens a session with the settings and makes sure that it is one with
// a PostgreSQL primary of a supported version, and that the settings hold.
// Of several hosts the first that will do is chosen for good: lanes that landed
// on different servers would judge nothing. Errors are *Error.
func (t *Target) Connect(ctx context.Context, run Run, set Settings) (*pgconn.PgConn, error) {
	conn, h, err := t.dial(ctx, run, set)
	if err != nil {
		return nil, err
	}
	if err := t.verify(ctx, conn, run, set); err != nil {
		conn.Close(context.WithoutCancel(ctx))
		return nil, err
	}
	t.mu.Lock()
	t.hosts, t.version = []host{h.as(conn)}, versionNum(conn.ParameterStatus("server_version"))
	t.mu.Unlock()
	return conn, nil
}

// as is the host with the ways to connect that are like the one that conn took:
// asking for TLS where there is none costs a second connection each time, and
// going without it where there was some is no way.
func (h host) as(conn *pgconn.PgConn) host {
	_, secure := conn.Conn().(*tls.Conn)
	h.taken = nil
	for _, w := range h.ways {
		if (w.TLSConfig != nil) == secure {
			h.taken = append(h.taken, w)
		}
	}
	return h
}

// dial tries the hosts in turn.
func (t *Target) dial(ctx context.Context, run Run, set Settings) (*pgconn.PgConn, host, error) {
	t.mu.Lock()
	hosts := t.hosts
	t.mu.Unlock()
	var errs []*Error
	for _, h := range hosts {
		t.mu.Lock()
		cfg := t.configFor(h, run, set)
		t.mu.Unlock()
		answered := t.patience(h)
		conn, err := pgconn.ConnectConfig(ctx, cfg)
		if err != nil {
			errs = append(errs, t.explainAt(ctx, h, err))
		}
		answered()
		if err == nil {
			return conn, h, nil
		}
	}
	return nil, host{}, all(errs)
}

// patience tells that a host is waited for, unless it answers soon.
func (t *Target) patience(h host) (answered func()) {
	if t.Waits == nil {
		return func() {}
	}
	timer := time.AfterFunc(2*time.Second, func() { t.Waits(h.address()) })
	return func() { timer.Stop() }
}

// all tells the errors of several hosts in one; the mend is that of the first.
func all(errs []*Error) *Error {
	if len(errs) == 1 {
		return errs[0]
	}
	var texts []string
	for _, e := range errs {
		texts = append(texts, e.Msg)
	}
	e := *errs[0]
	e.Msg = fmt.Sprintf("none of %d hosts will do: %s", len(errs), strings.Join(texts, "; "))
	return &e
}

// verify looks at the server behind a fresh session.
func (t *Target) verify(ctx context.Context, conn *pgconn.PgConn, run Run, set Settings) error {
	if err := t.verifyProduct(conn); err != nil {
		return err
	}
	got, err := row(ctx, conn, `select pg_backend_pid(), pg_is_in_recovery(),
		(select setting from pg_settings where name = 'statement_timeout'), current_setting('search_path')`)
	if err != nil {
		return t.Explain(err)
	}
	want := set.params(run, 0)
	switch {
	case got[1] == "t":
		return failed(Replica, t.Address()+" is a replica (in recovery), which takes no writes", "name the primary, or add target_session_attrs=primary to a list of hosts")
	case got[2] != want["statement_timeout"] || got[3] != want["search_path"]:
		return pooler(t.Address())
	case got[0] != strconv.FormatUint(uint64(conn.PID()), 10):
		t.warn("%s is reached through a proxy that hides the server's process ids; what it does to sessions is not known", t.Address())
	}
	if versionNum(conn.ParameterStatus("server_version")) >= 170000 {
		return t.limitTransactions(ctx, conn, set)
	}
	return nil
}

// limitTransactions sets what could not be sent at the start, when the version
// was not known.
func (t *Target) limitTransactions(ctx context.Context, conn *pgconn.PgConn, set Settings) error {
	value := set.params(Run{}, 170000)["transaction_timeout"]
	if _, err := row(ctx, conn, "select set_config('transaction_timeout', $1, false)", value); err != nil {
		return t.Explain(err)
	}
	return nil
}

func (t *Target) warn(format string, args ...any) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.Warnings = append(t.Warnings, fmt.Sprintf(format, args...))
}

// verifyProduct tells PostgreSQL from what speaks its protocol.
func (t *Target) verifyProduct(conn *pgconn.PgConn) error {
	version := conn.ParameterStatus("server_version")
	other := ""
	switch {
	case conn.ParameterStatus("crdb_version") != "":
		other = "CockroachDB"
	case strings.Contains(version, "-YB-"):
		other = "YugabyteDB"
	case strings.Contains(version, "bouncer"):
		return failed(Pooler, t.Address()+" is the console of PgBouncer, not a database", "name a database of PostgreSQL itself, usually on port 5432")
	case versionNum(version) == 0:
		other = "an unknown server"
	case versionNum(version) < oldest:
		return failed(TooOld, fmt.Sprintf("%s is PostgreSQL %s; ccheck needs 12 or newer", t.Address(), shortVersion(version)), "upgrade the server, or let ccheck start one of its own")
	}
	if other != "" {
		return failed(NotPostgres, fmt.Sprintf("%s is %s, which speaks PostgreSQL's protocol but has other rules", t.Address(), other), "ccheck judges PostgreSQL alone")
	}
	return nil
}

func pooler(address string) *Error {
	return refused(Pooler, address+" is a connection pooler (such as PgBouncer) that does not pass session settings on: no time-out would hold",
		"connect to PostgreSQL itself, usually on port 5432")
}

var versionText = regexp.MustCompile(`^(\d+)(?:\.(\d+))?`)

// versionNum is server_version as server_version_num: 150018 for "15.18
// (Debian …)", 180000 for "18beta1", 0 for what is no version.
func versionNum(text string) int {
	m := versionText.FindStringSubmatch(text)
	if m == nil {
		return 0
	}
	major, err := strconv.Atoi(m[1])
	if err != nil || major > 999 {
		return 0
	}
	minor, _ := strconv.Atoi(m[2])
	return major*10000 + minor%10000
}

// shortVersion drops the packager's words: "15.18 (Debian 15.18-0)" is "15.18".
func shortVersion(text string) string {
	short, _, _ := strings.Cut(text, " ")
	return short
}
