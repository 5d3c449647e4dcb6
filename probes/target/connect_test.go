package target_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/ccheck/ccheck/probes/server/postgres"
	"github.com/ccheck/ccheck/probes/server/postgres/pgtest"
	"github.com/ccheck/ccheck/probes/target"
)

// at is a connection string for a listener, with a password to look for.
func at(address net.Addr, options string) string {
	return fmt.Sprintf("postgres://app:%s@%s/shop?%s", url.QueryEscape(canary), address, options)
}

// fails connects and wants an error of a kind.
func fails(t *testing.T, dsn string, kind target.Kind, msg string) *target.Error {
	t.Helper()
	conn, err := parse(t, dsn).Connect(t.Context(), run(), settings)
	if err == nil {
		conn.Close(t.Context())
		t.Fatal("connected")
	}
	e := problem(t, err)
	if e.Kind != kind || !strings.Contains(e.Msg, msg) || e.Hint == "" {
		t.Errorf("got kind %q, %q, hint %q; want kind %q, %q", e.Kind, e.Msg, e.Hint, kind, msg)
	}
	return e
}

func listen(t *testing.T) net.Listener {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	return l
}

// serve answers every connection with a function.
func serve(t *testing.T, answer func(net.Conn)) net.Addr {
	t.Helper()
	l := listen(t)
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			go answer(conn)
		}
	}()
	return l.Addr()
}

func TestConnectToNothing(t *testing.T) {
	closed := listen(t)
	closed.Close()
	fails(t, at(closed.Addr(), ""), target.Unreachable, "nothing listens on "+closed.Addr().String())
	fails(t, "host="+t.TempDir()+" user=app", target.Unreachable, "there is no server at the socket")
	fails(t, "host=no-such-host.invalid user=app", target.NoHost, `"no-such-host.invalid"`)
	fails(t, fmt.Sprintf("postgres://app:%s@127.0.0.1:1,no-such-host.invalid:2/shop", url.QueryEscape(canary)), target.Unreachable, "none of 2 hosts will do")
}

// A server that says nothing until the user has been told that it is waited for.
func TestWaitingIsTold(t *testing.T) {
	told := make(chan string, 1)
	address := serve(t, func(c net.Conn) {
		told <- <-told
		c.Close()
	})
	tg := parse(t, at(address, "sslmode=disable"))
	tg.Waits = func(address string) { told <- address }
	if conn, err := tg.Connect(t.Context(), run(), settings); err == nil {
		conn.Close(t.Context())
		t.Fatal("connected")
	}
	if got := <-told; got != address.String() {
		t.Errorf("told of %q, want %q", got, address)
	}
}

func TestConnectToSomethingElse(t *testing.T) {
	web := httptest.NewServer(http.NotFoundHandler())
	t.Cleanup(web.Close)
	secure := httptest.NewUnstartedServer(http.NotFoundHandler())
	secure.Config.ErrorLog = log.New(io.Discard, "", 0)
	secure.StartTLS()
	t.Cleanup(secure.Close)
	mute := serve(t, func(c net.Conn) { t.Cleanup(func() { c.Close() }) })
	rude := serve(t, func(c net.Conn) { c.Close() })
	tests := []struct {
		name    string
		address net.Addr
		options string
		kind    target.Kind
		msg     string
	}{
		{"HTTP", web.Listener.Addr(), "connect_timeout=1", target.NotPostgres, "an HTTP server answers there"},
		{"HTTP without TLS", web.Listener.Addr(), "sslmode=disable&connect_timeout=1", target.NotPostgres, "an HTTP server answers there"},
		{"HTTPS", secure.Listener.Addr(), "", target.NotPostgres, "an HTTP server answers there"},
		{"one that says nothing", mute, "connect_timeout=1", target.Unreachable, "took the connection but did not answer in time"},
		{"one that hangs up", rude, "", target.NotPostgres, "closed the connection before it said anything"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if e := fails(t, at(tt.address, tt.options), tt.kind, tt.msg); e.Exit != 3 {
				t.Errorf("exit %d, want 3", e.Exit)
			}
		})
	}
}

