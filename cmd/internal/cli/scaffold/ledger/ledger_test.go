package ledger

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/ccheck/ccheck/probes/explore"
	"github.com/ccheck/ccheck/probes/scenario"
)

//go:embed migration.sql
var migration string

// account is the key of the n-th account of a test.
func account(n int) AccountID { return AccountID(n) }

// setup makes two accounts with 100 each, paid in from a third one, the outside
// world. The table stands in for yours.
func setup() string {
	world, ann, bob := account(1), account(2), account(3)
	return `CREATE TABLE account (id bigint PRIMARY KEY);` + migration + fmt.Sprintf(`
		INSERT INTO account (id) VALUES ('%v'), ('%v'), ('%v');
		INSERT INTO ledger_balance (account_id, floor) VALUES ('%[1]v', NULL), ('%v', 0), ('%v', 0);
		WITH p AS (INSERT INTO ledger_posting (key, memo) VALUES ('opening', '') RETURNING id)
		INSERT INTO ledger_entry (posting_id, account_id, amount)
		SELECT id, e.a, e.m FROM p, (VALUES ('%[1]v'::bigint, -200), ('%[2]v', 100), ('%[3]v', 100)) AS e (a, m);`, world, ann, bob)
}

// invariants must hold after every schedule: each row is a violation.
func invariants(more map[string]string) map[string]string {
	all := map[string]string{
		"the entries of a posting sum to zero": `SELECT posting_id, sum(amount) FROM ledger_entry GROUP BY posting_id HAVING sum(amount) <> 0`,
		"a balance is the sum of its entries":  `SELECT b.account_id, b.balance, s.total FROM ledger_balance b LEFT JOIN (SELECT account_id, sum(amount) AS total FROM ledger_entry GROUP BY account_id) s USING (account_id) WHERE b.balance <> coalesce(s.total, 0)`,
		"no account is below its floor":        `SELECT account_id, balance FROM ledger_balance WHERE balance < floor`,
		"every posting has its entries":        `SELECT key FROM ledger_posting p WHERE (SELECT count(*) FROM ledger_entry WHERE posting_id = p.id) < 2`,
		"no money comes from nowhere":          `SELECT sum(balance) FROM ledger_balance HAVING sum(balance) <> 0`,
	}
	for name, sql := range more {
		all[name] = sql
	}
	return all
}

// pay is a lane that transfers; a refusal is an answer and no failure.
func pay(name, key string, from, to int, amount int64) explore.Func {
	return explore.Func{Name: name, Do: func(ctx context.Context, conn *pgx.Conn) error {
		err := Transfer(ctx, conn, key, account(from), account(to), amount, name)
		if errors.Is(err, ErrInsufficient) {
			return explore.ErrRefused
		}
		return err
	}}
}

// Every interleaving of two transfers, at all three levels.
func TestTransfers(t *testing.T) {
	posted := func(n int) map[string]string {
		return map[string]string{"what was accepted is posted": fmt.Sprintf(`SELECT count(*) FROM ledger_posting WHERE key <> 'opening' HAVING count(*) <> %d`, n)}
	}
	pairs := []struct {
		name  string
		lanes []explore.Func
		more  map[string]string
	}{
		{"twice from one account", []explore.Func{pay("rent", "r1", 2, 3, 80), pay("food", "f1", 2, 1, 80)}, posted(1)},
		{"against each other", []explore.Func{pay("there", "t1", 2, 3, 50), pay("back", "b1", 3, 2, 50)}, posted(2)},
		{"the same request twice", []explore.Func{pay("pay", "p1", 2, 3, 30), pay("pay", "p1", 2, 3, 30)}, posted(1)},
	}
	for _, p := range pairs {
		for _, level := range []scenario.Isolation{scenario.ReadCommitted, scenario.RepeatableRead, scenario.Serializable} {
			t.Run(strings.ReplaceAll(p.name+" "+string(level), " ", "-"), func(t *testing.T) {
				explore.Run(t, explore.Test{Setup: setup(), Lanes: p.lanes, Invariants: invariants(p.more), Isolation: level})
			})
		}
	}
}
