package target_test

import (
	"context"
	"fmt"
	"net/url"
	"strings"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/ccheck/ccheck/probes/target"
)

// quiet is a server that nothing speaks against.
func quiet(change func(*target.Facts)) target.Facts {
	f := target.Facts{Address: "db.test:5432/shop", Database: "shop", Hosts: []string{"db.test"}, MaxConnections: 100, Reserved: 3, Used: 1,
		RoleFree: -1, DatabaseFree: -1, OtherClients: 20, OtherRate: 50, Size: 10 << 30, Tables: 50}
	change(&f)
	return f
}

func TestReasons(t *testing.T) {
	host := func(name string) func(*target.Facts) { return func(f *target.Facts) { f.Hosts = []string{name} } }
	database := func(name string) func(*target.Facts) { return func(f *target.Facts) { f.Database = name } }
	tests := []struct {
		name     string
		change   func(*target.Facts)
		want     string // "" passes
		loopback string // the same over loopback
	}{
		{"at every limit", func(*target.Facts) {}, "", ""},
		{"host", host("db-prod-1.example.com"), `says "prod"`, ""},
		{"host with a number", host("prod2"), `says "prod"`, ""},
		{"second host", func(f *target.Facts) { f.Hosts = append(f.Hosts, "primary.example.com") }, `says "primary"`, ""},
		{"live host", host("live.example.com"), `says "live"`, ""},
		{"run together", host("proddb.example.com"), `says "proddb"`, ""},
		{"reproduction", host("reproduction.example.com"), "", ""},
		{"products", host("products.liverpool.example.com"), "", ""},
		{"Amazon", host("shop.abc123.eu-west-1.rds.amazonaws.com"), "Amazon RDS", ""},
		{"Azure, in capitals", host("SHOP.POSTGRES.DATABASE.AZURE.COM."), "Azure", ""},
		{"not Amazon", host("rds.amazonaws.com.example.com"), "", ""},
		{"database", database("shop_production"), `the database shop_production says "production"`, ""},
		{"tables", func(f *target.Facts) { f.Tables = 51 }, "51 tables", ""},
		{"provider's roles", func(f *target.Facts) { f.Managed = "Neon" }, "roles are those of Neon", "Neon"},
		{"replica", func(f *target.Facts) { f.Replicas = 2 }, "2 replicas are attached", "2 replicas"},
		{"slot of a replica that is away", func(f *target.Facts) { f.Slots = 1 }, "1 replication slot waits", "slot"},
		{"clients", func(f *target.Facts) { f.OtherClients = 21 }, "21 other clients", "21 other"},
		{"load", func(f *target.Facts) { f.OtherRate = 400 }, "400 transactions per second", "400"},
		{"size", func(f *target.Facts) { f.Size = 11 << 30 }, "11 GiB", "11 GiB"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			f := quiet(tt.change)
			reasons(t, f, tt.want)
			f.Loopback = true
			reasons(t, f, tt.loopback)
			f.Throwaway = true
			reasons(t, f, "")
		})
	}
}

func reasons(t *testing.T, f target.Facts, want string) {
	t.Helper()
	err := target.Refuse(f, target.Override{})
	if want == "" {
		if err != nil {
			t.Errorf("refused: %v", err)
		}
		return
	}
	e := problem(t, err)
	if e.Exit != 5 || !strings.Contains(e.Msg, want) || !strings.Contains(e.Hint, "--i-know-this-is="+f.Database) {
		t.Errorf("exit %d, %q, hint %q; want %q", e.Exit, e.Msg, e.Hint, want)
	}
	if err := target.Refuse(f, target.Override{Database: f.Database}); err != nil {
		t.Errorf("refused although its name was typed: %v", err)
	}
	if target.Refuse(f, target.Override{Database: f.Database + "x"}) == nil {
		t.Error("a wrong name was accepted")
	}
}

// TestRefuseTellsAll: one run must be enough to hear every reason.
func TestRefuseTellsAll(t *testing.T) {
	f := quiet(func(f *target.Facts) { f.Hosts, f.Replicas, f.Tables = []string{"prod"}, 1, 900 })
	e := problem(t, target.Refuse(f, target.Override{}))
	want := `db.test:5432/shop may be a server that others need: the host prod says "prod"; it has 900 tables (limit 50); 1 replica is attached`
	if e.Msg != want {
		t.Errorf("got  %s\nwant %s", e.Msg, want)
	}
}

func TestWrongNameIsRefusedAnywhere(t *testing.T) {
	f := quiet(func(f *target.Facts) { f.Throwaway = true })
	e := problem(t, target.Refuse(f, target.Override{Database: "shpo"}))
	if e.Exit != 5 || !strings.Contains(e.Msg, `--i-know-this-is=shpo is not the database`) {
		t.Errorf("exit %d, %q", e.Exit, e.Msg)
	}
}

