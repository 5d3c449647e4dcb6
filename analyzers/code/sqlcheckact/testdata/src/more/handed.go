package more

import (
	"context"

	"github.com/jmoiron/sqlx"
)

type basket struct {
	ID    int64  `db:"id"`
	Items int    `db:"items"`
	Note  string `db:"note"`
}

func loadBasket(ctx context.Context, db *sqlx.DB, id int64) (*basket, error) {
	b := new(basket)
	if err := db.GetContext(ctx, b, `SELECT id, items, note FROM baskets WHERE id = $1`, id); err != nil {
		return nil, err
	}
	return b, nil
}

// changeBasket lets the caller's function change what another function has read.
func changeBasket(ctx context.Context, db *sqlx.DB, id int64, change func(*basket) error) error {
	b, err := loadBasket(ctx, db, id)
	if err != nil {
		return err
	}
	if err := change(b); err != nil {
		return err
	}
	_, err = db.ExecContext(ctx, `UPDATE baskets SET items = $1, note = $2 WHERE id = $3`, b.Items, b.Note, b.ID) // want `of baskets is set to a value computed from an earlier read`
	return err
}

// seeBasket shows the row to the caller's function, and writes nothing of it back.
func seeBasket(ctx context.Context, db *sqlx.DB, id int64, show func(*basket)) error {
	b, err := loadBasket(ctx, db, id)
	if err != nil {
		return err
	}
	show(b)
	_, err = db.ExecContext(ctx, `UPDATE baskets SET seen_at = now() WHERE id = $1`, b.ID)
	return err
}
