// Package exec has the types that the analyzers look for.
package exec

import (
	"context"
	"database/sql"
)

type QueryExecutor struct{}

func (q QueryExecutor) ExecContext(ctx context.Context) (sql.Result, error) { return nil, nil }