func TestConnectToRedis(t *testing.T) {
	redis, err := exec.LookPath("redis-server")
	if err != nil {
		t.Skip("SKIPPED: no redis-server on PATH; that Redis is told from PostgreSQL was not tested")
	}
	port := freePort(t)
	cmd := exec.Command(redis, "--port", fmt.Sprint(port), "--save", "", "--bind", "127.0.0.1", "--dir", t.TempDir())
	start(t, cmd, port)
	fails(t, fmt.Sprintf("postgres://app:%s@127.0.0.1:%d/shop?connect_timeout=1", url.QueryEscape(canary), port), target.NotPostgres, "Redis answers there")
}

func freePort(t *testing.T) int {
	l := listen(t)
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port
}

// start runs a server until the end of the test and waits for its port.
func start(t *testing.T, cmd *exec.Cmd, port int) {
	t.Helper()
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		cmd.Process.Kill()
		cmd.Wait()
	})
	await(t, func() bool {
		conn, err := net.Dial("tcp", fmt.Sprintf("127.0.0.1:%d", port))
		if err == nil {
			conn.Close()
		}
		return err == nil
	})
}

func TestConnectErrorsOfPostgreSQL(t *testing.T) {
	_, dsn := fresh(t)
	admin := plain(t, dsn)
	role := role(t, admin, dsn, "connection limit 1")
	wrong := change(t, dsn, func(u *url.URL) { u.User = url.UserPassword(u.User.Username(), canary) })
	tests := []struct {
		name, dsn string
		kind      target.Kind
		msg, hint string
	}{
		{"wrong password", wrong, target.Password, "refuses the password of user", "correct it where it comes from"},
		{"no password", change(t, dsn, func(u *url.URL) { u.User = url.User(u.User.Username()) }), target.Password, "refuses the password", "no password was given"},
		{"no such user", change(t, wrong, func(u *url.URL) { u.User = url.UserPassword("nobody_here", canary) }), target.Password, `user "nobody_here"`, ""},
		{"no such database", change(t, dsn, func(u *url.URL) { u.Path = "/no_such_db" }), target.NoDatabase, `there is no database "no_such_db"`, "createdb no_such_db"},
		{"TLS where there is none", wrong + "&sslmode=require", target.TLS, "does not offer TLS", "ssl = on"},
		{"TLS from the first byte", change(t, wrong, func(u *url.URL) { u.RawQuery = "sslmode=require&sslnegotiation=direct" }), target.NotPostgres, "closed the connection", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if e := fails(t, tt.dsn, tt.kind, tt.msg); !strings.Contains(e.Hint, tt.hint) {
				t.Errorf("hint %q, want %q", e.Hint, tt.hint)
			}
		})
	}
	t.Run("connection limit", func(t *testing.T) {
		plain(t, role)
		fails(t, role, target.Full, "has no free connection")
	})
}

// role makes an ordinary role with the test's database to itself and returns
// its connection string.
func role(t *testing.T, admin *pgconn.PgConn, dsn, options string) string {
	t.Helper()
	name := "app_" + strings.ToLower(strings.ReplaceAll(run().ID, "-", ""))
	query(t, admin, fmt.Sprintf("create role %s login password '%s' %s", name, canary, options))
	t.Cleanup(func() {
		ctx := context.Background()
		conn, err := pgconn.Connect(ctx, dsn)
		if err != nil {
			t.Error("dropping the role: no connection")
			return
		}
		defer conn.Close(ctx)
		if _, err := conn.Exec(ctx, fmt.Sprintf(
			"begin read write; select pg_terminate_backend(pid) from pg_stat_activity where usename = '%s'; drop owned by %[1]s; drop role %[1]s; commit", name)).ReadAll(); err != nil {
			t.Errorf("dropping the role: %v", err)
		}
	})
	return change(t, dsn, func(u *url.URL) { u.User = url.UserPassword(name, canary) })
}

