package more

import (
	"context"
	"database/sql"
	"errors"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/jmoiron/sqlx"
	"gorm.io/gorm"
	"gorm.io/gorm/clause"
)

// rows is a repository of anything: its instance knows the table.
type rows[T any] struct{ db *gorm.DB }

func (r *rows[T]) get(where string, args ...any) (*T, error) {
	var t T
	if err := r.db.Where(where, args...).First(&t).Error; err != nil {
		return nil, err
	}
	return &t, nil
}

func (r *rows[T]) save(t *T) error { return r.db.Save(t).Error }

type Voucher struct {
	ID   uint
	Code string
	Left int
}

type vouchers struct{ rows *rows[Voucher] }

func (v *vouchers) redeem(code string) error {
	x, err := v.rows.get("code = ?", code)
	if err != nil {
		return err
	}
	if x.Left <= 0 {
		return errors.New("used up")
	}
	x.Left--
	return v.rows.save(x) // want "vouchers"
}

type bill struct {
	Org    int64
	Number int
}

func issue(ctx context.Context, tx *sqlx.Tx, b *bill) error {
	var last sql.NullInt64
	if err := tx.GetContext(ctx, &last, `SELECT MAX(number) FROM bills WHERE org = $1`, b.Org); err != nil {
		return err
	}
	b.Number = int(last.Int64) + 1
	_, err := tx.NamedExecContext(ctx, `INSERT INTO bills (org, number) VALUES (:org, :number)`, b) // want "bills"
	return err
}

func bills(ctx context.Context, db *sqlx.DB, b *bill) error {
	tx, err := db.BeginTxx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if err := issue(ctx, tx, b); err != nil {
		return err
	}
	return tx.Commit()
}

func book(ctx context.Context, p *pgxpool.Pool, room, from, to int64) error {
	return pgx.BeginFunc(ctx, p, func(tx pgx.Tx) error {
		var taken bool
		err := tx.QueryRow(ctx, `SELECT EXISTS (SELECT 1 FROM stays WHERE room = @room AND starts < @to AND ends > @from)`,
			pgx.NamedArgs{"room": room, "from": from, "to": to}).Scan(&taken)
		if err != nil {
			return err
		}
		if taken {
			return errors.New("taken")
		}
		_, err = tx.Exec(ctx, `INSERT INTO stays (room, starts, ends) VALUES ($1, $2, $3)`, room, from, to) // want "stays"
		return err
	})
}

// locked adds the lock for its callers.
func locked(db *gorm.DB) *gorm.DB { return db.Clauses(clause.Locking{Strength: "UPDATE"}) }

func spendLocked(db *gorm.DB, id uint) error {
	return db.Transaction(func(tx *gorm.DB) error {
		var v Voucher
		if err := locked(tx).First(&v, id).Error; err != nil {
			return err
		}
		v.Left--
		return tx.Save(&v).Error
	})
}

func spendScoped(db *gorm.DB, id uint) error {
	return db.Transaction(func(tx *gorm.DB) error {
		var v Voucher
		if err := tx.Scopes(locked).First(&v, id).Error; err != nil {
			return err
		}
		v.Left--
		return tx.Save(&v).Error
	})
}
