package shapes

import (
	"context"
	"database/sql"
	"fmt"

	"github.com/lib/pq"
)

func unimported(err error) bool {
	e, ok := err.(*pq.Error) // want "type assertion"
	return ok && e.Code == "40001"
}

func RunAgain(ctx context.Context, db *sql.DB) error {
	for n := 0; ; n++ {
		_, err := db.ExecContext(ctx, "UPDATE a SET n = n + 1")
		if err != nil {
			err = fmt.Errorf("raising n: %w", err)
		}
		if !unimported(err) {
			return err
		}
	}
}
