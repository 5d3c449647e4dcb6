package builders

import (
	"context"
	"errors"

	"github.com/doug-martin/goqu/v9"
)

type seat struct {
	ID    int64 `db:"id"`
	Taken bool  `db:"taken"`
}

func goquTake(ctx context.Context, db *goqu.Database, id int64) error {
	var s seat
	found, err := db.From("seats").Where(goqu.C("id").Eq(id)).ScanStructContext(ctx, &s)
	if err != nil || !found || s.Taken {
		return errors.Join(err, errors.New("not free"))
	}
	_, err = db.Update("seats").Set(goqu.Record{"taken": true}).Where(goqu.C("id").Eq(id)).Executor().ExecContext(ctx) // want `taken of seats is written because of what was read`
	return err
}

func goquGuarded(ctx context.Context, db *goqu.Database, id int64) error {
	var s seat
	found, err := db.From("seats").Where(goqu.Ex{"id": id}).ScanStructContext(ctx, &s)
	if err != nil || !found || s.Taken {
		return errors.Join(err, errors.New("not free"))
	}
	r, err := db.Update("seats").Set(goqu.Record{"taken": true}).Where(goqu.Ex{"id": id, "taken": false}).Executor().ExecContext(ctx)
	if err != nil {
		return err
	}
	if n, _ := r.RowsAffected(); n == 0 {
		return errors.New("not free")
	}
	return nil
}

func goquLocked(ctx context.Context, db *goqu.Database, id int64) error {
	return db.WithTx(func(tx *goqu.TxDatabase) error {
		var s seat
		found, err := tx.From("seats").Where(goqu.Ex{"id": id}).ForUpdate(0).ScanStructContext(ctx, &s)
		if err != nil || !found || s.Taken {
			return errors.Join(err, errors.New("not free"))
		}
		_, err = tx.Update("seats").Set(goqu.Record{"taken": true}).Where(goqu.Ex{"id": id}).Executor().ExecContext(ctx)
		return err
	})
}

func goquJoin(ctx context.Context, db *goqu.Database, room, user int64) error {
	return db.WithTx(func(tx *goqu.TxDatabase) error {
		n, err := tx.From("members").Where(goqu.Ex{"room": room}).CountContext(ctx)
		if err != nil {
			return err
		}
		if n >= 10 {
			return errors.New("full")
		}
		_, err = tx.Insert("members").Rows(goqu.Record{"room": room, "who": user}).Executor().ExecContext(ctx) // want `members is written because of a count`
		return err
	})
}

func goquOnce(ctx context.Context, db *goqu.Database, room, user int64) error {
	n, err := db.From("members").Where(goqu.Ex{"room": room, "who": user}).CountContext(ctx)
	if err != nil || n > 0 {
		return err
	}
	_, err = db.Insert("members").Rows(goqu.Record{"room": room, "who": user}).OnConflict(goqu.DoNothing()).Executor().ExecContext(ctx)
	return err
}
