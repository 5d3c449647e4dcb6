package contention

import (
	"fmt"
	"strings"
	"testing"

	"github.com/ccheck/ccheck/analyzers/check"
	"github.com/ccheck/ccheck/analyzers/internal/historytest"
	"github.com/ccheck/ccheck/analyzers/report"
	"github.com/ccheck/ccheck/probes/history"
)

func judgeFile(f *history.File) (evidence report.Evidence, unknown []string, err error) {
	err = Checker.Run(&check.Pass{
		Header: f.Header, Ops: f.Ops,
		Unknown:  func(s string) { unknown = append(unknown, s) },
		Evidence: func(e report.Evidence) { evidence = e },
	})
	return evidence, unknown, err
}

func TestVerdicts(t *testing.T) {
	historytest.Golden(t, func(f *history.File) ([]report.Finding, []string, error) {
		_, unknown, err := judgeFile(f)
		return nil, unknown, err
	})
}

// meeting is one round in which two lanes meet, by the statements of a case.
func meeting(statements [2][]string) string {
	var b strings.Builder
	for lane := range 2 {
		fmt.Fprintf(&b, "%c calls x\n%c: BEGIN\n", 'A'+lane, 'A'+lane)
	}
	for n := range max(len(statements[0]), len(statements[1])) {
		for lane, list := range statements {
			if n < len(list) {
				fmt.Fprintf(&b, "%c: %s\n", 'A'+lane, list[n])
			}
		}
	}
	for lane := range 2 {
		fmt.Fprintf(&b, "%c: COMMIT\n%c ends accepted\n", 'A'+lane, 'A'+lane)
	}
	return b.String()
}

const tables = `
table account: id integer key, balance bigint
table member: id bigint key, mail text
table stay: id bigint key, room_id integer, nights daterange
table payment: id bigint key, amount bigint
table job: id integer key, state text
table folio: id bigint key, book integer, no integer
`

