package more

import (
	"context"
	"database/sql"
	"errors"
)

var errLast = errors.New("one has to stay")

type owners struct{ db *sql.DB }

func (o *owners) count(ctx context.Context, org string) (n int, err error) {
	err = o.db.QueryRowContext(ctx, `SELECT count(*) FROM members WHERE org = $1 AND role = 'owner'`, org).Scan(&n)
	return n, err
}

func (o *owners) remove(ctx context.Context, org, id string) error {
	n, err := o.count(ctx, org)
	if err != nil {
		return err
	}
	if n <= 1 {
		return errLast
	}
	_, err = o.db.ExecContext(ctx, `DELETE FROM members WHERE id = $1`, id) // want "a row of members is deleted because enough were counted before"
	return err
}

func (o *owners) demote(ctx context.Context, org, id string) error {
	n, err := o.count(ctx, org)
	if err != nil {
		return err
	}
	if n > 1 {
		_, err = o.db.ExecContext(ctx, `UPDATE members SET role = 'reader' WHERE id = $1`, id) // want "because of a count"
		return err
	}
	return errLast
}

// rename changes nothing that was counted by.
func (o *owners) rename(ctx context.Context, org, id, name string) error {
	n, err := o.count(ctx, org)
	if err != nil {
		return err
	}
	if n > 1 {
		_, err = o.db.ExecContext(ctx, `UPDATE members SET name = $1 WHERE id = $2`, name, id)
		return err
	}
	return errLast
}

// removeLocked has the organization before it counts.
func (o *owners) removeLocked(ctx context.Context, org, id string) error {
	tx, err := o.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if _, err := tx.ExecContext(ctx, `SELECT 1 FROM orgs WHERE id = $1 FOR UPDATE`, org); err != nil {
		return err
	}
	var n int
	if err := tx.QueryRowContext(ctx, `SELECT count(*) FROM members WHERE org = $1 AND role = 'owner'`, org).Scan(&n); err != nil {
		return err
	}
	if n <= 1 {
		return errLast
	}
	if _, err := tx.ExecContext(ctx, `DELETE FROM members WHERE id = $1`, id); err != nil {
		return err
	}
	return tx.Commit()
}

// takeOne deletes the row of which one was left.
func (o *owners) takeOne(ctx context.Context, id string) error {
	var n int
	if err := o.db.QueryRowContext(ctx, `SELECT n FROM lines WHERE id = $1`, id).Scan(&n); err != nil {
		return err
	}
	if n <= 1 {
		_, err := o.db.ExecContext(ctx, `DELETE FROM lines WHERE id = $1`, id)
		return err
	}
	_, err := o.db.ExecContext(ctx, `UPDATE lines SET n = n - 1 WHERE id = $1 AND n > 1`, id)
	return err
}

// number has the server add one to the last.
func (o *owners) number(ctx context.Context, org, id string) error {
	var next int
	if err := o.db.QueryRowContext(ctx, `SELECT coalesce(max(seq), 0) + 1 FROM lines WHERE org = $1`, org).Scan(&next); err != nil {
		return err
	}
	_, err := o.db.ExecContext(ctx, `INSERT INTO lines (id, org, seq) VALUES ($1, $2, $3)`, id, org, next) // want "a value computed from an earlier read"
	return err
}

// noted keeps what the last was, which is no new number.
func (o *owners) noted(ctx context.Context, org, id string) error {
	var last int
	if err := o.db.QueryRowContext(ctx, `SELECT coalesce(max(seq), 0) FROM lines WHERE org = $1`, org).Scan(&last); err != nil {
		return err
	}
	_, err := o.db.ExecContext(ctx, `INSERT INTO lines (id, org, after) VALUES ($1, $2, $3)`, id, org, last)
	return err
}
