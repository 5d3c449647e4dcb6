package explore_test

import (
	"context"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/ccheck/ccheck/probes/explore"
)

// withdraw takes 80 from an account of 100 as many an application does: read,
// decide, write.
func withdraw(ctx context.Context, conn *pgx.Conn) error {
	tx, err := conn.Begin(ctx)
	if err != nil {
		return err
	}
	defer tx.Rollback(ctx)
	var balance int
	if err := tx.QueryRow(ctx, "select balance from account where id = $1", 1).Scan(&balance); err != nil {
		return err
	}
	if balance < 80 {
		return explore.ErrRefused
	}
	if _, err := tx.Exec(ctx, "update account set balance = balance - 80 where id = $1", 1); err != nil {
		return err
	}
	return tx.Commit(ctx)
}

// guarded decides in the statement that writes.
func guarded(ctx context.Context, conn *pgx.Conn) error {
	tag, err := conn.Exec(ctx, "update account set balance = balance - 80 where id = $1 and balance >= 80", 1)
	if err == nil && tag.RowsAffected() == 0 {
		return explore.ErrRefused
	}
	return err
}

func accounts(do func(context.Context, *pgx.Conn) error) explore.Test {
	return explore.Test{
		Setup:      "create table account (id int primary key, balance int not null); insert into account values (1, 100)",
		Lanes:      []explore.Func{{Name: "withdraw", Do: do}, {Name: "withdraw", Do: do}},
		Invariants: map[string]string{"no account is overdrawn": "select id, balance from account where balance < 0"},
	}
}

// Two withdrawals in every order: a test of an application's own code.
func TestWithdrawals(t *testing.T) {
	explore.Run(t, accounts(guarded))
}

// failing is a test that is to fail.
type failing struct {
	*testing.T
	text string
}

func (f *failing) Errorf(_ string, args ...any) { f.text += args[0].(string) }

func TestRunTellsTheSmallestSchedule(t *testing.T) {
	f := &failing{T: t}
	n := explore.Run(f, accounts(withdraw))
	if n.Broken == 0 || !n.Whole {
		t.Fatalf("%d of %d schedules break, whole %v", n.Broken, n.Schedules, n.Whole)
	}
	for _, want := range []string{
		"an invariant is broken in 12 of 14 schedules; the smallest is:",
		"1 withdraw     select balance from account where id = $1",
		"2 withdraw#2   select balance from account where id = $1",
		"no account is overdrawn: id 1, balance -60",
	} {
		if !strings.Contains(f.text, want) {
			t.Errorf("%q is not in:\n%s", want, f.text)
		}
	}
}