func TestMeetings(t *testing.T) {
	tests := []struct {
		name string
		a, b []string
		met  bool
	}{
		{"two writes of a row", []string{"UPDATE account SET balance = 1 WHERE id = $1 | 3 => UPDATE 1"}, []string{"UPDATE account SET balance = 2 WHERE id = 3 => UPDATE 1"}, true},
		{"a read and a write", []string{"SELECT balance FROM account WHERE id = $1 | 3 => balance: 1"}, []string{"UPDATE account SET balance = 2 WHERE id = $1 | 3 => UPDATE 1"}, true},
		{"two reads", []string{"SELECT balance FROM account WHERE id = $1 | 3 => balance: 1"}, []string{"SELECT balance FROM account WHERE id = $1 | 3 => balance: 1"}, false},
		{"two rows", []string{"UPDATE account SET balance = 1 WHERE id = $1 | 3 => UPDATE 1"}, []string{"UPDATE account SET balance = 2 WHERE id = $1 | 4 => UPDATE 1"}, false},
		{"a check and an insert", []string{"SELECT 1 FROM member WHERE lower(mail) = lower($1) | Zoe => SELECT 0"}, []string{"INSERT INTO member (mail) VALUES ($1) | zoe => INSERT 0 1"}, true},
		{"a check and another insert", []string{"SELECT 1 FROM member WHERE lower(mail) = lower($1) | Zoe => SELECT 0"}, []string{"INSERT INTO member (mail) VALUES ($1) | yan => INSERT 0 1"}, false},
		{"a range and an insert", []string{"SELECT count(*) FROM stay WHERE room_id = $1 AND nights && $2 | 1, a => count: 0"}, []string{"INSERT INTO stay (room_id, nights) VALUES ($1, $2) | 1, b => INSERT 0 1"}, true},
		{"the same amount is no meeting", []string{"INSERT INTO payment (amount) VALUES ($1) | 5 => INSERT 0 1"}, []string{"INSERT INTO payment (amount) VALUES ($1) | 5 => INSERT 0 1"}, false},
		{"two claims of a job", []string{"UPDATE job SET state = 'running' WHERE id = (SELECT id FROM job WHERE state = 'ready' LIMIT 1) => UPDATE 1"}, []string{"UPDATE job SET state = 'running' WHERE id = (SELECT id FROM job WHERE state = 'ready' LIMIT 1) => UPDATE 1"}, true},
		{"the newest row and an insert", []string{"SELECT no FROM folio WHERE book = $1 ORDER BY no DESC LIMIT 1 | 6 => no: 1"}, []string{"INSERT INTO folio (book, no) VALUES ($1, $2) | 6, 2 => INSERT 0 1"}, true},
		{"a sum and the second row of an insert", []string{"SELECT sum(amount) FROM payment WHERE account = $1 | 3 => sum: 0"}, []string{"INSERT INTO payment (account, amount) VALUES ($1, 5), ($2, -5) | 2, 3 => INSERT 0 2"}, true},
		{"one key that an expression makes", []string{"INSERT INTO member (mail) VALUES ('u' || $1 || '@x') ON CONFLICT (lower(mail)) DO NOTHING | 7 => INSERT 0 1"}, []string{"INSERT INTO member (mail) VALUES ('u' || $1 || '@x') ON CONFLICT (lower(mail)) DO NOTHING | 7 => INSERT 0 0"}, true},
		{"two keys that an expression makes", []string{"INSERT INTO member (mail) VALUES ('u' || $1 || '@x') ON CONFLICT (lower(mail)) DO NOTHING | 7 => INSERT 0 1"}, []string{"INSERT INTO member (mail) VALUES ('u' || $1 || '@x') ON CONFLICT (lower(mail)) DO NOTHING | 8 => INSERT 0 1"}, false},
		{"one key put together", []string{"SELECT state FROM job WHERE state = 's' || $1 | 7 => state: s7"}, []string{"UPDATE job SET state = 'done' WHERE state = 's' || $1 | 7 => UPDATE 1"}, true},
		{"two keys put together", []string{"SELECT state FROM job WHERE state = 's' || $1 | 7 => state: s7"}, []string{"UPDATE job SET state = 'done' WHERE state = 's' || $1 | 8 => UPDATE 1"}, false},
		{"two claims that skip what is locked", []string{"SELECT id FROM job WHERE state = 'new' LIMIT 1 FOR UPDATE SKIP LOCKED => id: 1"}, []string{"SELECT id FROM job WHERE state = 'new' LIMIT 1 FOR UPDATE SKIP LOCKED => id: 2"}, true},
		{"two claims of different queues", []string{"SELECT id FROM job WHERE state = $1 LIMIT 1 FOR UPDATE SKIP LOCKED | a => id: 1"}, []string{"SELECT id FROM job WHERE state = $1 LIMIT 1 FOR UPDATE SKIP LOCKED | b => id: 2"}, false},
		{"a row found by its name and written by its key", []string{"SELECT id, mail FROM member WHERE mail = $1 LIMIT 1 FOR UPDATE | zoe => id, mail: 7, zoe"}, []string{"UPDATE member SET mail = 'x' WHERE id = $1 | 7 => UPDATE 1"}, true},
		{"another row found by its name", []string{"SELECT id, mail FROM member WHERE mail = $1 LIMIT 1 | zoe => id, mail: 8, zoe"}, []string{"UPDATE member SET mail = 'x' WHERE id = $1 | 7 => UPDATE 1"}, false},
		{"another column of that name", []string{"SELECT amount AS id FROM payment WHERE amount = $1 | 7 => id: 7"}, []string{"UPDATE payment SET amount = 9 WHERE id = $1 | 7 => UPDATE 1"}, false},
		{"a whole table and an insert", []string{"SELECT count(*) FROM member => count: 0"}, []string{"INSERT INTO member (mail) VALUES ($1) | zoe => INSERT 0 1"}, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			for _, order := range [][2][]string{{tt.a, tt.b}, {tt.b, tt.a}} {
				// The first meeting teaches in which way rows are asked for.
				e, _, err := judgeFile(historytest.Read(t, tables+meeting(order)+meeting(order)))
				if err != nil {
					t.Fatal(err)
				}
				if (e.Overlaps > 0) != tt.met {
					t.Errorf("%d overlaps, want some: %v", e.Overlaps, tt.met)
				}
			}
		})
	}
}

