package lab

import (
	"context"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/ccheck/ccheck/probes/history"
	"github.com/ccheck/ccheck/probes/pg"
)

// References are the foreign keys between the tables of the sandbox: for each
// table the tables that it refers to.
func References(conn *pg.Conn) (map[string][]string, error) {
	res, err := conn.Ask(`select c.relname, f.relname from pg_constraint k
		join pg_class c on c.oid = k.conrelid join pg_class f on f.oid = k.confrelid
		where k.contype = 'f' and c.relnamespace = current_schema()::regnamespace`)
	if err != nil {
		return nil, fmt.Errorf("reading the foreign keys: %w", err)
	}
	needs := map[string][]string{}
	for _, row := range res.Rows {
		needs[row[0].Text] = append(needs[row[0].Text], row[1].Text)
	}
	return needs, nil
}

// InOrder returns the tables with those that are referenced before those that
// refer to them.
func InOrder(tables []history.Table, needs map[string][]string) []history.Table {
	byName := map[string]history.Table{}
	for _, t := range tables {
		byName[t.Name] = t
	}
	var order []history.Table
	done := map[string]bool{}
	var visit func(name string)
	visit = func(name string) {
		t, ours := byName[name]
		if done[name] || !ours {
			return
		}
		done[name] = true
		for _, other := range needs[name] {
			visit(other)
		}
		order = append(order, t)
	}
	for _, t := range tables {
		visit(t.Name)
	}
	return order
}

// Writable lists the columns of a table that can be written, without generated ones.
func Writable(conn *pg.Conn, table string) (string, error) {
	res, err := conn.Ask(fmt.Sprintf(`select string_agg(quote_ident(attname), ', ' order by attnum) from pg_attribute
		where attrelid = %s::regclass and attnum > 0 and not attisdropped and attgenerated = ''`, Literal(Ident(table))))
	if err != nil {
		return "", fmt.Errorf("reading the columns of %s: %w", table, err)
	}
	return res.Rows[0][0].Text, nil
}

// Own names each table of the sandbox in SQL so that the rows of those that
// inherit from it are left out, which are theirs. A partitioned table has none
// but those of its partitions.
func Own(conn *pg.Conn) (map[string]string, error) {
	res, err := conn.Ask(`select relname, relkind from pg_class where relkind in ('r', 'p') and relnamespace = current_schema()::regnamespace`)
	if err != nil {
		return nil, fmt.Errorf("reading the kinds of the tables: %w", err)
	}
	own := map[string]string{}
	for _, row := range res.Rows {
		name := row[0].Text
		if own[name] = Ident(name); row[1].Text == "r" {
			own[name] = "only " + own[name]
		}
	}
	return own, nil
}

// Sequence is a sequence of the sandbox and where it stands.
type Sequence struct {
	Name   string // quoted where it has to be
	Value  string
	Called bool // Value was handed out
}

// Set is SQL that puts the sequence where it stood.
func (s Sequence) Set() string {
	return fmt.Sprintf("select setval(%s, %s, %t);", Literal(s.Name), s.Value, s.Called)
}

// Sequences are those of the sandbox as they stand.
func Sequences(conn *pg.Conn) ([]Sequence, error) {
	res, err := conn.Ask(`select quote_ident(sequencename), coalesce(last_value, start_value), last_value is not null
		from pg_sequences where schemaname = current_schema() order by 1`)
	if err != nil {
		return nil, fmt.Errorf("reading the sequences: %w", err)
	}
	var list []Sequence
	for _, row := range res.Rows {
		list = append(list, Sequence{row[0].Text, row[1].Text, row[2].Text == "t"})
	}
	return list, nil
}

// SetAll is SQL that puts all of them where they stood.
func SetAll(list []Sequence) string {
	var b strings.Builder
	for _, s := range list {
		b.WriteString(s.Set())
	}
	return b.String()
}

const tablesSQL = `select c.relname,
	(select string_agg(a.attname, e'\x01' order by a.attnum) from pg_attribute a where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped),
	(select string_agg(a.attname, e'\x01' order by k.n) from pg_index i, unnest(i.indkey::int2[]) with ordinality k(att, n), pg_attribute a
		where i.indrelid = c.oid and i.indisprimary and a.attrelid = c.oid and a.attnum = k.att and k.n <= i.indnkeyatts)
	from pg_class c where c.relnamespace = current_schema()::regnamespace and c.relkind in ('r', 'p') and not c.relispartition order by 1`

// Tables lists the tables of the first schema of the search path: names,
// columns and keys. It is for drivers that are given no sandbox.
func Tables(ctx context.Context, conn *pgconn.PgConn) ([]history.Table, error) {
	res := conn.ExecParams(ctx, tablesSQL, nil, nil, nil, nil).Read()
	if res.Err != nil {
		return nil, fmt.Errorf("reading the tables: %w", res.Err)
	}
	var list []history.Table
	for _, row := range res.Rows {
		t := history.Table{Name: string(row[0]), Columns: strings.Split(string(row[1]), "\x01")}
		if row[2] != nil {
			t.Key = strings.Split(string(row[2]), "\x01")
		}
		list = append(list, t)
	}
	return list, nil
}
