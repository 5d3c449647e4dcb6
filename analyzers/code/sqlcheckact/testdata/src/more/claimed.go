package more

import (
	"context"
	"database/sql"
	"errors"
)

var errTaken = errors.New("taken")

// Claim refuses a name that somebody has, and overwrites one that somebody took
// in between.
func Claim(ctx context.Context, db *sql.DB, name, owner string) error {
	var who string
	err := db.QueryRowContext(ctx, "SELECT owner FROM names WHERE name = $1", name).Scan(&who)
	if err == nil {
		return errTaken
	}
	if !errors.Is(err, sql.ErrNoRows) {
		return err
	}
	_, err = db.ExecContext(ctx, "INSERT INTO names (name, owner) VALUES ($1, $2) ON CONFLICT (name) DO UPDATE SET owner = $2", name, owner) // want "two callers"
	return err
}

// ClaimFree leaves the row of another owner.
func ClaimFree(ctx context.Context, db *sql.DB, name, owner string) error {
	var who string
	err := db.QueryRowContext(ctx, "SELECT owner FROM names WHERE name = $1", name).Scan(&who)
	if err == nil {
		return errTaken
	}
	if !errors.Is(err, sql.ErrNoRows) {
		return err
	}
	_, err = db.ExecContext(ctx, "INSERT INTO names AS n (name, owner) VALUES ($1, $2) ON CONFLICT (name) DO UPDATE SET owner = $2 WHERE n.owner IS NULL", name, owner)
	return err
}

// Ensure wants the row there; whoever comes second says the same.
func Ensure(ctx context.Context, db *sql.DB, name, owner string) error {
	var who string
	err := db.QueryRowContext(ctx, "SELECT owner FROM names WHERE name = $1", name).Scan(&who)
	if err == nil {
		return nil
	}
	if !errors.Is(err, sql.ErrNoRows) {
		return err
	}
	_, err = db.ExecContext(ctx, "INSERT INTO names (name, owner) VALUES ($1, $2) ON CONFLICT (name) DO UPDATE SET owner = EXCLUDED.owner", name, owner)
	return err
}

type grant struct {
	ID     int64
	Code   string
	UserID int64
}

// Exchange makes a session of a code, and deletes the code by its id.
func Exchange(ctx context.Context, db *sql.DB, code string) error {
	var g grant
	if err := db.QueryRowContext(ctx, "SELECT id, user_id FROM grants WHERE code = $1", code).Scan(&g.ID, &g.UserID); err != nil {
		return err
	}
	if _, err := db.ExecContext(ctx, "INSERT INTO sessions (user_id) VALUES ($1)", g.UserID); err != nil {
		return err
	}
	_, err := db.ExecContext(ctx, "DELETE FROM grants WHERE id = $1", g.ID) // want "used once|two callers"
	return err
}

// Forget deletes what it found, and hands on nothing.
func Forget(ctx context.Context, db *sql.DB, code string) error {
	var g grant
	if err := db.QueryRowContext(ctx, "SELECT id, user_id FROM grants WHERE code = $1", code).Scan(&g.ID, &g.UserID); err != nil {
		return err
	}
	_, err := db.ExecContext(ctx, "DELETE FROM grants WHERE id = $1", g.ID)
	return err
}

type member struct {
	ID   string
	Last int64
}

func memberOf(ctx context.Context, db *sql.DB, id string) (member, error) {
	m := member{ID: id}
	return m, db.QueryRowContext(ctx, "SELECT last FROM members WHERE id = $1", id).Scan(&m.Last)
}

// Step writes by the id that the structure was made with.
func Step(ctx context.Context, db *sql.DB, name func() string, step int64) error {
	m, err := memberOf(ctx, db, name())
	if err != nil {
		return err
	}
	if step <= m.Last {
		return errTaken
	}
	_, err = db.ExecContext(ctx, "UPDATE members SET last = $1 WHERE id = $2", step, m.ID) // want "two callers"
	return err
}

// ClaimAll asks and takes name by name.
func ClaimAll(ctx context.Context, db *sql.DB, names []string, owner string) error {
	for _, name := range names {
		var n int
		if err := db.QueryRowContext(ctx, "SELECT count(*) FROM marks WHERE name = $1", "x/"+name).Scan(&n); err != nil {
			return err
		}
		if n > 0 {
			return errTaken
		}
		if _, err := db.ExecContext(ctx, "INSERT INTO marks (name, owner) VALUES ($1, $2)", "x/"+name, owner); err != nil { // want "two callers|same row twice"
			return err
		}
	}
	return nil
}
