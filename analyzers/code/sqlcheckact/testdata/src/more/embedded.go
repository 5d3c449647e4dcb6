package more

import (
	"context"
	_ "embed"
	"errors"
)

//go:embed find.sql
var findGate string

var (
	//go:embed open.sql
	openGate string
	//go:embed guard.sql
	guardGate string
)

func openOnce(ctx context.Context, id int64) error {
	var open bool
	if err := db.QueryRowContext(ctx, findGate, id).Scan(&open); err != nil {
		return err
	}
	if open {
		return errors.New("open")
	}
	_, err := db.ExecContext(ctx, openGate, id) // want "open of gates is written because of what was read"
	return err
}

func openGuarded(ctx context.Context, id int64) error {
	var open bool
	if err := db.QueryRowContext(ctx, findGate, id).Scan(&open); err != nil {
		return err
	}
	if open {
		return errors.New("open")
	}
	r, err := db.ExecContext(ctx, guardGate, id)
	if err != nil {
		return err
	}
	if n, err := r.RowsAffected(); err != nil || n == 0 {
		return errors.New("open")
	}
	return nil
}
