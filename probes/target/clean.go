package target

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
)

// Orphan is a schema with ccheck's marker, whether its run still lives or not.
type Orphan struct {
	Schema string
	Run    Run // from the marker; Version is empty
	Owner  string
	Age    time.Duration // since Run.Started, by the server's clock
	Tables int
	Size   int64 // of its tables with their indexes, in bytes
	Alive  bool  // a session of the run is connected
}

// Cleaned is what Clean did with one orphan, and why.
type Cleaned struct {
	Orphan
	Removed bool
	Why     string
}

// sandboxSQL finds schemas by name and comment. A session of the run anywhere
// on the server counts as life: application_name can be seen by every role.
const sandboxSQL = `select n.nspname, obj_description(n.oid, 'pg_namespace'), pg_get_userbyid(n.nspowner),
	extract(epoch from clock_timestamp()),
	(select count(*) from pg_class c where c.relnamespace = n.oid and c.relkind in ('r', 'p')),
	(select coalesce(sum(pg_total_relation_size(c.oid)), 0) from pg_class c where c.relnamespace = n.oid and c.relkind in ('r', 'm')),
	exists (select from pg_stat_activity a where a.pid <> pg_backend_pid()
		and a.application_name like 'ccheck/%' and a.application_name like '% run=' || substr(n.nspname, $1::int))
	from pg_namespace n
	where n.nspname like 'ccheck\_%' and obj_description(n.oid, 'pg_namespace') like 'ccheck run=%'
	order by n.nspname`

// Orphans returns the sandboxes in the connection's database. A schema whose
// comment is not exactly a marker, or names another schema's run, is not ours.
func (t *Target) Orphans(ctx context.Context, conn *pgconn.PgConn) ([]Orphan, error) {
	list, err := rows(ctx, conn, sandboxSQL, strconv.Itoa(len(schemaPrefix)+1))
	if err != nil {
		return nil, t.Explain(err)
	}
	var found []Orphan
	for _, r := range list {
		run, ours := parseMarker(r[1])
		if !ours || run.Schema() != r[0] {
			continue
		}
		o, err := orphan(run, r)
		if err != nil {
			return nil, fmt.Errorf("reading the schema %s: %w", r[0], err)
		}
		found = append(found, o)
	}
	return found, nil
}

func orphan(run Run, r []string) (Orphan, error) {
	o := Orphan{Schema: r[0], Run: run, Owner: r[2], Alive: r[6] == "t"}
	now, err := strconv.ParseFloat(r[3], 64)
	if err != nil {
		return o, err
	}
	o.Age = time.Duration((now - float64(run.Started.Unix())) * float64(time.Second)).Round(time.Second)
	if o.Tables, err = strconv.Atoi(r[4]); err != nil {
		return o, err
	}
	o.Size, err = strconv.ParseInt(r[5], 10, 64)
	return o, err
}

// Clean drops the orphans whose run is dead and older than olderThan, or of any
// age when forced or when its process was of this machine and is no more. A living run is never touched. What it could not drop it
// keeps, and says why; the error is for the search alone.
func (t *Target) Clean(ctx context.Context, conn *pgconn.PgConn, olderThan time.Duration, force bool) ([]Cleaned, error) {
	orphans, err := t.Orphans(ctx, conn)
	if err != nil {
		return nil, err
	}
	var list []Cleaned
	for _, o := range orphans {
		list = append(list, t.cleanOne(ctx, conn, o, olderThan, force))
	}
	return list, nil
}

func (t *Target) cleanOne(ctx context.Context, conn *pgconn.PgConn, o Orphan, olderThan time.Duration, force bool) Cleaned {
	switch {
	case o.Alive:
		return Cleaned{Orphan: o, Why: "its run is still connected"}
	case !force && o.Age < olderThan && !gone(o.Run):
		return Cleaned{Orphan: o, Why: fmt.Sprintf("it is younger than %s; --force removes it", olderThan)}
	}
	if err := dropSchema(ctx, conn, o.Run, cancelBackend); err != nil {
		return Cleaned{Orphan: o, Why: t.cleanError(o, err)}
	}
	return Cleaned{Orphan: o, Removed: true, Why: fmt.Sprintf("its run of %s on %s is over", o.Run.Started.Format("2006-01-02 15:04"), o.Run.Host)}
}

func (t *Target) cleanError(o Orphan, err error) string {
	e := t.Explain(err)
	if e.Kind == Rights {
		return fmt.Sprintf("it belongs to %q, and user %q may not drop it", o.Owner, t.User())
	}
	return e.Msg
}
