package txretry

import (
	"slices"
	"strings"

	"github.com/ccheck/ccheck/analyzers/internal/flow"
)

// The driver of which the calls themselves tell, and its error; behind database/sql
// is any.
const (
	pgx    = "github.com/jackc/pgx/v5"
	native = pgx + "/pgconn.PgError"
)

// foreign finds the tests for a conflict that ask for the error of another driver
// than the one that runs the transaction: it is never found.
func foreign(s *flow.Summary) []flow.Found {
	if !slices.ContainsFunc(s.Asks, func(a flow.Ask) bool { return conflict.MatchString(a.Text) }) {
		return nil
	}
	if slices.ContainsFunc(s.Asks, func(a flow.Ask) bool { return strings.HasSuffix(a.Text, native) }) {
		return nil
	}
	for _, a := range s.Asks {
		if a.In == s.Name && otherDriver(a.Text) && slices.ContainsFunc(s.Others(), func(o *flow.Summary) bool { return runsOnPgx(o, a) }) {
			return []flow.Found{foreignStory(a)}
		}
	}
	return nil
}

func otherDriver(text string) bool {
	_, typ, ok := strings.Cut(text, " *")
	return ok && (strings.HasPrefix(text, "as ") || strings.HasPrefix(text, "assert ")) &&
		(typ == "github.com/lib/pq.Error" || typ == "github.com/jackc/pgconn.PgError" || typ == "github.com/jackc/pgx.PgError")
}

// runsOnPgx reports whether a function puts the question to an error of pgx, and no
// other one.
func runsOnPgx(o *flow.Summary, a flow.Ask) bool {
	asked := func(b flow.Ask) bool { return b.In == a.In && b.Text == a.Text && b.Event >= 0 }
	ours := func(b flow.Ask) bool {
		call := strings.TrimLeft(o.Events[b.Event].Call, "(*")
		return strings.HasPrefix(call, pgx+".") || strings.HasPrefix(call, pgx+"/pgxpool.")
	}
	return slices.ContainsFunc(o.Asks, func(b flow.Ask) bool { return asked(b) && ours(b) }) &&
		!slices.ContainsFunc(o.Asks, func(b flow.Ask) bool { return asked(b) && !ours(b) })
}
