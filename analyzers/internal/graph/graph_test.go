package graph

import (
	"testing"

	"github.com/ccheck/ccheck/analyzers/internal/historytest"
	"github.com/ccheck/ccheck/analyzers/internal/lanes"
)

const tables = `
table account: id integer key, balance bigint, version integer
table promo: id integer key, cap integer, taken integer
table sale: id bigint key, promo_id integer
table errand: id integer key, state text
table seat_holder: workspace integer key, person text key, role text
table member: id bigint key, mail text
table court: id integer key, edition integer
table game: id bigint key, court_id integer, hours int4range
table board: id integer key, archived boolean, open_cards integer
table card: id bigint key, board_id integer
`

// between builds the transactions of lanes A and B and compares them.
func between(t *testing.T, lines string) *Anomaly {
	t.Helper()
	f := historytest.Read(t, tables+lines)
	tracker := lanes.NewTracker(f.Header)
	txns := map[int]*lanes.Txn{}
	for o, err := range f.Ops() {
		if err != nil {
			t.Fatal(err)
		}
		if c := tracker.Add(o); c != nil {
			for _, x := range c.Txns {
				if !x.Stmts[0].Begin.Stmt.Outside {
					txns[c.Process] = x
				}
			}
		}
	}
	return Between(tracker.Schema, txns[0], txns[1])
}

