package target

import (
	"context"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/ccheck/ccheck/probes/server/postgres"
)

// State is the result of one check.
type State string

// The states. Bad means that a run could not start or would be refused.
const (
	OK   State = "ok"
	Warn State = "warn"
	Bad  State = "bad"
)

// Check is one line of ccheck doctor.
type Check struct {
	Name  string
	State State
	Text  string
	Mend  string // empty when nothing has to be done
}

// Doctor looks at this machine and, unless t is nil, at the server: whether a
// run could start there and whether its verdict and figures could be trusted.
// It writes nothing. What cannot be looked at is a bad check, not an error.
func Doctor(ctx context.Context, t *Target, run Run, set Settings) []Check {
	list := []Check{binaries(ctx)}
	if t == nil {
		return list
	}
	conn, err := t.Connect(ctx, run, set)
	if err != nil {
		return append(list, broken("connection", t.Explain(err)))
	}
	defer conn.Close(context.WithoutCancel(ctx))
	list = append(list, Check{Name: "connection", State: OK, Text: t.String()})
	for _, w := range t.warnings() {
		list = append(list, Check{Name: "connection", State: Warn, Text: w})
	}
	for _, look := range []func(context.Context, *pgconn.PgConn, Settings) ([]Check, error){t.checkServer, t.checkSettings, t.checkLeftovers} {
		checks, err := look(ctx, conn, set)
		if err != nil {
			return append(list, broken("catalogue", t.Explain(err)))
		}
		list = append(list, checks...)
	}
	return list
}

func broken(name string, e *Error) Check {
	return Check{Name: name, State: Bad, Text: e.Msg, Mend: e.Hint}
}

func (t *Target) warnings() []string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.Warnings
}

// binaries looks for a server to start for demos and labs.
func binaries(ctx context.Context) Check {
	found, err := postgres.Find(ctx)
	switch {
	case err != nil:
		return Check{"server binaries", Warn, err.Error(), "correct or unset " + postgres.BinVar}
	case len(found) == 0:
		return Check{"server binaries", Warn, "no PostgreSQL server is installed here, so ccheck cannot start one without a download", "install PostgreSQL, or set " + postgres.BinVar}
	}
	return Check{"server binaries", OK, fmt.Sprintf("PostgreSQL %s in %s", found[0].Version, found[0].Bin), ""}
}

func (t *Target) checkServer(ctx context.Context, conn *pgconn.PgConn, set Settings) ([]Check, error) {
	f, err := t.Inspect(ctx, conn)
	if err != nil {
		return nil, err
	}
	return []Check{checkVersion(f), checkRails(f), checkSchema(f), checkSlots(f), checkRole(f)}, nil
}

func checkVersion(f Facts) Check {
	text := "PostgreSQL " + f.Version
	if f.Number < 170000 {
		text += " (no transaction_timeout, which is there from 17 on)"
	}
	return Check{"version", OK, text, ""}
}

func checkRails(f Facts) Check {
	if err := Refuse(f, Override{}); err != nil {
		reasons := strings.Join(f.Reasons(), "; ")
		return Check{"safety rails", Bad, "a run would be refused: " + reasons, err.(*Error).Hint}
	}
	if f.Throwaway {
		return Check{"safety rails", OK, "none apply: ccheck started this server", ""}
	}
	if names := f.nameReasons(); f.Loopback && len(names) > 0 {
		return Check{"safety rails", Warn, "a run would not be refused on loopback, though " + strings.Join(names, "; "),
			"if this is a tunnel to production, or a database that others need, use another one"}
	}
	return Check{"safety rails", OK, fmt.Sprintf("%s, %.0f transactions per second of others, no replica",
		count(f.OtherClients, "other client", "other clients"), f.OtherRate), ""}
}

func checkSchema(f Facts) Check {
	if !f.CreateSchema {
		return Check{"rights", Bad, fmt.Sprintf("user %q may not create a schema in database %q", f.User, f.Database),
			fmt.Sprintf("GRANT CREATE ON DATABASE %s TO %s", ident(f.Database), ident(f.User))}
	}
	return Check{"rights", OK, "may create a schema of its own", ""}
}

func checkSlots(f Facts) Check {
	n, _ := f.ConnectionCap(0, 0)
	text := fmt.Sprintf("%d may be used (%d free, max_connections %d, %d reserved)", n, f.free(), f.MaxConnections, f.Reserved)
	if n < 2 {
		return Check{"connections", Bad, text, "close other clients, or raise max_connections"}
	}
	return Check{"connections", OK, text, ""}
}

func checkRole(f Facts) Check {
	if f.Superuser && !f.Throwaway {
		return Check{"role", Warn, fmt.Sprintf("%q is a superuser, whom row security and most limits do not bind", f.User),
			"use a role like the application's"}
	}
	return Check{"role", OK, fmt.Sprintf("%q", f.User), ""}
}

func (t *Target) checkLeftovers(ctx context.Context, conn *pgconn.PgConn, _ Settings) ([]Check, error) {
	orphans, err := t.Orphans(ctx, conn)
	if err != nil {
		return nil, err
	}
	var dead []string
	for _, o := range orphans {
		if !o.Alive {
			dead = append(dead, o.Schema)
		}
	}
	if len(dead) > 0 {
		return []Check{{"leftovers", Warn, "earlier runs left " + strings.Join(dead, ", "), "remove them with ccheck clean"}}, nil
	}
	return []Check{{"leftovers", OK, "none", ""}}, nil
}
