package graph

import (
	"testing"

	"github.com/ccheck/ccheck/analyzers/internal/historytest"
	"github.com/ccheck/ccheck/analyzers/internal/lanes"
)

const more = `
table meter: name text key, n integer
table entry: id bigint key, cents integer
table total: id integer key, cents integer
table preference: customer integer, colour text
table stock: id bigint key, sku text, qty integer
table project: id integer key
table task: id integer key, project integer
constraint task: FOREIGN KEY (project) REFERENCES project(id) ON DELETE CASCADE
table message: id integer key, sent boolean
table digest: message integer
table broker: id integer
`

// What rows that come and go, and statements of several parts, do to each other.
func TestRowsThatComeAndGo(t *testing.T) {
	tests := []struct {
		name  string
		lines string
		kind  Kind // 0 for none
	}{
		{"upsert with a total from an earlier read", `
A: BEGIN
A: SELECT n FROM meter WHERE name = 'ad' => n: 10
B: BEGIN
B: SELECT n FROM meter WHERE name = 'ad' => n: 10
A: INSERT INTO meter (name, n) VALUES ('ad', 11) ON CONFLICT (name) DO UPDATE SET n = EXCLUDED.n => INSERT 0 1
A: COMMIT
B: INSERT INTO meter (name, n) VALUES ('ad', 11) ON CONFLICT (name) DO UPDATE SET n = EXCLUDED.n => INSERT 0 1
B: COMMIT`, LostUpdate},
		{"upsert that adds", `
A: BEGIN
B: BEGIN
A: INSERT INTO meter (name, n) VALUES ('ad', 1) ON CONFLICT (name) DO UPDATE SET n = meter.n + EXCLUDED.n => INSERT 0 1
B< INSERT INTO meter (name, n) VALUES ('ad', 1) ON CONFLICT (name) DO UPDATE SET n = meter.n + EXCLUDED.n
A: COMMIT
B> INSERT 0 1
B: COMMIT`, 0},
		{"total from a subquery", `
A: BEGIN
A: INSERT INTO entry (cents) VALUES (10) => INSERT 0 1
B: BEGIN
B: INSERT INTO entry (cents) VALUES (20) => INSERT 0 1
A: UPDATE total SET cents = (SELECT sum(cents) FROM entry) WHERE id = 1 => UPDATE 1
B< UPDATE total SET cents = (SELECT sum(cents) FROM entry) WHERE id = 1
B waits for A
A: COMMIT
B> UPDATE 1
B: COMMIT`, StaleSubquery},
		{"deleted and inserted again", `
A: BEGIN
A: DELETE FROM preference WHERE customer = 5 => DELETE 1
B: BEGIN
B< DELETE FROM preference WHERE customer = 5
B waits for A
A: INSERT INTO preference (customer, colour) VALUES (5, 'blue') => INSERT 0 1
A: COMMIT
B> DELETE 0
B: INSERT INTO preference (customer, colour) VALUES (5, 'green') => INSERT 0 1
B: COMMIT`, SplitSnapshot},
		{"merge inserts twice", `
A: BEGIN
B: BEGIN
A: MERGE INTO stock s USING (VALUES ('tea', 5)) AS v(sku, qty) ON s.sku = v.sku WHEN MATCHED THEN UPDATE SET qty = s.qty + v.qty WHEN NOT MATCHED THEN INSERT (sku, qty) VALUES (v.sku, v.qty) => MERGE 1
B: MERGE INTO stock s USING (VALUES ('tea', 5)) AS v(sku, qty) ON s.sku = v.sku WHEN MATCHED THEN UPDATE SET qty = s.qty + v.qty WHEN NOT MATCHED THEN INSERT (sku, qty) VALUES (v.sku, v.qty) => MERGE 1
B: COMMIT
A: COMMIT`, Phantom},
		{"a cascade takes a new row along", `
A: BEGIN
A: SELECT count(*) FROM task WHERE project = 1 => count: 0
B: BEGIN
B: INSERT INTO task (id, project) VALUES (7, 1) => INSERT 0 1
B: COMMIT
A: DELETE FROM project WHERE id = 1 => DELETE 1
A: COMMIT`, StaleCheck},
		{"a cascade of another parent", `
A: BEGIN
A: SELECT count(*) FROM task WHERE project = 1 => count: 0
B: BEGIN
B: INSERT INTO task (id, project) VALUES (7, 2) => INSERT 0 1
B: COMMIT
A: DELETE FROM project WHERE id = 1 => DELETE 1
A: COMMIT`, 0},
		{"marked and not copied", `
A: BEGIN
A: INSERT INTO digest SELECT id FROM message WHERE NOT sent => INSERT 0 1
B: BEGIN
B: INSERT INTO message (id, sent) VALUES (2, false) => INSERT 0 1
B: COMMIT
A: UPDATE message SET sent = true WHERE NOT sent => UPDATE 2
A: COMMIT`, ReadSkew},
		{"an advisory lock takes the snapshot at REPEATABLE READ", `
level REPEATABLE READ
A: BEGIN
A: SELECT pg_advisory_xact_lock(1) => pg_advisory_xact_lock:
B: BEGIN
B< SELECT pg_advisory_xact_lock(1)
B waits for A
A: SELECT count(*) FROM stock WHERE sku = 'tea' => count: 0
A: INSERT INTO stock (sku, qty) VALUES ('tea', 1) => INSERT 0 1
A: COMMIT
B> pg_advisory_xact_lock:
B: SELECT count(*) FROM stock WHERE sku = 'tea' => count: 0
B: INSERT INTO stock (sku, qty) VALUES ('tea', 1) => INSERT 0 1
B: COMMIT`, Phantom},
		{"LOCK TABLE takes none", `
level REPEATABLE READ
A: BEGIN
A: LOCK TABLE stock => LOCK TABLE
B: BEGIN
B< LOCK TABLE stock
B waits for A
A: SELECT count(*) FROM stock WHERE sku = 'tea' => count: 0
A: INSERT INTO stock (sku, qty) VALUES ('tea', 1) => INSERT 0 1
A: COMMIT
B> LOCK TABLE
B: SELECT count(*) FROM stock WHERE sku = 'tea' => count: 1
B: COMMIT`, 0},
		{"rolled back after its effect", `
level REPEATABLE READ
A: BEGIN
A: SELECT id FROM message WHERE id = 1 AND NOT sent => id: 1
B: BEGIN
B: SELECT id FROM message WHERE id = 1 AND NOT sent => id: 1
A~ INSERT INTO broker VALUES (1) => INSERT 0 1
B~ INSERT INTO broker VALUES (1) => INSERT 0 1
A: UPDATE message SET sent = true WHERE id = 1 => UPDATE 1
A: COMMIT
B: UPDATE message SET sent = true WHERE id = 1 => ERROR 40001 could not serialize access
B: ROLLBACK`, EffectOutside},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			switch a := between(t, more+tt.lines); {
			case tt.kind == 0 && a != nil:
				t.Errorf("found %s, want nothing", a.Name())
			case tt.kind != 0 && (a == nil || a.Kind != tt.kind):
				t.Errorf("found %v, want %s", a, tt.kind)
			}
		})
	}
}

// A call that reads in one transaction and writes in another is no safer at
// SERIALIZABLE; its transactions are looked at together.
func TestJoinedTransactions(t *testing.T) {
	f := historytest.Read(t, more+`
level SERIALIZABLE
A calls sell
B calls sell
A: SELECT qty FROM stock WHERE id = 1 => qty: 1
B: SELECT qty FROM stock WHERE id = 1 => qty: 1
B: UPDATE stock SET qty = 0 WHERE id = 1 => UPDATE 1
B ends accepted
A: UPDATE stock SET qty = 0 WHERE id = 1 => UPDATE 1
A ends accepted
`)
	tracker := lanes.NewTracker(f.Header)
	calls := map[int]*lanes.Call{}
	for o, err := range f.Ops() {
		if err != nil {
			t.Fatal(err)
		}
		if c := tracker.Add(o); c != nil {
			calls[c.Process] = c
		}
	}
	a, b := lanes.Join(calls[0].Txns[0], calls[0].Txns[1]), lanes.Join(calls[1].Txns[0], calls[1].Txns[1])
	if got := Between(tracker.Schema, a, b); got == nil || got.Kind != LostUpdate || got.Reader != a {
		t.Errorf("found %+v, want a lost update of A", got)
	}
}
