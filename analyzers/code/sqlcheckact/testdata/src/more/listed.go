package more

import (
	"context"
	"database/sql"
	"errors"
)

type hook struct {
	ID     int64
	URL    string
	Status string
}

var errHook = errors.New("there is such a hook")

func hooks(ctx context.Context, db *sql.DB) ([]hook, error) {
	rows, err := db.QueryContext(ctx, "SELECT id, url, status FROM hooks")
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var all []hook
	for rows.Next() {
		var h hook
		if err := rows.Scan(&h.ID, &h.URL, &h.Status); err != nil {
			return nil, err
		}
		all = append(all, h)
	}
	return all, rows.Err()
}

// AddHook compares all of them in Go.
func AddHook(ctx context.Context, db *sql.DB, url string) error {
	all, err := hooks(ctx, db)
	if err != nil {
		return err
	}
	for _, h := range all {
		if h.URL == url {
			return errHook
		}
	}
	_, err = db.ExecContext(ctx, "INSERT INTO hooks (url, status) VALUES ($1, 'new')", url) // want "two callers"
	return err
}

// AddNamedHook looks into a set of them.
func AddNamedHook(ctx context.Context, db *sql.DB, url string) error {
	all, err := hooks(ctx, db)
	if err != nil {
		return err
	}
	urls := map[string]struct{}{}
	for _, h := range all {
		urls[h.URL] = struct{}{}
	}
	if _, ok := urls[url]; ok {
		return errHook
	}
	_, err = db.ExecContext(ctx, "INSERT INTO hooks (url, status) VALUES ($1, 'new')", url) // want "two callers"
	return err
}

// CopyHook adds a row because there is one.
func CopyHook(ctx context.Context, db *sql.DB, url string) error {
	all, err := hooks(ctx, db)
	if err != nil {
		return err
	}
	for _, h := range all {
		if h.URL == url {
			_, err := db.ExecContext(ctx, "INSERT INTO hooks (url, status) VALUES ($1, 'copy')", url)
			return err
		}
	}
	return nil
}

// AddLimited asks for another column than the one that the new row has.
func AddLimited(ctx context.Context, db *sql.DB, url string) error {
	all, err := hooks(ctx, db)
	if err != nil {
		return err
	}
	for _, h := range all {
		if h.Status == "stopped" {
			return errHook
		}
	}
	_, err = db.ExecContext(ctx, "INSERT INTO hooks (url, status) VALUES ($1, 'new')", url)
	return err
}

// Take refuses places that are not free, in a loop over them.
func Take(ctx context.Context, db *sql.DB, by string, ids []int64) error {
	rows, err := db.QueryContext(ctx, "SELECT id, url, status FROM hooks WHERE id = ANY($1)", ids)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		var h hook
		if err := rows.Scan(&h.ID, &h.URL, &h.Status); err != nil {
			return err
		}
		if h.Status != "free" {
			return errHook
		}
	}
	if err := rows.Err(); err != nil {
		return err
	}
	_, err = db.ExecContext(ctx, "UPDATE hooks SET status = 'taken', url = $1 WHERE id = ANY($2)", by, ids) // want "two callers"
	return err
}

type sender interface {
	Send(ctx context.Context, h hook) error
	Render(ctx context.Context, h hook) error
}

// SendAll has two runs send one row.
func SendAll(ctx context.Context, db *sql.DB, s sender) error {
	rows, err := db.QueryContext(ctx, "SELECT id, url, status FROM hooks WHERE status = 'new'")
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		var h hook
		if err := rows.Scan(&h.ID, &h.URL, &h.Status); err != nil {
			return err
		}
		if err := s.Send(ctx, h); err != nil {
			return err
		}
		if _, err := db.ExecContext(ctx, "UPDATE hooks SET status = 'sent' WHERE id = $1", h.ID); err != nil { // want "two callers"
			return err
		}
	}
	return rows.Err()
}

// RenderAll makes the same of a row twice.
func RenderAll(ctx context.Context, db *sql.DB, s sender) error {
	rows, err := db.QueryContext(ctx, "SELECT id, url, status FROM hooks WHERE status = 'new'")
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		var h hook
		if err := rows.Scan(&h.ID, &h.URL, &h.Status); err != nil {
			return err
		}
		if err := s.Render(ctx, h); err != nil {
			return err
		}
		if _, err := db.ExecContext(ctx, "UPDATE hooks SET status = 'rendered' WHERE id = $1", h.ID); err != nil {
			return err
		}
	}
	return rows.Err()
}

// EnsureHook looks into a map by another key than the ids in it.
func EnsureHook(ctx context.Context, db *sql.DB, url string) (id int64, err error) {
	all, err := hooks(ctx, db)
	if err != nil {
		return 0, err
	}
	ids := map[string]int64{}
	for _, h := range all {
		ids[h.URL] = h.ID
	}
	if id, ok := ids[url]; ok {
		return id, nil
	}
	err = db.QueryRowContext(ctx, "INSERT INTO hooks (url, status) VALUES ($1, 'new') RETURNING id", url).Scan(&id) // want "two callers"
	return id, err
}

type line struct {
	SKU string
	N   int
}

// Order looks at all of a list, and then takes all of it.
func Order(ctx context.Context, db *sql.DB, lines []line) error {
	for _, l := range lines {
		var have int
		if err := db.QueryRowContext(ctx, "SELECT n FROM stock WHERE sku = $1", l.SKU).Scan(&have); err != nil {
			return err
		}
		if have < l.N {
			return errHook
		}
	}
	for _, l := range lines {
		if _, err := db.ExecContext(ctx, "UPDATE stock SET n = n - $1 WHERE sku = $2", l.N, l.SKU); err != nil { // want "two callers"
			return err
		}
	}
	return nil
}
