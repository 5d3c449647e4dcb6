// Package opened has handles that are named by the addresses they were opened on.
package opened

import (
	"context"
	"database/sql"
	"os"
)

var (
	main  = open("DATABASE_URL")
	query = open("DATABASE_REPLICA_URL")
	stats = open("STATS_URL")
)

func open(env string) *sql.DB {
	db, err := sql.Open("pgx", os.Getenv(env))
	if err != nil {
		panic(err)
	}
	return db
}

func deposit(ctx context.Context, id int64, n int) (balance int, err error) {
	if _, err := main.ExecContext(ctx, `UPDATE wallets SET balance = balance + $1 WHERE id = $2`, n, id); err != nil {
		return 0, err
	}
	err = query.QueryRowContext(ctx, `SELECT balance FROM wallets WHERE id = $1`, id).Scan(&balance) // want `wallets is read from a replica`
	return balance, err
}

func count(ctx context.Context, id int64) (n int, err error) {
	if _, err := main.ExecContext(ctx, `UPDATE visits SET n = n + 1 WHERE id = $1`, id); err != nil {
		return 0, err
	}
	err = stats.QueryRowContext(ctx, `SELECT n FROM visits WHERE id = $1`, id).Scan(&n)
	return n, err
}
