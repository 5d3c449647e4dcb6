package target

import (
	"context"
	"slices"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
)

// Intent is what a run would do, as its command line has it.
type Intent struct {
	Scenario     string
	Clients      int
	Duration     time.Duration // 0 when limited by Transactions
	Transactions int64         // calls of each lane; 0 when limited by Duration
	Rows         int64         // rows that the set-up is expected to write; 0 unknown
	Setup        []string      // statements that are run once
	Work         []string      // statements that the lanes repeat
	Raised       int           // value of --max-connections, 0 for none
}

// Plan is what would happen, for a person to read before it does (--plan).
// Reasons and Cap speak first: a plan that the rails refuse is still shown.
type Plan struct {
	Intent
	Target     string // host:port/database as user (sslmode)
	Server     string // "PostgreSQL 15.18"
	Schema     string
	Statements []string // everything that would be sent, in order
	Limits     []string // the settings of every session
	Facts      Facts
	Reasons    []string // why the rails would refuse, empty when they would not
	Cap        string   // why so many clients would be refused, empty when they would not
	Leftovers  []Orphan // sandboxes of earlier runs
	Warnings   []string
}

// Plan looks at the server through READ ONLY transactions and puts together what
// a run would do. It sends nothing that writes: the statements of the sandbox
// are the very texts that CreateSandbox and Drop send.
func (t *Target) Plan(ctx context.Context, conn *pgconn.PgConn, run Run, set Settings, in Intent) (Plan, error) {
	f, err := t.Inspect(ctx, conn)
	if err != nil {
		return Plan{}, err
	}
	p := Plan{Intent: in, Target: t.String(), Server: "PostgreSQL " + f.Version, Schema: run.Schema(), Facts: f, Reasons: f.Reasons()}
	if _, err := f.ConnectionCap(in.Clients, in.Raised); err != nil {
		p.Cap = err.Error()
	}
	err = readOnly(ctx, conn, func() error {
		p.Leftovers, err = t.Orphans(ctx, conn)
		return err
	})
	if err != nil {
		return Plan{}, t.Explain(err)
	}
	p.Statements = slices.Concat(createSQL(run), in.Setup, in.Work, []string{dropSQL(run)})
	p.Limits = set.lines(run, f.Number)
	p.Warnings = slices.Clone(t.Warnings)
	return p, nil
}
