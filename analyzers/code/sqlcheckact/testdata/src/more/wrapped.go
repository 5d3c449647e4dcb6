package more

import (
	"context"
	"database/sql"
)

type questions struct{ db *sql.DB }

// has puts a query into another one; what is in it only the caller knows.
func (q *questions) has(ctx context.Context, query string, args ...any) (ok bool, err error) {
	err = q.db.QueryRowContext(ctx, "SELECT EXISTS("+query+")", args...).Scan(&ok)
	return ok, err
}

func (q *questions) signUp(ctx context.Context, mail string) error {
	ok, err := q.has(ctx, "SELECT 1 FROM readers WHERE email = $1", mail)
	if err != nil || ok {
		return err
	}
	_, err = q.db.ExecContext(ctx, "INSERT INTO readers (email) VALUES ($1)", mail) // want `a row of readers is inserted because none was found`
	return err
}

// invite asks about another table.
func (q *questions) invite(ctx context.Context, mail string) error {
	ok, err := q.has(ctx, "SELECT 1 FROM refused WHERE email = $1", mail)
	if err != nil || ok {
		return err
	}
	_, err = q.db.ExecContext(ctx, "INSERT INTO invited (email) VALUES ($1)", mail)
	return err
}