func TestEnough(t *testing.T) {
	one := meeting([2][]string{
		{"SELECT balance FROM account WHERE id = $1 | 3 => balance: 1", "UPDATE account SET balance = 1 WHERE id = $1 | 3 => UPDATE 1"},
		{"SELECT balance FROM account WHERE id = $1 | 3 => balance: 1", "UPDATE account SET balance = 1 WHERE id = $1 | 3 => ERROR 40001 could not serialize access"},
	})
	const apart = "A calls redeem\nA: SELECT state FROM job WHERE id = $1 | 7 => state: ready\nA: UPDATE job SET state = 'done' WHERE id = $1 | 7 => UPDATE 1\nA ends accepted\n"
	// Statements that name no row in common: that the server has ended one of them,
	// or had it wait, says that they met.
	const (
		look    = "A calls x\nB calls x\nA: BEGIN\nB: BEGIN\nA: SELECT id FROM job WHERE id = 1 => SELECT 1\n"
		stopped = look + "A: INSERT INTO job (id) VALUES (3) => INSERT 0 1\nB: INSERT INTO job (id) VALUES (4) => ERROR 40001 could not serialize access\nA: COMMIT\nB: ROLLBACK\nA ends accepted\nB ends refused\n"
		waited  = look + "A: INSERT INTO job (id) VALUES (3) => INSERT 0 1\nA waits for B\nB: SELECT 1 => ERROR 55P03 lock not available\nA: COMMIT\nB: ROLLBACK\nA ends accepted\nB ends refused\n"
	)
	for _, tt := range []struct {
		name   string
		lines  string
		enough bool
	}{
		{"one pair too few", strings.Repeat(one, enoughPairs-1), false},
		{"just enough pairs", strings.Repeat(one, enoughPairs), true},
		{"one round too few", "param mode rounds\n" + strings.Repeat(one+"reset\n", enoughRounds-1), false},
		{"just enough rounds", "param mode rounds\n" + strings.Repeat(one+"reset\n", enoughRounds), true},
		{"rounds whose lanes were refused for each other", "param mode rounds\n" + strings.Repeat(stopped+"reset\n", enoughRounds), true},
		{"rounds with a duplicate key alone", "param mode rounds\n" + strings.Repeat(strings.ReplaceAll(stopped, "40001", "23505")+"reset\n", enoughRounds), false},
		{"rounds in which a lane waited for a lock", "param mode rounds\n" + strings.Repeat(waited+"reset\n", enoughRounds), true},
		{"rounds in which a lane waited for the pool", "param mode rounds\n" + strings.Repeat(strings.ReplaceAll(waited, "waits for B", "waits for the pool")+"reset\n", enoughRounds), false},
		{"an actor that met nobody", strings.Repeat(one, enoughPairs) + apart, false},
		{"an actor that met nobody and cannot lose a race", strings.Repeat(one, enoughPairs) + "A calls log\nA: INSERT INTO payment (amount) VALUES ($1) | 5 => INSERT 0 1\nA ends accepted\n", true},
		{"an actor that met nobody in any round", "param mode rounds\n" + strings.Repeat(one+apart+"reset\n", enoughRounds), false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			e, unknown, err := judgeFile(historytest.Read(t, tables+tt.lines+"check x =>\n"))
			if err != nil {
				t.Fatal(err)
			}
			if e.Enough != tt.enough || (len(unknown) == 0) != tt.enough {
				t.Errorf("enough %v, unknown %q, want enough %v", e.Enough, unknown, tt.enough)
			}
			if e.Checks != 1 || e.Conflicts == 0 || e.SmallestGap <= 0 || e.Calls == 0 || e.Tries < e.Calls || e.Statements == 0 || e.Transactions == 0 {
				t.Errorf("evidence %+v", e)
			}
		})
	}
}
