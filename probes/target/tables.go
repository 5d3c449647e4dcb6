package target

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/ccheck/ccheck/probes/history"
)

// tablesSQL describes each table in one JSON object whose keys are those of
// history.Table. Partitions are left out: statements name their parent.
const tablesSQL = `select json_build_object(
	'name', c.relname,
	'columns', (select json_agg(a.attname order by a.attnum) from pg_attribute a where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped),
	'types', (select json_agg(format_type(a.atttypid, a.atttypmod) order by a.attnum) from pg_attribute a where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped),
	'key', (select json_agg(a.attname order by k.n) from pg_index i, unnest(i.indkey::int2[]) with ordinality k(att, n), pg_attribute a
		where i.indrelid = c.oid and i.indisprimary and a.attrelid = c.oid and a.attnum = k.att and k.n <= i.indnkeyatts),
	'unique', (select json_agg(pg_get_indexdef(i.indexrelid) order by x.relname) from pg_index i join pg_class x on x.oid = i.indexrelid
		where i.indrelid = c.oid and i.indisunique and not i.indisprimary and i.indisvalid),
	'constraints', (select json_agg(pg_get_constraintdef(k.oid) order by k.contype, k.conname) from pg_constraint k
		where k.conrelid = c.oid and k.contype in ('c', 'f', 'x')))
	from pg_class c join pg_namespace n on n.oid = c.relnamespace
	where n.nspname = $1 and c.relkind in ('r', 'p') and not c.relispartition
	order by c.relname`

// Tables describes the tables of a schema by name: columns and types in their
// order, the primary key, the definitions of the other unique indexes, and
// those of check, foreign-key and exclusion constraints (CHECK ((balance >= 0))).
func (t *Target) Tables(ctx context.Context, conn *pgconn.PgConn, schema string) ([]history.Table, error) {
	list, err := rows(ctx, conn, tablesSQL, schema)
	if err != nil {
		return nil, t.Explain(err)
	}
	tables := make([]history.Table, len(list))
	for i, r := range list {
		if err := json.Unmarshal([]byte(r[0]), &tables[i]); err != nil {
			return nil, fmt.Errorf("reading the description of a table in %s: %w", schema, err)
		}
	}
	return tables, nil
}
