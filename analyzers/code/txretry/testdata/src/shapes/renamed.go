package shapes

import (
	"context"
	"database/sql"
	stderrors "errors"
	"fmt"

	driver "github.com/lib/pq"
)

var errX = stderrors.New("x")

func renamed(err error) bool {
	e, ok := err.(*driver.Error) // want "type assertion"
	return ok && e.Code == "40001"
}

func RunRenamed(ctx context.Context, db *sql.DB) error {
	for n := 0; ; n++ {
		_, err := db.ExecContext(ctx, "UPDATE a SET n = n + 1")
		if err != nil {
			err = fmt.Errorf("raising n: %w", err)
		}
		if !renamed(err) {
			return stderrors.Join(errX, err)
		}
	}
}
