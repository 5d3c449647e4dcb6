package builders

import (
	"context"
	"database/sql"
	"errors"
	"time"

	sq "github.com/Masterminds/squirrel"
)

// getter is what the program uses of sqlx.
type getter interface {
	GetContext(ctx context.Context, dest any, query string, args ...any) error
}

var dollar = sq.StatementBuilder.PlaceholderFormat(sq.Dollar)

func squirrelCount(ctx context.Context, db getter, branch string) (n int, err error) {
	query, args, err := dollar.Select("count(*)").From("runs").Where(sq.Eq{"branch": branch, "kind": "build"}).ToSql()
	if err != nil {
		return 0, err
	}
	err = db.GetContext(ctx, &n, query, args...)
	return n, err
}

func squirrelStart(ctx context.Context, db getter, branch string) (id int64, err error) {
	switch n, err := squirrelCount(ctx, db, branch); {
	case err != nil:
		return 0, err
	case n > 0:
		return 0, errors.New("busy")
	}
	query, args, err := dollar.Insert("runs").Columns("branch", "kind").Values(branch, "build").Suffix("RETURNING id").ToSql()
	if err != nil {
		return 0, err
	}
	err = db.GetContext(ctx, &id, query, args...) // want "inserted because none was found"
	return id, err
}

func squirrelStartOnce(ctx context.Context, db getter, branch string) (id int64, err error) {
	query, args, err := dollar.Select("count(*)").From("jobs").Where(sq.Eq{"branch": branch}).ToSql()
	if err != nil {
		return 0, err
	}
	var n int
	if err := db.GetContext(ctx, &n, query, args...); err != nil || n > 0 {
		return 0, errors.Join(err, errors.New("busy"))
	}
	query, args, err = dollar.Insert("jobs").Columns("branch").Values(branch).Suffix("ON CONFLICT (branch) DO NOTHING RETURNING id").ToSql()
	if err != nil {
		return 0, err
	}
	err = db.GetContext(ctx, &id, query, args...)
	return id, err
}

type pass struct {
	id    int64
	kind  string
	spent bool
	until time.Time
}

// A method asks several things at once.
func (p *pass) usable(kind string) bool {
	return p.kind == kind && !p.spent && time.Now().Before(p.until)
}

func findPass(ctx context.Context, db *sql.DB, code string) (*pass, error) {
	p := new(pass)
	return p, db.QueryRowContext(ctx, "SELECT id, kind, spent, until FROM passes WHERE code = $1", code).Scan(&p.id, &p.kind, &p.spent, &p.until)
}

func spend(ctx context.Context, db *sql.DB, code string) error {
	p, err := findPass(ctx, db, code)
	if err != nil {
		return err
	}
	if !p.usable("entry") {
		return errors.New("not valid")
	}
	_, err = db.ExecContext(ctx, "UPDATE passes SET spent = true WHERE id = $1", p.id) // want "spent of passes is written because of what was read before"
	return err
}

func spendOnce(ctx context.Context, db *sql.DB, code string) error {
	p, err := findPass(ctx, db, code)
	if err != nil {
		return err
	}
	if !p.usable("entry") {
		return errors.New("not valid")
	}
	res, err := db.ExecContext(ctx, "UPDATE passes SET spent = true WHERE id = $1 AND NOT spent", p.id)
	if err != nil {
		return err
	}
	if n, err := res.RowsAffected(); err != nil || n == 0 {
		return errors.Join(err, errors.New("not valid"))
	}
	return nil
}

type note struct{ text, digest, source string }

func addNote(ctx context.Context, db *sql.DB, n *note) error {
	_, err := db.ExecContext(ctx, "INSERT INTO notes (body, digest, source) VALUES ($1, $2, $3)", n.text, n.digest, n.source)
	return err
}

// What the read looks for is in a field of what is stored then.
func keepNote(ctx context.Context, db *sql.DB, text, source string, digest func(string) string) error {
	n := &note{text: text, digest: digest(text), source: source}
	var id int64
	err := db.QueryRowContext(ctx, "SELECT id FROM notes WHERE digest = $1", n.digest).Scan(&id)
	if errors.Is(err, sql.ErrNoRows) {
		return addNote(ctx, db, n) // want "inserted because none was found"
	}
	return err
}
