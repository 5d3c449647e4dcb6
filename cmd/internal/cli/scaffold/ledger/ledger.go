// Package ledger moves money between accounts by double entry. What must hold is
// in migration.sql, where the server holds it; this package makes postings, and
// starts over when the server says so.
package ledger

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// AccountID is the key of an account.
type AccountID = int64

// DB is a *pgxpool.Pool or a *pgx.Conn.
type DB interface {
	Begin(context.Context) (pgx.Tx, error)
	Exec(ctx context.Context, sql string, args ...any) (pgconn.CommandTag, error)
	QueryRow(ctx context.Context, sql string, args ...any) pgx.Row
}

// Entry adds an amount, in the smallest unit, to an account; a negative one takes
// it away.
type Entry struct {
	Account AccountID
	Amount  int64
}

// The refusals.
var (
	// ErrInsufficient says that a balance would fall below its floor.
	ErrInsufficient = errors.New("the balance is not enough")
	// ErrUnbalanced says that entries do not sum to zero.
	ErrUnbalanced = errors.New("the entries do not sum to zero")
	// ErrNoAccount says that an account was never opened.
	ErrNoAccount = errors.New("there is no such account in the ledger")
)

// Open takes an account into the ledger. floor is what it may fall to; nil is for
// none.
func Open(ctx context.Context, db DB, account AccountID, floor *int64) error {
	_, err := db.Exec(ctx, `INSERT INTO ledger_balance (account_id, floor) VALUES ($1, $2) ON CONFLICT (account_id) DO NOTHING`, account, floor)
	if err != nil {
		return fmt.Errorf("opening account %v: %w", account, err)
	}
	return nil
}

// Balance is what an account holds. To decide on it is too late by then: let Post
// decide.
func Balance(ctx context.Context, db DB, account AccountID) (int64, error) {
	var balance int64
	err := db.QueryRow(ctx, `SELECT balance FROM ledger_balance WHERE account_id = $1`, account).Scan(&balance)
	if errors.Is(err, pgx.ErrNoRows) {
		return 0, ErrNoAccount
	}
	if err != nil {
		return 0, fmt.Errorf("reading the balance of account %v: %w", account, err)
	}
	return balance, nil
}

// Transfer moves an amount, greater than zero, from one account to another.
func Transfer(ctx context.Context, db DB, key string, from, to AccountID, amount int64, memo string) error {
	if amount <= 0 || from == to {
		return fmt.Errorf("a transfer of %d from %v to %v moves nothing", amount, from, to)
	}
	return Post(ctx, db, key, memo, Entry{from, -amount}, Entry{to, amount})
}

// tries is how often a posting is started over before its caller is told.
const tries = 10

// Post makes a posting of entries with different accounts, all of it or nothing.
// The key is the caller's, one for each thing that is to happen once, such as the
// id of the request: a second posting with it changes nothing and returns nil.
func Post(ctx context.Context, db DB, key, memo string, entries ...Entry) error {
	sum := int64(0)
	for _, e := range entries {
		sum += e.Amount
	}
	if sum != 0 || len(entries) < 2 {
		return ErrUnbalanced
	}
	// In one order everywhere, so that no two postings wait for each other.
	entries = slices.Clone(entries)
	slices.SortFunc(entries, func(a, b Entry) int { return cmp.Compare(a.Account, b.Account) })
	for try := 1; ; try++ {
		err := post(ctx, db, key, memo, entries)
		if !again(err) || try == tries {
			return refusal(err)
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(rand.N(time.Duration(try) * time.Millisecond)):
		}
	}
}

func post(ctx context.Context, db DB, key, memo string, entries []Entry) (err error) {
	tx, err := db.Begin(ctx)
	if err != nil {
		return fmt.Errorf("beginning a posting: %w", err)
	}
	defer func() {
		if err != nil {
			_ = tx.Rollback(context.WithoutCancel(ctx)) // the first error is the one to tell
		}
	}()
	var id int64
	err = tx.QueryRow(ctx, `INSERT INTO ledger_posting (key, memo) VALUES ($1, $2) ON CONFLICT (key) DO NOTHING RETURNING id`, key, memo).Scan(&id)
	if errors.Is(err, pgx.ErrNoRows) {
		return tx.Rollback(ctx) // it was made before
	}
	if err != nil {
		return fmt.Errorf("making the posting %s: %w", key, err)
	}
	accounts, amounts := make([]AccountID, len(entries)), make([]int64, len(entries))
	for i, e := range entries {
		accounts[i], amounts[i] = e.Account, e.Amount
	}
	_, err = tx.Exec(ctx, `INSERT INTO ledger_entry (posting_id, account_id, amount)
		SELECT $1, account_id, amount FROM unnest($2::bigint[], $3::int8[]) WITH ORDINALITY AS e (account_id, amount, n) ORDER BY n`, id, accounts, amounts)
	if err != nil {
		return fmt.Errorf("making the entries of posting %s: %w", key, err)
	}
	if err = tx.Commit(ctx); err != nil {
		return fmt.Errorf("committing posting %s: %w", key, err)
	}
	return nil
}

// again reports whether the server asks to start over: a serialization failure or
// a deadlock.
func again(err error) bool {
	var e *pgconn.PgError
	return errors.As(err, &e) && (e.Code == "40001" || e.Code == "40P01")
}

// refusal turns what the constraints say into the words of this package.
func refusal(err error) error {
	var e *pgconn.PgError
	if !errors.As(err, &e) {
		return err
	}
	switch {
	case e.ConstraintName == "ledger_balance_floor":
		return ErrInsufficient
	case e.ConstraintName == "ledger_sums_to_zero":
		return ErrUnbalanced
	case e.Code == "23503": // foreign_key_violation
		return ErrNoAccount
	}
	return err
}
