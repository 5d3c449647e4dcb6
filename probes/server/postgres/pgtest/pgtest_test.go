package pgtest_test

import (
	"context"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/ccheck/ccheck/probes/server/postgres/pgtest"
)

func TestEachTestHasItsOwnDatabase(t *testing.T) {
	ctx := context.Background()
	one, two := pgtest.Config(t), pgtest.Config(t)
	if one.Database == two.Database || one.Port != two.Port {
		t.Fatalf("want one server with two databases, got %s on %d and %s on %d", one.Database, one.Port, two.Database, two.Port)
	}
	for _, config := range []*pgconn.Config{one, two} {
		conn, err := pgconn.ConnectConfig(ctx, config)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := conn.Exec(ctx, "CREATE TABLE account (id int PRIMARY KEY)").ReadAll(); err != nil {
			t.Fatal(err)
		}
		conn.Close(ctx)
	}
}

func TestDatabaseIsDropped(t *testing.T) {
	ctx := context.Background()
	var name string
	t.Run("inner", func(t *testing.T) { name = pgtest.Config(t).Database })
	conn, err := pgconn.ConnectConfig(ctx, pgtest.Start(t).Config())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(ctx)
	rows := conn.ExecParams(ctx, "SELECT 1 FROM pg_database WHERE datname = $1", [][]byte{[]byte(name)}, nil, nil, nil).Read()
	if rows.Err != nil || len(rows.Rows) != 0 {
		t.Fatalf("database %s is still there (%v)", name, rows.Err)
	}
}

func TestDSN(t *testing.T) {
	conn, err := pgconn.Connect(context.Background(), pgtest.DSN(t))
	if err != nil {
		t.Fatal(err)
	}
	conn.Close(context.Background())
}
