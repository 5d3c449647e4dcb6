package wire_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/lib/pq"

	"github.com/ccheck/ccheck/probes/history"
	"github.com/ccheck/ccheck/probes/server/postgres"
	"github.com/ccheck/ccheck/probes/wire"
)

// database/sql with lib/pq: a pool, a prepared statement that the
// pool prepares on each connection, a transaction that fails.
func TestDatabaseSQL(t *testing.T) {
	for name, mode := range modes {
		t.Run(name, func(t *testing.T) {
			b := start(t, mode)
			db, err := sql.Open("postgres", b.dsn(""))
			must(t, err)
			defer db.Close()
			usePool(t, db)
			if name == "plain" {
				return
			}
			inserted := 0
			for _, o := range b.ops() {
				if o.Kind == history.Invoke && o.Stmt.SQL == "insert into t values ($1, $2)" && o.Args[1].Text == "1.50" {
					inserted++
				}
			}
			if inserted != 40 {
				t.Errorf("%d inserts are recorded", inserted)
			}
		})
	}
}

func usePool(t *testing.T, db *sql.DB) {
	t.Helper()
	db.SetMaxOpenConns(4)
	_, err := db.Exec("create table t (id int primary key, balance numeric)")
	must(t, err)
	insert, err := db.Prepare("insert into t values ($1, $2)")
	must(t, err)
	var wg sync.WaitGroup
	errs := make([]error, 40)
	for i := range errs {
		wg.Go(func() { _, errs[i] = insert.Exec(i, "1.50") })
	}
	wg.Wait()
	must(t, errors.Join(errs...))
	tx, err := db.BeginTx(t.Context(), &sql.TxOptions{Isolation: sql.LevelSerializable})
	must(t, err)
	if _, err := tx.Exec("insert into t values ($1, $2)", 1, 2); err == nil {
		t.Error("a duplicate was taken")
	}
	must(t, tx.Rollback())
	var sum string
	must(t, db.QueryRow("select sum(balance) from t where id >= $1", 0).Scan(&sum))
	if sum != "60.00" {
		t.Errorf("the sum is %s", sum)
	}
	must(t, insert.Close())
	must(t, db.Close())
}

func TestCopyWithPq(t *testing.T) {
	b := start(t)
	db, err := sql.Open("postgres", b.dsn(""))
	must(t, err)
	defer db.Close()
	_, err = db.Exec("create table t (id int)")
	must(t, err)
	tx, err := db.Begin()
	must(t, err)
	in, err := tx.Prepare(pq.CopyIn("t", "id"))
	must(t, err)
	for i := range 1000 {
		_, err = in.Exec(i)
		must(t, err)
	}
	_, err = in.Exec()
	must(t, err)
	must(t, in.Close())
	must(t, tx.Commit())
	var n int
	must(t, db.QueryRow("select count(*) from t").Scan(&n))
	if n != 1000 {
		t.Errorf("%d rows", n)
	}
}

// What one client does wrong is its own affair: others in the middle of their
// transactions notice nothing.
func TestNeighboursLiveOn(t *testing.T) {
	for name, mode := range modes {
		t.Run(name, func(t *testing.T) {
			b := start(t, mode)
			ctx := t.Context()
			good := b.connect(pgx.QueryExecModeCacheStatement)
			_, err := good.Exec(ctx, "create table t (id int)")
			must(t, err)
			tx, err := good.Begin(ctx)
			must(t, err)
			for i, garbage := range [][]byte{
				[]byte("GET / HTTP/1.1\r\n\r\n"), {'Q', 0, 0, 0, 1}, {'Q', 0xff, 0xff, 0xff, 0xff}, {0, 0, 0, 0, 0, 0, 0, 0},
				{'P', 0, 0, 0, 5, 0}, {'B', 0, 0, 0, 4, 'S', 0, 0, 0, 4}, {'E', 0, 0, 0, 4, 'S', 0, 0, 0, 4}, {'d', 0, 0, 0, 4}, {'p', 0, 0, 0, 4},
			} {
				bad := b.raw()
				_, err := bad.Write(garbage)
				must(t, err)
				must(t, bad.CloseWrite())
				for {
					if _, err := bad.Receive(); err != nil {
						break
					}
				}
				_, err = tx.Exec(ctx, "insert into t values ($1)", i)
				must(t, err)
			}
			must(t, tx.Commit(ctx))
			var n int
			must(t, good.QueryRow(ctx, "select count(*) from t").Scan(&n))
			if n != 9 {
				t.Errorf("%d rows", n)
			}
		})
	}
}

// CloseWrite ends what the client sends.
func (r *raw) CloseWrite() error { return r.conn.(*net.TCPConn).CloseWrite() }

func (r *raw) Write(b []byte) (int, error) { return r.conn.Write(b) }

// A server that is killed takes the connections with it and not the proxy: new
// clients are told what is wrong, and served when it is back.
func TestKilledServer(t *testing.T) {
	for name, mode := range modes {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(context.Background(), limit)
			defer cancel()
			s, err := postgres.Start(ctx, postgres.Options{Dir: postgres.MemoryDir()})
			must(t, err)
			defer s.Stop(ctx)
			b := start(t, mode, func(c *wire.Config) { c.Upstream = s.Config() })
			b.direct = s.Config()
			conn := b.connect(pgx.QueryExecModeSimpleProtocol)
			done := make(chan error, 1)
			go func() {
				_, err := conn.Exec(ctx, "select pg_sleep(60)")
				done <- err
			}()
			must(t, s.Kill(ctx))
			if err := <-done; err == nil {
				t.Error("a killed server answered")
			}
			_, err = pgx.Connect(ctx, b.dsn(""))
			if err == nil {
				t.Error("a killed server was connected to")
			}
			must(t, s.Restart(ctx))
			again, err := pgx.Connect(ctx, b.dsn(""))
			must(t, err)
			var one int
			must(t, again.QueryRow(ctx, "select 1").Scan(&one))
			must(t, again.Close(ctx))
		})
	}
}

// Many clients at once, each with a number of its own that must come back.
func TestManyClients(t *testing.T) {
	for name, mode := range modes {
		t.Run(name, func(t *testing.T) {
			b := start(t, mode)
			var wg sync.WaitGroup
			errs := make([]error, 60)
			for i := range errs {
				wg.Go(func() { errs[i] = b.askOften(i) })
			}
			wg.Wait()
			must(t, errors.Join(errs...))
		})
	}
}

func (b *bench) askOften(i int) error {
	ctx := b.t.Context()
	conn, err := pgx.ConnectConfig(ctx, b.config())
	if err != nil {
		return err
	}
	defer conn.Close(ctx)
	for n := range 20 {
		var got string
		want := fmt.Sprintf("%d-%d", i, n)
		if err := conn.QueryRow(ctx, "select $1::text || repeat('.', 10000)", want).Scan(&got); err != nil {
			return err
		}
		if got[:len(want)] != want || len(got) != len(want)+10_000 {
			return fmt.Errorf("%s came in place of %s", got[:20], want)
		}
	}
	return nil
}
