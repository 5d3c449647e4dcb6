package c

import (
	"context"
	"database/sql"
)

type desk struct{ db *sql.DB }

func (d *desk) begun(ctx context.Context) (*sql.Tx, error) { return d.db.BeginTx(ctx, nil) }

func raised(ctx context.Context, tx *sql.Tx) error {
	_, err := tx.ExecContext(ctx, "SET TRANSACTION ISOLATION LEVEL SERIALIZABLE")
	return err
}

// One helper begins, and another one sets the level.
func (d *desk) bookRoom(ctx context.Context, room int64) error {
	tx, err := d.begun(ctx) // linked: nobody runs this transaction again
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if err := raised(ctx, tx); err != nil {
		return err
	}
	if _, err := tx.ExecContext(ctx, "UPDATE rooms SET taken = true WHERE id = $1", room); err != nil {
		return err
	}
	return tx.Commit()
}

func (d *desk) Book(ctx context.Context, room int64) error { return d.bookRoom(ctx, room) }

// The same helper, at the default level.
func (d *desk) Leave(ctx context.Context, room int64) error {
	tx, err := d.begun(ctx)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if _, err := tx.ExecContext(ctx, "UPDATE rooms SET taken = false WHERE id = $1", room); err != nil {
		return err
	}
	return tx.Commit()
}

// The helper does both: it is where the transaction begins.
func (d *desk) beginStrict(ctx context.Context) (*sql.Tx, error) {
	tx, err := d.db.BeginTx(ctx, nil) // linked: nobody runs this transaction again
	if err != nil {
		return nil, err
	}
	if err := raised(ctx, tx); err != nil {
		tx.Rollback()
		return nil, err
	}
	return tx, nil
}

func (d *desk) Move(ctx context.Context, room int64) error {
	tx, err := d.beginStrict(ctx)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if _, err := tx.ExecContext(ctx, "UPDATE rooms SET guest = guest + 1 WHERE id = $1", room); err != nil {
		return err
	}
	return tx.Commit()
}