func TestConnectWhenTheServerIsFull(t *testing.T) {
	s, err := postgres.Start(t.Context(), postgres.Options{MaxConnections: 5})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Stop(context.Background()) })
	for full := false; !full; { // the server may still have one of its start
		conn, err := pgconn.Connect(t.Context(), s.DSN())
		if full = err != nil; !full {
			t.Cleanup(func() { conn.Close(context.Background()) })
		}
	}
	e := fails(t, s.DSN(), target.Full, "has no free connection")
	if !strings.Contains(e.Hint, "max_connections") || e.Exit != 3 {
		t.Errorf("hint %q, exit %d", e.Hint, e.Exit)
	}
}

// TestReplicas covers what only a pair of servers shows.
func TestReplicas(t *testing.T) {
	ctx := t.Context()
	primary, err := postgres.Start(ctx, postgres.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { primary.Stop(context.Background()) })
	replica, err := primary.AddReplica(ctx, postgres.ReplicaOptions{})
	if err != nil {
		t.Fatal(err)
	}
	fails(t, replica.DSN(), target.Replica, "is a replica (in recovery)")

	tg := parse(t, primary.DSN())
	conn := connect(t, tg, run())
	f, err := tg.Inspect(ctx, conn)
	if err != nil {
		t.Fatal(err)
	}
	e := problem(t, target.Refuse(f, target.Override{}))
	if e.Exit != 5 || !strings.Contains(e.Msg, "1 replica is attached") {
		t.Errorf("exit %d, %q", e.Exit, e.Msg)
	}

	both := change(t, primary.DSN(), func(u *url.URL) {
		u.Host = replica.Address() + "," + primary.Address()
		u.RawQuery = "target_session_attrs=primary"
	})
	tg = parse(t, both)
	connect(t, tg, run())
	if got := tg.Config(run(), settings); got.Port != primary.Config().Port {
		t.Errorf("lanes would go to port %d, want that of the primary, %d", got.Port, primary.Config().Port)
	}
	if !strings.HasPrefix(tg.Address(), primary.Address()+"/") {
		t.Errorf("address %s, want that of the primary", tg.Address())
	}
}

func TestConnectOverTheSocket(t *testing.T) {
	cfg := pgtest.Config(t)
	dir := pgtest.Start(t).Socket()
	if dir == "" {
		t.Skip("SKIPPED: this system's paths are too long for a socket; connecting over one was not tested")
	}
	tg := parse(t, fmt.Sprintf("host=%s port=%d user=%s dbname=%s password='%s'", dir, cfg.Port, cfg.User, cfg.Database, cfg.Password))
	f, err := tg.Inspect(t.Context(), connect(t, tg, run()))
	if err != nil {
		t.Fatal(err)
	}
	if !f.Loopback {
		t.Error("a socket does not leave the machine")
	}
}

func TestSettingsHold(t *testing.T) {
	tg, _ := fresh(t)
	r := run()
	control := connect(t, tg, r)
	set := settings
	set.Statement = 90*time.Second + 500*time.Microsecond // rounded up
	set.Params = map[string]string{"default_transaction_isolation": "serializable"}
	conn, err := pgconn.ConnectConfig(t.Context(), tg.Config(r, set))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(t.Context())
	got := query(t, conn, `select current_setting('application_name'), current_setting('statement_timeout'), current_setting('lock_timeout'),
		current_setting('idle_in_transaction_session_timeout'), current_setting('search_path'), current_setting('default_transaction_isolation')`)
	want := []string{"ccheck/v0.0.0-test run=" + r.ID, "90001ms", "2s", "10s", "ccheck_" + r.ID, "serializable"}
	if strings.Join(got[0], "|") != strings.Join(want, "|") {
		t.Errorf("got %q, want %q", got[0], want)
	}
	// The first session learns the version, and so must catch up.
	limit := ""
	if conn.ParameterStatus("server_version") >= "17" {
		limit = "30s"
	}
	for _, c := range []*pgconn.PgConn{control, conn} {
		if got := query(t, c, "select coalesce(current_setting('transaction_timeout', true), '')"); got[0][0] != limit {
			t.Errorf("transaction_timeout %q, want %q", got[0][0], limit)
		}
	}
}