func TestConnectionCap(t *testing.T) {
	tests := []struct {
		name         string
		change       func(*target.Facts)
		want, raised int
		n            int
		msg          string // "" fits
	}{
		{"a quarter", func(*target.Facts) {}, 24, 0, 24, ""},
		{"more than a quarter", func(*target.Facts) {}, 25, 0, 24, "25 connections are wanted, but the rail of a quarter of the connections allows 24 of 97"},
		{"half on loopback", func(f *target.Facts) { f.Loopback = true }, 48, 0, 48, ""},
		{"all of a throw-away", func(f *target.Facts) { f.Throwaway = true }, 96, 0, 96, ""},
		{"raised", func(*target.Facts) {}, 60, 60, 60, ""},
		{"raised above what is free", func(*target.Facts) {}, 97, 200, 96, "has only 96 free (max_connections 100, 3 reserved, 1 in use)"},
		{"above its own flag", func(*target.Facts) {}, 30, 10, 10, "but --max-connections allows 10"},
		{"a busy server", func(f *target.Facts) { f.Used = 90 }, 8, 0, 7, "has only 7 free"},
		{"limit of the role", func(f *target.Facts) { f.RoleFree = 5 }, 6, 0, 5, "has only 5 free"},
		{"limit of the database", func(f *target.Facts) { f.DatabaseFree = 0 }, 1, 0, 0, "has only 0 free"},
		{"over-full", func(f *target.Facts) { f.Used = 120 }, 1, 0, 0, "has only 0 free"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			n, err := quiet(tt.change).ConnectionCap(tt.want, tt.raised)
			if n != tt.n {
				t.Errorf("cap %d, want %d", n, tt.n)
			}
			if tt.msg == "" {
				if err != nil {
					t.Errorf("refused: %v", err)
				}
				return
			}
			if e := problem(t, err); e.Exit != 5 || !strings.Contains(e.Msg, tt.msg) || e.Hint == "" {
				t.Errorf("exit %d, %q, hint %q; want %q", e.Exit, e.Msg, e.Hint, tt.msg)
			}
		})
	}
}

func TestInspect(t *testing.T) {
	tg, dsn := fresh(t)
	admin := plain(t, dsn)
	query(t, admin, "create table account (id int primary key); create table part (id int) partition by range (id); create table part1 partition of part default")
	query(t, admin, "create schema ccheck_old; comment on schema ccheck_old is 'ccheck run=old host=h pid=1 started=2026-01-02T03:04:05Z'; create table ccheck_old.t (id int)")
	db := query(t, admin, "select current_database()")[0][0]
	query(t, admin, "alter database "+db+" connection limit 50")
	app := parse(t, role(t, admin, dsn, "connection limit 9"))
	conn := connect(t, app, run())
	f, err := app.Inspect(t.Context(), conn)
	if err != nil {
		t.Fatal(err)
	}
	if f.Database != db || f.User != app.User() || f.Superuser || f.CreateSchema || !f.Loopback || f.Throwaway || f.Managed != "" {
		t.Errorf("identity: %+v", f)
	}
	if f.Tables != 2 {
		t.Errorf("%d tables, want 2: partitions and sandboxes do not count", f.Tables)
	}
	if f.RoleFree != 8 || f.DatabaseFree != 48 || f.OtherClients < 1 || f.Used < 2 || f.MaxConnections < 10 || f.Reserved < 3 {
		t.Errorf("connections: %+v", f)
	}
	if f.Number < 120000 || f.Size <= 0 || f.Replicas != 0 {
		t.Errorf("server: %+v", f)
	}
	if f, err = tg.Inspect(t.Context(), connect(t, tg, run())); err != nil || !f.Superuser || !f.CreateSchema || f.RoleFree != -1 {
		t.Errorf("superuser: %+v, %v", f, err)
	}
}

// TestInspectSeesLoad has others at work on the server while it is looked at.
func TestInspectSeesLoad(t *testing.T) {
	tg, dsn := fresh(t)
	conn := connect(t, tg, run())
	query(t, plain(t, dsn), "create table account (id int)")
	ctx, stop := context.WithCancel(t.Context())
	var wg sync.WaitGroup
	for range 4 {
		other := plain(t, dsn)
		wg.Go(func() {
			for ctx.Err() == nil {
				if _, err := other.Exec(ctx, flush(other)).ReadAll(); err != nil && ctx.Err() == nil {
					t.Error(err)
				}
			}
		})
	}
	f, err := tg.Inspect(t.Context(), conn)
	stop()
	wg.Wait()
	if err != nil {
		t.Fatal(err)
	}
	if f.OtherRate <= 0 || f.OtherClients < 4 {
		t.Errorf("%.1f transactions per second of %d others", f.OtherRate, f.OtherClients)
	}
}

// flush is a transaction that reads a table and hands its count in at once,
// where that can be asked for.
func flush(conn *pgconn.PgConn) string {
	if conn.ParameterStatus("server_version") < "15" {
		return "table account"
	}
	return "table account; select pg_stat_force_next_flush()"
}

// TestManagedThroughTunnel recognises a provider by its roles, on loopback.
func TestManagedThroughTunnel(t *testing.T) {
	tg, dsn := fresh(t)
	admin := plain(t, dsn)
	query(t, admin, "create role rds_superuser")
	t.Cleanup(func() { admin.Exec(context.Background(), "drop role rds_superuser").ReadAll() })
	f, err := tg.Inspect(t.Context(), connect(t, tg, run()))
	if err != nil {
		t.Fatal(err)
	}
	reasons(t, f, "Amazon RDS")
}

// TestCapIsWhatTheServerTakes compares the cap with what the server really takes.
func TestCapIsWhatTheServerTakes(t *testing.T) {
	_, dsn := fresh(t)
	app := role(t, plain(t, dsn), dsn, "connection limit 4")
	tg := parse(t, app)
	f, err := tg.Inspect(t.Context(), connect(t, tg, run()))
	if err != nil {
		t.Fatal(err)
	}
	n, err := f.ConnectionCap(3, 3)
	if n != 3 || err != nil {
		t.Fatalf("cap %d, %v; want 3", n, err)
	}
	for range n {
		plain(t, app)
	}
	fails(t, change(t, app, func(*url.URL) {}), target.Full, fmt.Sprintf("has no free connection: too many connections for role %q", tg.User()))
}
