package explore

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/ccheck/ccheck/probes/scenario"
)

// written is a scenario of two lanes, a and b, that run one script.
func written(t *testing.T, schema, script, invariant string) *scenario.Scenario {
	t.Helper()
	dir := t.TempDir()
	manifest := "version: 1\nname: written\nsetup: schema.sql\nload: {mode: rounds, lanes: {a: 1, b: 1}}\n" +
		"actors:\n  - {name: a, script: txn.sql, params: {me: 1}}\n  - {name: b, script: txn.sql, params: {me: 2}}\n" +
		"invariants:\n  - {name: it holds, file: invariant.sql}\n"
	for name, text := range map[string]string{"ccheck.yaml": manifest, "schema.sql": schema, "txn.sql": script, "invariant.sql": invariant} {
		must(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	return open(t, dir)
}

// A number that a sequence has handed out is chance in every serial order, also
// where it is told to a lane that reads it in one of them only: a retry that
// finds the cart of the other lane is told another number, and is right.
func TestNumbersThatAreReadAreChance(t *testing.T) {
	sc := written(t, "create table cart (id bigint generated always as identity primary key, customer int not null);", `-- @retry 40001
BEGIN;
\set id null
SELECT id FROM cart WHERE customer = 5 \aset
\if :id is null
INSERT INTO cart (customer) VALUES (5);
\endif
COMMIT;
`, "select customer from cart group by 1 having count(*) > 1")
	n, path := explored(t, sc, actors(sc), scenario.Serializable, nil)
	if found := judged(t, path, false); n.Broken > 0 || len(found) > 0 {
		t.Errorf("%d of %d break, %d findings: %+v", n.Broken, n.Schedules, len(found), found)
	}
	if n, _ := explored(t, sc, actors(sc), scenario.ReadCommitted, nil); n.Broken == 0 {
		t.Error("at read committed two carts are not seen")
	}
}

// Random ids come in another order in every run. Rows that differ in nothing
// else are told apart by the rows that refer to them.
func TestRandomIdsAreChance(t *testing.T) {
	sc := written(t, `create table person (id int primary key);
create table token (id uuid primary key default gen_random_uuid(), person int not null references person, live bool not null);
create table used (token uuid not null references token, n int not null);
insert into person values (1);
insert into token (person, live) values (1, true);
`, `-- @retry 40001
BEGIN;
SELECT id FROM person WHERE id = 1 FOR UPDATE;
UPDATE token SET live = false WHERE person = 1;
INSERT INTO token (person, live) VALUES (1, true) RETURNING id \gset
INSERT INTO used VALUES (:id::uuid, 7);
COMMIT;
`, "select person from token where live group by 1 having count(*) <> 1")
	for _, level := range levels {
		n, path := explored(t, sc, actors(sc), level, nil)
		if found := judged(t, path, false); n.Broken > 0 || len(found) > 0 {
			t.Errorf("%s: %d of %d break, %d findings: %+v", level, n.Broken, n.Schedules, len(found), found)
		}
	}
}
