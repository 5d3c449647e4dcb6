package rows

import (
	"context"
	"database/sql"
	"errors"
)

type owned struct{ db *sql.DB }

type account struct {
	id, kind int64
}

// rename asks what the owner is, and not who: nobody takes the folder over.
func (o *owned) rename(ctx context.Context, id int64, name string) error {
	var f struct{ owner account }
	row := o.db.QueryRowContext(ctx, `SELECT owner_id, owner_kind FROM folders WHERE id = $1`, id)
	if err := row.Scan(&f.owner.id, &f.owner.kind); err != nil {
		return err
	}
	if f.owner.kind == 2 {
		return errors.New("read only")
	}
	_, err := o.db.ExecContext(ctx, `UPDATE folders SET name = $1 WHERE id = $2`, name, id)
	return err
}

// publish asks whether something was released: that is no lease.
func (o *owned) publish(ctx context.Context, id int64) error {
	var release int64
	if err := o.db.QueryRowContext(ctx, `SELECT release FROM notes WHERE id = $1`, id).Scan(&release); err != nil {
		return err
	}
	if release != 0 {
		return errors.New("out already")
	}
	_, err := o.db.ExecContext(ctx, `UPDATE notes SET title = 'x' WHERE id = $1`, id)
	return err
}

// lease is a lease, beside a release.
func (o *owned) store(ctx context.Context, id, lease int64) error {
	var now int64
	if err := o.db.QueryRowContext(ctx, `SELECT release_lease FROM notes WHERE id = $1`, id).Scan(&now); err != nil {
		return err
	}
	if now != lease {
		return errors.New("lost")
	}
	_, err := o.db.ExecContext(ctx, `UPDATE notes SET title = 'y' WHERE id = $1`, id) // want `the owner of a row is compared in Go`
	return err
}
