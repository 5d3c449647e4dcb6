package explore

import (
	"testing"

	"github.com/ccheck/ccheck/probes/wire"
)

func TestSteps(t *testing.T) {
	w := newTableWords([]string{"item", "pg_stats_of_ours"})
	tests := []struct {
		sql  string
		tx   byte
		free bool
	}{
		{"BEGIN", 'I', true}, {"/* trace */ start transaction isolation level serializable", 'I', true}, {"ROLLBACK", 'T', true},
		{"COMMIT", 'T', false}, {"COMMIT", 'E', true},
		{"SET client_min_messages TO warning;SET TIME ZONE INTERVAL '+00:00' HOUR TO MINUTE", 'I', true},
		{"set a = 'x;y'; select version(); show server_version;", 'I', true},
		{"set a = 1; update item set stock = 0", 'I', false}, {"set a = 1; select stock from item", 'I', false},
		{"begin; set a = 1", 'I', false}, {"set a = $$;$$; delete from item", 'I', false},
		{"select 1", 'I', true}, {"select now()", 'T', true}, {"select f()", 'I', false}, {"select pg_advisory_lock(1)", 'I', false},
		{"select typname from pg_type where oid = 5", 'I', true}, {"select * from pg_stats_of_ours", 'I', false}, {"select stock from item", 'I', false},
		{"SELECT CAST('plain' AS VARCHAR(60)) AS anon_1", 'I', true}, {"SELECT CAST(current_setting('server_version_num') AS integer) AS v", 'I', true},
		{`SELECT "pg_attribute"."attname" FROM "pg_class", "pg_attribute" WHERE "pg_class"."oid" = CAST('"item"' AS regclass)`, 'T', true},
		{"select setval('item_id_seq', 5)", 'I', false}, {"select pg_notify('item', '')", 'I', false}, {"select stock -- from pg_type\nfrom \"item\"", 'I', false},
		{`SELECT * FROM "item" LIMIT 0`, 'I', true}, {`SELECT * FROM "item" LIMIT 10`, 'I', false},
		{"(select stock from item)", 'I', false}, {"select (select pg_advisory_lock(1))", 'I', false},
		{"insert into item values (1)", 'I', false}, {"", 'I', true},
	}
	for _, tt := range tests {
		step := w.step(wire.Batch{Tx: tt.tx, Statements: []wire.Statement{{Kind: wire.Query, SQL: tt.sql}}})
		if (step == nil) != tt.free {
			t.Errorf("%q is a step: %v", tt.sql, step != nil)
		}
	}
}
