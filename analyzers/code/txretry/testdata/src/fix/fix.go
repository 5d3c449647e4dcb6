// Package fix has assertions that can be rewritten.
package fix

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/lib/pq"
)

var errGone = errors.New("gone")

func retryable(err error) bool {
	pe, ok := err.(*pq.Error) // want "type assertion"
	return ok && pe.Code == "40001"
}

func inIf(err error) bool {
	if pe, ok := err.(*pq.Error); ok { // want "type assertion"
		return pe.Code == "40P01"
	}
	return false
}

func Run(ctx context.Context, db *sql.DB) error {
	for {
		_, err := db.ExecContext(ctx, "UPDATE a SET n = n + 1")
		if err != nil {
			err = fmt.Errorf("raising n: %w", err)
		}
		if !retryable(err) && !inIf(err) {
			return errors.Join(err, errGone)
		}
	}
}
