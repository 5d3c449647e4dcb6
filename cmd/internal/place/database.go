package place

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/ccheck/ccheck/cmd/internal/exit"
	"github.com/ccheck/ccheck/probes/target"
)

// Database makes a database on the throw-away server, whose deadlocks end after
// that time.
func (p *Place) Database(ctx context.Context, name, deadlocks string) (*Place, error) {
	conn, err := pgconn.ConnectConfig(ctx, p.Server.Config())
	if err != nil {
		return nil, err
	}
	defer conn.Close(context.WithoutCancel(ctx))
	for _, sql := range []string{"create database " + name, fmt.Sprintf("alter database %s set deadlock_timeout = '%s'", name, deadlocks)} {
		if _, err := conn.Exec(ctx, sql).ReadAll(); err != nil {
			return nil, err
		}
	}
	u, err := url.Parse(p.Server.DSN())
	if err != nil {
		return nil, errors.New("the throw-away server has no URL")
	}
	u.Path = name
	own := *p
	own.Target, err = target.Parse(target.Source{DSN: u.String(), DSNGiven: true, Throwaway: true, Env: func(string) string { return "" }})
	return &own, err
}

// Copy copies the schema and the rows of a database of the user's into this
// one, by way of pg_dump: the user's is read and nothing else.
func (p *Place) Copy(ctx context.Context, from *target.Target) error {
	p.streams.Sayf("copying %s to the throw-away server", from.Address())
	bin := p.Server.Install().Bin
	dump := exec.CommandContext(ctx, filepath.Join(bin, "pg_dump"), "--no-owner", "--no-privileges", "--no-publications", "--no-subscriptions")
	dump.Env = libpq(from.Config(NewRun(), p.Limits))
	load := exec.CommandContext(ctx, filepath.Join(bin, "psql"), "--no-psqlrc", "--quiet", "--set", "ON_ERROR_STOP=1", "--output", os.DevNull)
	// Objects of the first superuser could not be given to another role.
	if err := p.lend(ctx); err != nil {
		return err
	}
	load.Env = append(libpq(p.Target.Config(NewRun(), p.Limits)), "PGOPTIONS=-c role="+loader)
	return pipe(dump, load, from.Address())
}

// pipe runs both commands and tells which of them went wrong.
func pipe(dump, load *exec.Cmd, name string) error {
	var dumpErr, loadErr bytes.Buffer
	dump.Stderr, load.Stderr = &dumpErr, &loadErr
	out, in := io.Pipe()
	dump.Stdout, load.Stdin = in, out
	if err := load.Start(); err != nil {
		return exit.Failedf("copying %s: %w", name, err)
	}
	runErr := dump.Run()
	_ = in.CloseWithError(runErr) // never fails
	waitErr := load.Wait()
	switch {
	case runErr != nil:
		return exit.Failedf("copying %s: %s", name, first(dumpErr.String(), runErr)).WithHint("pg_dump must be able to read it, and be no older than its server; or leave --dsn out, and give the rows with --seed-sql")
	case waitErr != nil:
		return exit.Failedf("copying %s to the throw-away server: %s", name, first(loadErr.String(), waitErr)).WithHint("an extension that is not installed here? Leave --dsn out, and give the rows with --seed-sql")
	}
	return nil
}

// first is the first line of what a command complained about.
func first(text string, err error) string {
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	if line == "" {
		return err.Error()
	}
	return line
}

// libpq is the environment that leads PostgreSQL's programs to a server.
func libpq(cfg *pgconn.Config) []string {
	mode := "disable"
	switch {
	case cfg.TLSConfig != nil && !cfg.TLSConfig.InsecureSkipVerify:
		mode = "verify-full"
	case cfg.TLSConfig != nil && len(cfg.Fallbacks) > 0:
		mode = "prefer"
	case cfg.TLSConfig != nil:
		mode = "require"
	}
	other := slices.DeleteFunc(os.Environ(), func(e string) bool { return strings.HasPrefix(e, "PG") && !strings.HasPrefix(e, "PGSSL") })
	return append(other,
		"PGHOST="+cfg.Host, fmt.Sprintf("PGPORT=%d", cfg.Port), "PGUSER="+cfg.User, "PGPASSWORD="+cfg.Password,
		"PGDATABASE="+cfg.Database, "PGSSLMODE="+mode, "PGAPPNAME=ccheck",
	)
}
