package sqlcheckact_test

import (
	"testing"

	"github.com/ccheck/ccheck/analyzers/code/sqlcheckact"
	"github.com/ccheck/ccheck/analyzers/internal/stmttest"
)

func Test(t *testing.T) {
	stmttest.Run(t, sqlcheckact.Analyzer, "faulty", "guarded", "more", "builders", "settled", "settled/cli", "unsettled")
}

func TestEdits(t *testing.T) {
	stmttest.RunWithSuggestedFixes(t, sqlcheckact.Analyzer, "mended", "shapes", "asked")
}

// The check and the act meet in a service that knows its storage by an interface.
func TestLinked(t *testing.T) {
	stmttest.Linked(t, sqlcheckact.Pairing, "layers/repo", "layers/svc")
}

// Each guard is the reason for the silence: without it there is a report.
func TestGuards(t *testing.T) {
	stmttest.Mutants(t, sqlcheckact.Analyzer, "guarded", []stmttest.Mutant{
		{"row lock", "SELECT balance FROM accounts WHERE id = $1 FOR UPDATE", "SELECT balance FROM accounts WHERE id = $1"},
		{"unique violation handled", `if errors.As(err, &pe) && pe.Code == "23505" {`, `if pe != nil {`},
		{"gorm's lock", `tx.Clauses(clause.Locking{Strength: "UPDATE"})`, `tx.Clauses(clause.Locking{Strength: "SHARE"})`},
		{"lock on the parent", "SELECT 1 FROM rooms WHERE id = $1 FOR UPDATE", "SELECT 1 FROM rooms WHERE id = $1"},
		{"advisory lock", "SELECT pg_advisory_xact_lock(hashtext($1))", "SELECT hashtext($1)"},
		{"condition on the state", " AND status = $3", " AND $3 <> ''"},
		{"on conflict", " ON CONFLICT (mail) DO NOTHING", ""},
		{"serializable", "pgx.TxOptions{IsoLevel: pgx.Serializable}", "pgx.TxOptions{}"},
		{"version", " AND version = $3", " AND $3 > 0"},
		{"mutex", "s.mu.Lock()", "s.mu.TryLock()"},
		{"row of one's own", `INSERT INTO drafts (title) VALUES ($1) RETURNING id`, `SELECT id FROM drafts WHERE title = $1`},
	})
}

// So is each part of what makes a second write do no harm.
func TestSettled(t *testing.T) {
	stmttest.Mutants(t, sqlcheckact.Analyzer, "settled", []stmttest.Mutant{
		{"lock over the second look", "SELECT 1 FROM readers WHERE id = $1 FOR UPDATE", "SELECT 1 FROM readers WHERE id = $1"},
		{"one post", "user, b)\n", "user, a)\n"},
		{"nothing else hangs on it", "s.q.Send(ctx, \"hidden\")", "s.q.SendMail(ctx, \"hidden\")"},
		{"found to be so already", "writer, hidden)", "writer, 11)"},
		{"goes on in the same way", "if p.status == 0 {", "if p.status != 0 {\n\t\treturn errors.New(\"seen\")\n\t} else {"},
	})
}
