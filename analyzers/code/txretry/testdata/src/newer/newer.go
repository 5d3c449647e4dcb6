//go:build go1.26

package newer

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/lib/pq"
)

func a(err error) bool {
	e, isPq := err.(*pq.Error) // want "type assertion"
	if !isPq {
		return false
	}
	return e.Code == "40001" || e.Code == "40P01"
}

func b(err any) bool {
	e, ok := err.(*pq.Error)
	return ok && e.Code == "40001"
}

func c(err error) (ok bool) {
	var e *pq.Error
	e, ok = err.(*pq.Error) // want "type assertion"
	return ok && e.Code == "40001"
}

// d has another thing by the name of the package.
func d(err error) bool {
	errors := 3
	e, ok := err.(*pq.Error) // want "type assertion"
	return ok && errors > 2 && e.Code == "40001"
}

func e(err error) bool {
	x, ok := errors.Unwrap(err).(*pq.Error) // the one within // want "type assertion"
	return ok && x.Code == "40001"
}

func f(err error) bool {
	x, ok := err.(interface{ SQLState() string })
	return ok && x.SQLState() == "40001"
}

func g(err error) bool {
	switch x := err.(type) {
	case *pq.Error: // want "type assertion"
		return x.Code == "40001"
	}
	return false
}

func h(err error) bool {
	_, ok := err.(*pq.Error)
	return ok
}

func i(err error) bool {
	x, ok := (err).( /* the driver's */ *pq.Error) // want "type assertion"
	return ok && x.Code == "40001"
}

func Run(ctx context.Context, db *sql.DB) error {
	for n := 0; ; n++ {
		_, err := db.ExecContext(ctx, "UPDATE a SET n = n + 1")
		if err != nil {
			err = fmt.Errorf("raising n: %w", err)
		}
		if !a(err) && !b(err) && !c(err) && !d(err) && !e(err) && !f(err) && !g(err) && !h(err) && !i(err) || n > 3 {
			return err
		}
	}
}
