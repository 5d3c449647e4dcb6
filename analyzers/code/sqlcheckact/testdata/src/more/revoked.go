package more

import (
	"context"
	"database/sql"
	"errors"
)

var (
	errNone  = errors.New("no such token")
	errOther = errors.New("not your token")
)

type token struct {
	ID, Owner int64
	Access    string
}

func tokenOf(ctx context.Context, db *sql.DB, id int64) (*token, error) {
	var t token
	err := db.QueryRowContext(ctx, `SELECT id, owner, access FROM tokens WHERE id = $1`, id).Scan(&t.ID, &t.Owner, &t.Access)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, errNone
	}
	return &t, err
}

// revoke looks whose token it is. Two that delete it do no harm.
func revoke(ctx context.Context, db *sql.DB, id, user int64) error {
	t, err := tokenOf(ctx, db, id)
	if err != nil {
		return err
	}
	if t.Owner != user {
		return errOther
	}
	_, err = db.ExecContext(ctx, `DELETE FROM tokens WHERE access = $1`, t.Access)
	return err
}

// redeem answers with whose token it was: two callers can both be let in.
func redeem(ctx context.Context, db *sql.DB, id int64) (int64, error) {
	t, err := tokenOf(ctx, db, id)
	if err != nil {
		return 0, err
	}
	_, err = db.ExecContext(ctx, `DELETE FROM tokens WHERE id = $1`, id) // want `a row of tokens is read, used and then deleted`
	return t.Owner, err
}
