package more

import (
	"context"
	"errors"
	"fmt"
)

// An upsert that replaces a sum by one that was computed from an earlier read.
func give(ctx context.Context, address string, coins int64) error {
	var given int64
	if err := db.QueryRowContext(ctx, "SELECT given FROM faucet WHERE address = $1", address).Scan(&given); err != nil {
		return err
	}
	_, err := db.ExecContext(ctx, "INSERT INTO faucet (address, given) VALUES ($1, $2) ON CONFLICT (address) DO UPDATE SET given = EXCLUDED.given", address, given+coins) // want "given of faucet is set to a value computed from an earlier read"
	return err
}

func giveInStatement(ctx context.Context, address string, coins int64) error {
	var given int64
	if err := db.QueryRowContext(ctx, "SELECT given FROM faucet WHERE address = $1", address).Scan(&given); err != nil {
		return err
	}
	fmt.Println("given before", given)
	_, err := db.ExecContext(ctx, `INSERT INTO faucet (address, given) VALUES ($1, $2)
		ON CONFLICT (address) DO UPDATE SET given = faucet.given + EXCLUDED.given`, address, coins)
	return err
}

// A runner takes four jobs: the count is asked, and a job moved into it.
func assign(ctx context.Context, job, runner int64) error {
	var n int
	if err := db.QueryRowContext(ctx, "SELECT count(*) FROM work WHERE runner = $1", runner).Scan(&n); err != nil {
		return err
	}
	if n >= 4 {
		return errors.New("busy")
	}
	_, err := db.ExecContext(ctx, "UPDATE work SET runner = $1 WHERE id = $2", runner, job) // want "work is written because of a count or sum"
	return err
}

func assignElsewhere(ctx context.Context, job, runner, other int64) error {
	var n int
	if err := db.QueryRowContext(ctx, "SELECT count(*) FROM work WHERE runner = $1", runner).Scan(&n); err != nil {
		return err
	}
	if n >= 4 {
		return errors.New("busy")
	}
	_, err := db.ExecContext(ctx, "UPDATE work SET runner = $1 WHERE id = $2", other, job)
	return err
}

func taken(ctx context.Context, slug string) (n int) {
	_ = db.QueryRowContext(ctx, "SELECT count(*) FROM pages WHERE slug = $1", slug).Scan(&n)
	return n
}

// A loop looks for a name that is free.
func publish(ctx context.Context, slug string) error {
	name := slug
	for i := 2; taken(ctx, name) > 0; i++ {
		name = fmt.Sprint(slug, i)
	}
	_, err := db.ExecContext(ctx, "INSERT INTO pages (slug) VALUES ($1)", name) // want "a row of pages is inserted because none was found"
	return err
}

func publishAnyway(ctx context.Context, slug string) error {
	name := slug
	for i := 2; taken(ctx, name) > 0; i++ {
		name = fmt.Sprint(slug, i)
	}
	_, err := db.ExecContext(ctx, "INSERT INTO pages (slug) VALUES ($1) ON CONFLICT DO NOTHING", name)
	return err
}

// meter has the name of its table from a configuration.
type meter struct{ table string }

func (m *meter) use(ctx context.Context, key string, cost int) error {
	var left int
	if err := db.QueryRowContext(ctx, fmt.Sprintf("SELECT units FROM %s WHERE api_key = $1", m.table), key).Scan(&left); err != nil {
		return err
	}
	if left < cost {
		return errors.New("out of units")
	}
	_, err := db.ExecContext(ctx, fmt.Sprintf("UPDATE %s SET units = $1 WHERE api_key = $2", m.table), left-cost, key) // want "units of meter_table is set to a value computed"
	return err
}