func TestInterruptedConnect(t *testing.T) {
	mute := serve(t, func(c net.Conn) { t.Cleanup(func() { c.Close() }) })
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := parse(t, at(mute, "")).Connect(ctx, run(), settings)
	if e := problem(t, err); e.Kind != target.Interrupted || !errors.Is(err, context.Canceled) {
		t.Errorf("got kind %q, %v", e.Kind, err)
	}
}

// TestSessionEnded has a DBA end the session.
func TestSessionEnded(t *testing.T) {
	tg, dsn := fresh(t)
	conn := connect(t, tg, run())
	query(t, plain(t, dsn), fmt.Sprintf("select pg_terminate_backend(%d)", conn.PID()))
	_, err := conn.Exec(t.Context(), "select 1").ReadAll()
	if e := problem(t, tg.Explain(err)); e.Kind != target.Lost || !strings.Contains(e.Msg, "ended the session") {
		t.Errorf("got kind %q, %q", e.Kind, e.Msg)
	}
	_, err = conn.Exec(t.Context(), "select 1").ReadAll()
	if e := problem(t, tg.Explain(err)); e.Kind != target.Lost {
		t.Errorf("got kind %q, %q", e.Kind, e.Msg)
	}
}

// TestExplainAnswers is for answers that a healthy server cannot be brought to.
func TestExplainAnswers(t *testing.T) {
	tg := parse(t, "postgres://app:"+url.QueryEscape(canary)+"@db.test/shop")
	tests := []struct {
		code, text string
		kind       target.Kind
		msg        string
	}{
		{"57P03", "the database system is starting up", target.Starting, "takes no connections yet: the database system is starting up"},
		{"53100", "could not extend file", target.Disk, "has no room left"},
		{"25006", "cannot execute INSERT in a read-only transaction", target.Replica, "takes no writes"},
		{"28000", `no pg_hba.conf entry for host "10.0.0.1", user "app", database "shop", no encryption`, target.NoEntry, "does not let user"},
		{"08P01", "unsupported startup parameter: lock_timeout", target.Pooler, "connection pooler"},
		{"XX000", "internal error near " + canary, target.Server, "internal error near xxxxx (SQLSTATE XX000)"},
	}
	for _, tt := range tests {
		err := fmt.Errorf("doing x: %w", &pgconn.PgError{Severity: "FATAL", Code: tt.code, Message: tt.text})
		e := tg.Explain(err)
		silent(t, e, canary)
		if e.Kind != tt.kind || !strings.Contains(e.Msg, tt.msg) {
			t.Errorf("%s: got kind %q, %q; want kind %q, %q", tt.code, e.Kind, e.Msg, tt.kind, tt.msg)
		}
	}
	if tg.Explain(nil) != nil {
		t.Error("nil has an explanation")
	}
}

// The second session goes the way of the first at once: where there is no TLS it
// does not ask again, and where there is some it does not go without.
func TestWayOfTheFirst(t *testing.T) {
	tg := parse(t, change(t, pgtest.DSN(t), func(u *url.URL) { u.RawQuery = "sslmode=prefer" }))
	before := tg.Config(run(), settings)
	if before.TLSConfig == nil || len(before.Fallbacks) == 0 {
		t.Fatalf("prefer has TLS %v and %d other ways", before.TLSConfig != nil, len(before.Fallbacks))
	}
	conn, err := tg.Connect(t.Context(), run(), settings)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(t.Context())
	after := tg.Config(run(), settings)
	if after.TLSConfig != nil || len(after.Fallbacks) > 0 {
		t.Errorf("after a connection without TLS: TLS %v, %d other ways", after.TLSConfig != nil, len(after.Fallbacks))
	}
	if mode := tg.SSLMode(); mode != "prefer" {
		t.Errorf("the mode that was asked for is told as %s", mode)
	}
}
