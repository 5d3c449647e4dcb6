package target

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
)

// The time between two looks at the transaction counters. A busy backend hands
// its counts in about once a second; one that comes and goes, when it goes, so
// that a shorter time will do where nobody stays connected.
const (
	sampleGap = time.Second
	shortGap  = 25 * time.Millisecond
)

// Facts are what the rails judge: what the server tells about itself without
// being written to.
type Facts struct {
	Address  string // host:port/database
	Version  string // "15.18"
	Number   int    // server_version_num: 150018
	Database string
	User     string
	Hosts    []string // as the user named them
	// Loopback says that the connection does not leave this machine. A tunnel to
	// another one looks the same.
	Loopback  bool
	Throwaway bool
	Managed   string // "Amazon RDS" … by the roles that providers keep, "" when none

	Superuser    bool
	CreateSchema bool // the role may create schemas in the database

	MaxConnections int
	Reserved       int // superuser_reserved_connections and reserved_connections
	Used           int // client connections of the whole server, ours included
	RoleFree       int // what the role's CONNECTION LIMIT leaves, -1 without a limit
	DatabaseFree   int // what the database's CONNECTION LIMIT leaves, -1 without a limit

	OtherClients int     // client connections of the whole server that are not ccheck's
	OtherRate    float64 // transactions per second of the whole server
	Replicas     int     // walsenders: standbys, backups and subscribers
	Slots        int     // replication slots, of replicas that may be away
	Size         int64   // of the database, in bytes
	Tables       int     // of the database, those of ccheck's sandboxes not counted
}

// backend_type is null in the rows of other roles' sessions unless we are
// superuser or in pg_monitor; a session in a database is then taken for a client.
const clients = `pg_stat_activity where datid is not null and coalesce(backend_type, 'client backend') = 'client backend'`

const factsSQL = `select
	current_database(), current_user,
	(select rolsuper from pg_roles where rolname = current_user),
	has_database_privilege(current_database(), 'create'),
	current_setting('max_connections'),
	current_setting('superuser_reserved_connections')::int + coalesce(current_setting('reserved_connections', true), '0')::int,
	(select count(*) from ` + clients + `),
	(select count(*) from ` + clients + ` and coalesce(application_name, '') not like 'ccheck/%' and pid <> pg_backend_pid()),
	(select case when rolconnlimit < 0 or rolsuper then -1 else greatest(0, rolconnlimit - (select count(*) from ` + clients + ` and usename = current_user)) end
		from pg_roles where rolname = current_user),
	(select case when datconnlimit < 0 then -1 else greatest(0, datconnlimit - (select count(*) from ` + clients + ` and datname = current_database())) end
		from pg_database where datname = current_database()),
	(select count(*) from pg_stat_replication),
	(select count(*) from pg_replication_slots),
	pg_database_size(current_database()),
	(select count(*) from pg_class c join pg_namespace n on n.oid = c.relnamespace
		where c.relkind in ('r', 'p') and not c.relispartition
		and n.nspname not in ('pg_catalog', 'information_schema') and n.nspname not like 'pg\_toast%' and n.nspname not like 'pg\_temp%'
		and coalesce(obj_description(n.oid, 'pg_namespace'), '') not like 'ccheck run=%'),
	coalesce((select rolname from pg_roles where rolname = any ($1::text[]) order by rolname limit 1), '')`

const rateSQL = `select sum(xact_commit + xact_rollback), extract(epoch from clock_timestamp()) from pg_stat_database`

// Inspect asks the catalogues for the facts, in READ ONLY transactions. It
// takes about a second on a server where others are connected: their load shows
// in two samples.
func (t *Target) Inspect(ctx context.Context, conn *pgconn.PgConn) (Facts, error) {
	f := Facts{Address: t.Address(), Throwaway: t.Throwaway}
	f.Version = shortVersion(conn.ParameterStatus("server_version"))
	f.Number = versionNum(f.Version)
	f.Loopback = loopback(conn)
	for _, h := range t.pinned() {
		f.Hosts = append(f.Hosts, h.name)
	}
	var before work
	var err error
	if !t.Throwaway {
		before, err = sample(ctx, conn)
	}
	if err == nil {
		err = readOnly(ctx, conn, func() error { return f.catalogue(ctx, conn) })
	}
	if err == nil && !t.Throwaway {
		f.OtherRate, err = f.load(ctx, conn, before)
	}
	if err != nil {
		return Facts{}, t.Explain(err)
	}
	return f, nil
}

func (t *Target) pinned() []host {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.hosts
}

func (f *Facts) catalogue(ctx context.Context, conn *pgconn.PgConn) error {
	r, err := row(ctx, conn, factsSQL, array(sortedKeys(managedRoles)))
	if err != nil {
		return err
	}
	f.Database, f.User = r[0], r[1]
	f.Superuser, f.CreateSchema = r[2] == "t", r[3] == "t"
	for i, p := range []*int{&f.MaxConnections, &f.Reserved, &f.Used, &f.OtherClients, &f.RoleFree, &f.DatabaseFree, &f.Replicas, &f.Slots} {
		if *p, err = strconv.Atoi(r[4+i]); err != nil {
			return fmt.Errorf("reading the facts of the server: %w", err)
		}
	}
	if f.Size, err = strconv.ParseInt(r[12], 10, 64); err != nil {
		return fmt.Errorf("reading the size of the database: %w", err)
	}
	f.Tables, err = strconv.Atoi(r[13])
	f.Managed = managedRoles[r[14]]
	return err
}

// load looks longer where somebody is connected, and where a short look saw more
// than it should.
func (f *Facts) load(ctx context.Context, conn *pgconn.PgConn, before work) (float64, error) {
	if f.OtherClients == 0 {
		rate, err := before.rate(ctx, conn, shortGap)
		if err != nil || rate <= maxRate {
			return rate, err
		}
	}
	return before.rate(ctx, conn, sampleGap)
}

// work is what the whole server has done so far.
type work struct {
	transactions float64
	at           float64 // seconds on the server's clock
	taken        time.Time
}

// rate is the load of the whole server since then in transactions per second,
// over that time at least. Our own two or three transactions are in it.
func (w work) rate(ctx context.Context, conn *pgconn.PgConn, least time.Duration) (float64, error) {
	gap := time.NewTimer(least - time.Since(w.taken))
	defer gap.Stop()
	select {
	case <-gap.C:
	case <-ctx.Done():
		return 0, ctx.Err()
	}
	now, err := sample(ctx, conn)
	if err != nil || now.at <= w.at {
		return 0, err
	}
	// The counters fall when somebody resets them.
	return max(0, (now.transactions-w.transactions)/(now.at-w.at)), nil
}

// sample takes a transaction of its own: within one the statistics stand still.
func sample(ctx context.Context, conn *pgconn.PgConn) (w work, err error) {
	w.taken = time.Now()
	err = readOnly(ctx, conn, func() error {
		r, err := row(ctx, conn, rateSQL)
		if err != nil {
			return err
		}
		if w.transactions, err = strconv.ParseFloat(r[0], 64); err != nil {
			return fmt.Errorf("reading the transaction counters: %w", err)
		}
		w.at, err = strconv.ParseFloat(r[1], 64)
		return err
	})
	return w, err
}