// Each bug beside its fix: the same interleaving, as far as the fix allows it.
func TestBugAndFix(t *testing.T) {
	tests := []struct {
		name  string
		lines string
		kind  Kind // 0 for none
	}{
		{"absolute write", `
A: BEGIN
A: SELECT balance FROM account WHERE id = 1 => balance: 100
B: BEGIN
B: SELECT balance FROM account WHERE id = 1 => balance: 100
A: UPDATE account SET balance = 70 WHERE id = 1 => UPDATE 1
A: COMMIT
B: UPDATE account SET balance = 80 WHERE id = 1 => UPDATE 1
B: COMMIT`, LostUpdate},
		{"absolute write, read under lock", `
A: BEGIN
A: SELECT balance FROM account WHERE id = 1 FOR UPDATE => balance: 100
B: BEGIN
B< SELECT balance FROM account WHERE id = 1 FOR UPDATE
A: UPDATE account SET balance = 70 WHERE id = 1 => UPDATE 1
A: COMMIT
B> balance: 70
B: UPDATE account SET balance = 50 WHERE id = 1 => UPDATE 1
B: COMMIT`, 0},
		{"absolute write, one after the other", `
A: BEGIN
A: SELECT balance FROM account WHERE id = 1 => balance: 100
A: UPDATE account SET balance = 70 WHERE id = 1 => UPDATE 1
B: BEGIN
A: COMMIT
B: SELECT balance FROM account WHERE id = 1 => balance: 70
B: UPDATE account SET balance = 50 WHERE id = 1 => UPDATE 1
B: COMMIT`, 0},
		{"other rows", `
A: BEGIN
A: SELECT balance FROM account WHERE id = 1 => balance: 100
B: BEGIN
B: SELECT balance FROM account WHERE id = 2 => balance: 100
A: UPDATE account SET balance = 70 WHERE id = 1 => UPDATE 1
A: COMMIT
B: UPDATE account SET balance = 80 WHERE id = 2 => UPDATE 1
B: COMMIT`, 0},
		{"version in the condition", `
A: BEGIN
A: SELECT balance, version FROM account WHERE id = 1 => balance, version: 100, 1
B: BEGIN
B: SELECT balance, version FROM account WHERE id = 1 => balance, version: 100, 1
A: UPDATE account SET balance = 70, version = version + 1 WHERE id = 1 AND version = 1 => UPDATE 1
A: COMMIT
B: UPDATE account SET balance = 80, version = version + 1 WHERE id = 1 AND version = 1 => UPDATE 0
B: ROLLBACK`, 0},
		{"relative write after a check", `
A: BEGIN
A: SELECT balance FROM account WHERE id = 1 => balance: 100
B: BEGIN
B: SELECT balance FROM account WHERE id = 1 => balance: 100
A: UPDATE account SET balance = balance - 80 WHERE id = 1 => UPDATE 1
B< UPDATE account SET balance = balance - 70 WHERE id = 1
A: COMMIT
B> UPDATE 1
B: COMMIT`, StaleCheck},
		{"relative write with the check in it", `
A: BEGIN
A: SELECT balance FROM account WHERE id = 1 => balance: 100
B: BEGIN
B: SELECT balance FROM account WHERE id = 1 => balance: 100
A: UPDATE account SET balance = balance - 30 WHERE id = 1 AND balance >= 30 => UPDATE 1
B< UPDATE account SET balance = balance - 20 WHERE id = 1 AND balance >= 20
A: COMMIT
B> UPDATE 1
B: COMMIT`, 0},
		{"relative writes alone", `
A: BEGIN
A: UPDATE account SET balance = balance - 80 WHERE id = 1 => UPDATE 1
B: BEGIN
B< UPDATE account SET balance = balance - 70 WHERE id = 1
A: COMMIT
B> UPDATE 1
B: COMMIT`, 0},
		{"row count ignored", `
A: BEGIN
A: SELECT cap, taken FROM promo WHERE id = 7 => cap, taken: 1, 0
B: BEGIN
B: SELECT cap, taken FROM promo WHERE id = 7 => cap, taken: 1, 0
B: INSERT INTO sale (promo_id) VALUES (7) => INSERT 0 1
A: UPDATE promo SET taken = taken + 1 WHERE id = 7 AND taken < cap => UPDATE 1
B< UPDATE promo SET taken = taken + 1 WHERE id = 7 AND taken < cap
A: COMMIT
B> UPDATE 0
B: COMMIT`, RowIgnored},
		{"row count looked at", `
A: BEGIN
A: SELECT cap, taken FROM promo WHERE id = 7 => cap, taken: 1, 0
B: BEGIN
B: SELECT cap, taken FROM promo WHERE id = 7 => cap, taken: 1, 0
B: INSERT INTO sale (promo_id) VALUES (7) => INSERT 0 1
A: UPDATE promo SET taken = taken + 1 WHERE id = 7 AND taken < cap => UPDATE 1
B< UPDATE promo SET taken = taken + 1 WHERE id = 7 AND taken < cap
A: COMMIT
B> UPDATE 0
B: ROLLBACK`, 0},
		{"claim without a lock", `
A: BEGIN
A: UPDATE errand SET state = 'running' WHERE id = (SELECT id FROM errand WHERE state = 'ready' LIMIT 1) RETURNING id => id: 1
B: BEGIN
B< UPDATE errand SET state = 'running' WHERE id = (SELECT id FROM errand WHERE state = 'ready' LIMIT 1) RETURNING id
A: COMMIT
B> id: 1
B: COMMIT`, ClaimTwice},
		{"claim with SKIP LOCKED", `
A: BEGIN
A: UPDATE errand SET state = 'running' WHERE id = (SELECT id FROM errand WHERE state = 'ready' LIMIT 1 FOR UPDATE SKIP LOCKED) RETURNING id => id: 1
B: BEGIN
B: UPDATE errand SET state = 'running' WHERE id = (SELECT id FROM errand WHERE state = 'ready' LIMIT 1 FOR UPDATE SKIP LOCKED) RETURNING id => id: 2
A: COMMIT
B: COMMIT`, 0},
		{"write skew", `
A: BEGIN
A: SELECT count(*) FROM seat_holder WHERE workspace = 2 AND role = 'admin' AND person <> 'wen' => count: 1
B: BEGIN
B: SELECT count(*) FROM seat_holder WHERE workspace = 2 AND role = 'admin' AND person <> 'xia' => count: 1
A: UPDATE seat_holder SET role = 'guest' WHERE workspace = 2 AND person = 'wen' => UPDATE 1
B: UPDATE seat_holder SET role = 'guest' WHERE workspace = 2 AND person = 'xia' => UPDATE 1
A: COMMIT
B: COMMIT`, WriteSkew},
		{"all rows locked first", `
A: BEGIN
A: SELECT person FROM seat_holder WHERE workspace = 2 AND role = 'admin' ORDER BY person FOR UPDATE => person: wen; xia
B: BEGIN
B< SELECT person FROM seat_holder WHERE workspace = 2 AND role = 'admin' ORDER BY person FOR UPDATE
A: UPDATE seat_holder SET role = 'guest' WHERE workspace = 2 AND person = 'wen' => UPDATE 1
A: COMMIT
B> person: xia
B: ROLLBACK`, 0},
		{"checked and inserted", `
A: BEGIN
A: SELECT 1 FROM member WHERE lower(mail) = lower('Zoe@x') => SELECT 0
B: BEGIN
B: SELECT 1 FROM member WHERE lower(mail) = lower('zoe@x') => SELECT 0
A: INSERT INTO member (mail) VALUES ('Zoe@x') => INSERT 0 1
B: INSERT INTO member (mail) VALUES ('zoe@x') => INSERT 0 1
A: COMMIT
B: COMMIT`, Phantom},
		{"checked and inserted something else", `
A: BEGIN
A: SELECT 1 FROM member WHERE lower(mail) = lower('Zoe@x') => SELECT 0
B: BEGIN
B: SELECT 1 FROM member WHERE lower(mail) = lower('yan@x') => SELECT 0
A: INSERT INTO member (mail) VALUES ('Zoe@x') => INSERT 0 1
B: INSERT INTO member (mail) VALUES ('yan@x') => INSERT 0 1
A: COMMIT
B: COMMIT`, 0},
		{"the unique index refused", `
A: BEGIN
A: SELECT 1 FROM member WHERE mail = 'zoe' => SELECT 0
B: BEGIN
B: SELECT 1 FROM member WHERE mail = 'zoe' => SELECT 0
A: INSERT INTO member (mail) VALUES ('zoe') => INSERT 0 1
B< INSERT INTO member (mail) VALUES ('zoe')
A: COMMIT
B> ERROR 23505 duplicate key
B: ROLLBACK`, 0},
		{"parent locked, then looked, at READ COMMITTED", `
A: BEGIN
A: SELECT id FROM court WHERE id = 3 FOR UPDATE => id: 3
B: BEGIN
B< SELECT id FROM court WHERE id = 3 FOR UPDATE
A: SELECT count(*) FROM game WHERE court_id = 3 => count: 0
A: INSERT INTO game (court_id) VALUES (3) => INSERT 0 1
A: COMMIT
B> id: 3
B: SELECT count(*) FROM game WHERE court_id = 3 => count: 1
B: ROLLBACK`, 0},
		{"parent locked, then looked, at REPEATABLE READ", `
level REPEATABLE READ
A: BEGIN
A: SELECT id FROM court WHERE id = 3 FOR UPDATE => id: 3
B: BEGIN
B< SELECT id FROM court WHERE id = 3 FOR UPDATE
A: SELECT count(*) FROM game WHERE court_id = 3 => count: 0
A: INSERT INTO game (court_id) VALUES (3) => INSERT 0 1
A: COMMIT
B> id: 3
B: SELECT count(*) FROM game WHERE court_id = 3 => count: 0
B: INSERT INTO game (court_id) VALUES (3) => INSERT 0 1
B: COMMIT`, Phantom},
		{"the answer to the commit came late", `
A: BEGIN
A: SELECT id FROM court WHERE id = 3 FOR UPDATE => id: 3
B: BEGIN
B< SELECT id FROM court WHERE id = 3 FOR UPDATE
A: SELECT count(*) FROM game WHERE court_id = 3 => count: 0
A: INSERT INTO game (court_id) VALUES (3) => INSERT 0 1
A< COMMIT
B> id: 3
B: SELECT count(*) FROM game WHERE court_id = 3 => count: 1
B: INSERT INTO game (court_id) VALUES (3) => INSERT 0 1
B: COMMIT
A> COMMIT`, 0},
		{"child added while the parent is archived", `
A: BEGIN
A: SELECT archived FROM board WHERE id = 1 => archived: f
B: BEGIN
B: SELECT count(*) FROM card WHERE board_id = 1 => count: 0
A: INSERT INTO card (board_id) VALUES (1) => INSERT 0 1
B: UPDATE board SET archived = true WHERE id = 1 => UPDATE 1
A: COMMIT
B: COMMIT`, WriteSkew},
		{"both write the parent under a guard", `
A: BEGIN
A: UPDATE board SET open_cards = open_cards + 1 WHERE id = 1 AND NOT archived => UPDATE 1
B: BEGIN
B< UPDATE board SET archived = true WHERE id = 1 AND open_cards = 0
A: INSERT INTO card (board_id) VALUES (1) => INSERT 0 1
A: COMMIT
B> UPDATE 0
B: ROLLBACK`, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			a := between(t, tt.lines)
			switch {
			case tt.kind == 0 && a != nil:
				t.Errorf("found %s, want nothing", a.Name())
			case tt.kind != 0 && a == nil:
				t.Errorf("found nothing, want %s", tt.kind)
			case tt.kind != 0 && a.Kind != tt.kind:
				t.Errorf("found %s, want %s", a.Name(), tt.kind)
			}
		})
	}
}
