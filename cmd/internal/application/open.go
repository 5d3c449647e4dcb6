package application

import (
	"context"
	"errors"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/ccheck/ccheck/cmd/internal/exit"
	"github.com/ccheck/ccheck/cmd/internal/place"
	"github.com/ccheck/ccheck/cmd/internal/stdio"
	"github.com/ccheck/ccheck/probes/actor/web"
	"github.com/ccheck/ccheck/probes/explore"
	"github.com/ccheck/ccheck/probes/explore/service"
	"github.com/ccheck/ccheck/probes/history"
	"github.com/ccheck/ccheck/probes/pg"
)

// connections is room for pools of the application.
const connections = 200

// Schema is where an application's tables are by default.
const Schema = "public"

// appDatabase is the database of the application on the throw-away server. The
// server ends a deadlock there soon, but not sooner than ccheck takes to see that
// all lanes wait, or a schedule would go another way.
const appDatabase, appDeadlocks = "app", "100ms"

// Database makes the database of the application, with what the user's has in
// it when --dsn names one.
func (a *Flags) Database(ctx context.Context, s *stdio.Streams, f *place.Flags, server *place.Place) (*place.Place, error) {
	p, err := server.Database(ctx, appDatabase, appDeadlocks)
	if err != nil {
		return nil, exit.Failedf("making a database for the application: %w", err)
	}
	if f.Target.Flagged() {
		from, err := f.Target.Parse(s)
		if err != nil {
			return nil, err
		}
		if err := p.Copy(ctx, from); err != nil {
			return nil, err
		}
	}
	if a.Super {
		return p, nil
	}
	if err := p.Owner(ctx); err != nil {
		return nil, exit.Failedf("%w", err).WithHint("--app-superuser does without that role")
	}
	return p, nil
}

// Options are those of the service in that database, as the flags say.
func (a *Flags) Options(s *stdio.Streams, p *place.Place) (service.Options, error) {
	seeds, err := a.Seeds()
	if err != nil {
		return service.Options{}, err
	}
	config := func() *pgconn.Config {
		cfg := p.Target.Config(place.NewRun(), p.Limits)
		cfg.RuntimeParams["search_path"] = Schema
		return cfg
	}
	return service.Options{
		Config: config, User: p.Role.User, Password: p.Role.Password, Tables: func(ctx context.Context) ([]history.Table, error) { return tablesOf(ctx, p, config()) },
		Listen: a.Listen, Command: a.App, Dir: a.Dir, Port: a.Port, Env: a.environment(), Ready: a.Ready,
		Actors: a.Actors, Commands: a.Commands, Stubs: a.StubList, Seed: seeds, Restart: a.Restart, Reset: a.Reset,
		Mask: history.NewMask(a.Masked), Apart: a.Running, Timeout: a.Timeout, Say: func(text string) { s.Sayf("%s", text) },
	}, nil
}

func tablesOf(ctx context.Context, p *place.Place, cfg *pgconn.Config) ([]history.Table, error) {
	conn, err := pgconn.ConnectConfig(ctx, cfg)
	if err != nil {
		return nil, p.Target.Explain(err)
	}
	defer conn.Close(context.WithoutCancel(ctx))
	return p.Target.Tables(ctx, conn, Schema)
}

// Explain tells an error of the application or its requests as the user should
// see it, and reports whether it is one. between is that of Register.
func Explain(p *place.Place, err error, between string) (error, bool) {
	var script *service.ScriptError
	var stateful *service.StatefulError
	var ended *service.EndedError
	var lost *pg.LostError
	is := func(target any) bool { return errors.As(err, target) }
	switch {
	case is(new(*exit.Error)), errors.Is(err, context.Canceled):
		return err, true
	case is(&script) && denied(err):
		return exit.Usagef("--seed-sql %v", err).WithHint("it runs as the application, which owns the database and is no superuser; --app-superuser makes it one"), true
	case is(&script):
		return exit.Usagef("--seed-sql %v", err).WithHint("it runs when the application is ready, in the database that it uses"), true
	case is(new(*service.NotReadyError)) && strings.Contains(err.Error(), "permission denied"):
		return exit.Failedf("%w", err).WithHint("it owns its database and is no superuser, as in production; --app-superuser makes it one"), true
	case is(new(*service.NotReadyError)):
		return exit.Failedf("%w", err).WithHint("it is given DATABASE_URL, PG* and PORT; --ready names a URL that it answers, --env sets more"), true
	case is(new(*service.PortError)):
		return exit.Failedf("%w", err).WithHint("end that program, or give the application another port with --port and in --curl"), true
	case is(new(*service.AloneError)):
		return exit.Failedf("%w", err).WithHint("send it what it accepts: check --curl, and give it rows with --seed-sql"), true
	case is(&stateful):
		e := exit.Failedf("%w", err)
		e.Code = exit.Unknown
		return e.WithHint("--restart-between starts it again %s; --reset-cmd clears a cache outside of it", between), true
	case is(new(*explore.UnsteadyError)):
		e := exit.Failedf("%w", err)
		e.Code = exit.Unknown
		return e.WithHint("something beside the database decides: chance, the clock, another store, or what the application remembers; take it out, or bring it back with --reset-cmd or --restart-between"), true
	case is(new(*service.SilentError)):
		return exit.Failedf("%w", err).WithHint("the application must take its database from DATABASE_URL or PG*"), true
	case is(&ended):
		return exit.Failedf("%w", err).WithHint("what was recorded before can be read; an application that ends under load has a fault of its own"), true
	case is(new(*web.NotOfferedError)):
		return exit.Usagef("--http2: %w", err).WithHint("leave --http2 out; without TLS the application must speak it from the first byte (h2c)"), true
	case is(new(*web.TooManyError)):
		return exit.Failedf("%w", err).WithHint("use fewer clients: --clients 8"), true
	case is(new(*web.LostError)):
		return exit.Failedf("%w", err).WithHint("does it still run, and take as many connections as there are clients? --request-timeout gives it longer"), true
	case is(new(*service.AbsentError)):
		return exit.Failedf("%w", err).WithHint("start the application first, name what it answers with --ready, or let ccheck start it with --app"), true
	case is(&lost):
		return p.Target.Explain(err), true
	case is(new(*explore.TooLargeError)):
		return exit.Usagef("%w", err).WithHint("make the rows fewer, which is faster and finds the same, or raise --max-rows"), true
	}
	return err, false
}

// denied reports whether the server refused what a superuser may do.
func denied(err error) bool {
	var e *pgconn.PgError
	return errors.As(err, &e) && e.Code == "42501" // insufficient_privilege
}
