package wire_test

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/ccheck/ccheck/probes/history"
	"github.com/ccheck/ccheck/probes/server/postgres/pgtest"
	"github.com/ccheck/ccheck/probes/wire"
)

// limit bounds what a test waits for; nothing is measured with it.
const limit = time.Minute

// bench is a proxy in front of a fresh database, and what it recorded.
type bench struct {
	*wire.Proxy
	t      *testing.T
	direct *pgconn.Config
	w      *history.Writer
}

// start runs a proxy that records.
func start(t *testing.T, change ...func(*wire.Config)) *bench {
	t.Helper()
	w, err := history.Create(filepath.Join(t.TempDir(), "h.jsonl"), history.Header{}, 0)
	must(t, err)
	b := &bench{t: t, direct: pgtest.Config(t), w: w}
	cfg := wire.Config{Upstream: b.direct, History: w, Say: func(s string) { t.Log(s) }}
	for _, f := range change {
		f(&cfg)
	}
	b.Proxy, err = wire.Listen(context.Background(), cfg)
	must(t, err)
	t.Cleanup(func() { must(t, b.Close()) })
	return b
}

// config is how a client connects through the proxy.
func (b *bench) config() *pgx.ConnConfig {
	b.t.Helper()
	cfg, err := pgx.ParseConfig(b.dsn(""))
	must(b.t, err)
	return cfg
}

// dsn is a URL of the proxy, with the password, for child processes.
func (b *bench) dsn(options string) string {
	if options == "" {
		options = "sslmode=disable"
	}
	return fmt.Sprintf("postgres://%s:%s@%s/%s?%s", b.direct.User, b.direct.Password, b.Addr(), b.direct.Database, options)
}

func (b *bench) connect(mode pgx.QueryExecMode) *pgx.Conn {
	b.t.Helper()
	cfg := b.config()
	cfg.DefaultQueryExecMode = mode
	conn, err := pgx.ConnectConfig(b.t.Context(), cfg)
	must(b.t, err)
	b.t.Cleanup(func() { conn.Close(context.Background()) })
	return conn
}

// ops is what was recorded, after the proxy has ended.
func (b *bench) ops() []*history.Op {
	b.t.Helper()
	must(b.t, b.Close())
	f, err := history.Open(b.w.Path())
	must(b.t, err)
	var ops []*history.Op
	for o, err := range f.Ops() {
		must(b.t, err)
		ops = append(ops, o)
	}
	return ops
}

// told is the record as short lines.
func (b *bench) told() []string {
	b.t.Helper()
	var lines []string
	for _, o := range b.ops() {
		lines = append(lines, line(o))
	}
	return lines
}

func line(o *history.Op) string {
	switch {
	case o.Scope == history.ScopeNote:
		return "note " + o.Text
	case o.Kind == history.Invoke:
		return strings.TrimSpace(fmt.Sprintf("p%d x%d %s %v", o.Process, o.Txn, o.Stmt.SQL, o.Args))
	}
	more := ""
	if o.More > 0 {
		more = fmt.Sprintf(" +%d", o.More)
	}
	return fmt.Sprintf("p%d x%d %v %s %v%v%s %s%s", o.Process, o.Txn, o.Kind, o.Tag, o.Columns, o.Rows, more, status(o.Status), o.SQLState)
}

func status(b byte) string {
	if b == 0 {
		return "?"
	}
	return string(b)
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func TestPgxInEveryMode(t *testing.T) {
	modes := []pgx.QueryExecMode{
		pgx.QueryExecModeCacheStatement, pgx.QueryExecModeCacheDescribe, pgx.QueryExecModeDescribeExec,
		pgx.QueryExecModeExec, pgx.QueryExecModeSimpleProtocol,
	}
	for _, mode := range modes {
		t.Run(mode.String(), func(t *testing.T) {
			b := start(t)
			ctx := t.Context()
			conn := b.connect(mode)
			_, err := conn.Exec(ctx, "create table account (id int primary key, balance numeric(10,2), seen timestamptz)")
			must(t, err)
			_, err = conn.Exec(ctx, "insert into account values ($1, $2, $3)", 1, "100.50", time.Date(2026, 2, 3, 4, 5, 6, 7000, time.UTC))
			must(t, err)
			tx, err := conn.Begin(ctx)
			must(t, err)
			for range 2 {
				var balance string
				must(t, tx.QueryRow(ctx, "select balance::text from account where id = $1", 1).Scan(&balance))
				if balance != "100.50" {
					t.Errorf("read %s", balance)
				}
			}
			_, err = tx.Exec(ctx, "update account set balance = balance - $1 where id = $2", 7, 1)
			must(t, err)
			must(t, tx.Commit(ctx))
			_, err = conn.Exec(ctx, "insert into account values ($1, $2)", 1, "5")
			if err == nil || !strings.Contains(err.Error(), "23505") {
				t.Errorf("duplicate key: %v", err)
			}
			must(t, conn.Close(ctx))
			got := b.told()
			if mode == pgx.QueryExecModeSimpleProtocol {
				got = plain(got)
			}
			want := []string{
				"p0 x1 create table account (id int primary key, balance numeric(10,2), seen timestamptz) []",
				"p0 x1 ok CREATE TABLE [][] I",
				"p0 x2 insert into account values ($1, $2, $3) [1 100.50 " + stamp(mode) + "]",
				"p0 x2 ok INSERT 0 1 [][] I",
				"p0 x3 begin []",
				"p0 x3 ok BEGIN [][] T",
				"p0 x3 select balance::text from account where id = $1 [1]",
				"p0 x3 ok SELECT 1 [balance][[100.50]] T",
				"p0 x3 select balance::text from account where id = $1 [1]",
				"p0 x3 ok SELECT 1 [balance][[100.50]] T",
				"p0 x3 update account set balance = balance - $1 where id = $2 [7 1]",
				"p0 x3 ok UPDATE 1 [][] T",
				"p0 x3 commit []",
				"p0 x3 ok COMMIT [][] I",
				"p0 x4 insert into account values ($1, $2) [1 5]",
				"p0 x4 fail  [][] I23505",
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// stamp is the time in the form in which the mode sends it.
func stamp(mode pgx.QueryExecMode) string {
	switch mode {
	case pgx.QueryExecModeExec:
		return "2026-02-03 04:05:06.000007Z"
	case pgx.QueryExecModeSimpleProtocol:
		return "2026-02-03 04:05:06.000007Z"
	}
	return "2026-02-03 04:05:06.000007+00"
}

// plain folds the white space that pgx puts around values in the text.
func plain(lines []string) []string {
	for i, l := range lines {
		lines[i] = strings.NewReplacer("  ", " ", " ,", ",", "( ", "(", " )", ")", "fail  ", "fail  ").Replace(l)
	}
	return lines
}
