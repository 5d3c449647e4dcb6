package more

import (
	"context"
	"errors"
	"slices"

	"gorm.io/gorm"
)

var follows = map[string][]string{"open": {"paid", "void"}, "paid": {"sent"}}

var mayFollow = map[string]map[string]bool{"open": {"paid": true, "void": true}, "paid": {"sent": true}}

var errState = errors.New("not in this state")

// advance asks a table which states may follow the one that was read.
func advance(ctx context.Context, id int64, to string) error {
	var from string
	if err := db.QueryRowContext(ctx, "SELECT state FROM bills WHERE id = $1", id).Scan(&from); err != nil {
		return err
	}
	if !slices.Contains(follows[from], to) {
		return errState
	}
	_, err := db.ExecContext(ctx, "UPDATE bills SET state = $1 WHERE id = $2", to, id) // want "state of bills is written because of what was read before"
	return err
}

func allowed(from, to string) bool { return mayFollow[from][to] }

// advanceByHelper asks a table of tables, in another function.
func advanceByHelper(ctx context.Context, id int64, to string) error {
	var from string
	if err := db.QueryRowContext(ctx, "SELECT state FROM bills WHERE id = $1", id).Scan(&from); err != nil {
		return err
	}
	if !allowed(from, to) {
		return errState
	}
	_, err := db.ExecContext(ctx, "UPDATE bills SET state = $1 WHERE id = $2", to, id) // want "state of bills is written because of what was read before"
	return err
}

type Bill struct {
	ID    int64
	State string
	Note  string
}

// advanceSaved does it with a structure.
func advanceSaved(g *gorm.DB, id int64, to string) error {
	var b Bill
	if err := g.First(&b, id).Error; err != nil {
		return err
	}
	for _, s := range follows[b.State] {
		if s == to {
			return g.Model(&Bill{}).Where("id = ?", id).Update("state", to).Error // want "state of bills is written because of what was read before"
		}
	}
	return errState
}

// advanceGuarded asks for the state again.
func advanceGuarded(ctx context.Context, id int64, to string) error {
	var from string
	if err := db.QueryRowContext(ctx, "SELECT state FROM bills WHERE id = $1", id).Scan(&from); err != nil {
		return err
	}
	if !slices.Contains(follows[from], to) {
		return errState
	}
	_, err := db.ExecContext(ctx, "UPDATE bills SET state = $1 WHERE id = $2 AND state = $3", to, id, from)
	return err
}

var titles = map[string]string{"open": "an open bill"}

// annotate looks up by the state, and writes something else.
func annotate(ctx context.Context, id int64, note string) error {
	var from string
	if err := db.QueryRowContext(ctx, "SELECT state FROM bills WHERE id = $1", id).Scan(&from); err != nil {
		return err
	}
	if titles[from] == "" {
		return errState
	}
	_, err := db.ExecContext(ctx, "UPDATE bills SET note = $1 WHERE id = $2", note, id)
	return err
}

// choose looks up by what the caller says.
func choose(ctx context.Context, id int64, to string) error {
	var from string
	if err := db.QueryRowContext(ctx, "SELECT state FROM bills WHERE id = $1", id).Scan(&from); err != nil {
		return err
	}
	if titles[to] == "" {
		return errState
	}
	_, err := db.ExecContext(ctx, "UPDATE bills SET state = $1 WHERE id = $2", to, id)
	return err
}
