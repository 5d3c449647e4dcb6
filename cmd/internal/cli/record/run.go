package record

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/ccheck/ccheck/analyzers/rivals"
	"github.com/ccheck/ccheck/cmd/internal/build"
	"github.com/ccheck/ccheck/cmd/internal/exit"
	"github.com/ccheck/ccheck/cmd/internal/pairing"
	"github.com/ccheck/ccheck/cmd/internal/place"
	"github.com/ccheck/ccheck/probes/explore/service"
	"github.com/ccheck/ccheck/probes/record"
	"github.com/ccheck/ccheck/probes/record/tape"
	"github.com/ccheck/ccheck/probes/target"
)

// connections is room for the pools of the application.
const connections = 200

// run records until the context ends, or the command that uses the application.
func run(ctx context.Context, o *Options) error {
	seeds, err := o.seeds()
	if err != nil {
		return err
	}
	db, err := o.database(ctx)
	if err != nil {
		return err
	}
	defer db.leave()
	r, err := record.Open(ctx, record.Options{
		Version: build.Version(), Path: o.Tape, Limit: int64(o.Limit) << 20, App: o.URL, Listen: o.Listen, Database: o.Proxy,
		Upstream: db.login, Command: o.App, Dir: o.Dir, Env: o.Env, Ready: o.Ready, Mask: o.Mask, Columns: rivals.Columns,
	})
	if err != nil {
		return explain(err)
	}
	err = o.during(ctx, r, db, seeds)
	counts := r.Counts()
	end, closeErr := r.Close()
	if err := errors.Join(err, closeErr); err != nil {
		return explain(err)
	}
	return o.told(end, counts)
}

// seeds reads the files of --seed-sql.
func (o *Options) seeds() ([]service.Script, error) {
	var list []service.Script
	for _, name := range o.Seed {
		b, err := os.ReadFile(name)
		if err != nil {
			return nil, exit.Usagef("--seed-sql: %w", err).WithHint("name a file with SQL that is there")
		}
		list = append(list, service.Script{Name: name, Text: string(b)})
	}
	if len(list) > 0 && (o.Live || o.HTTP) {
		return nil, exit.Usagef("--seed-sql fills the throw-away server, and none is started").WithHint("leave it out")
	}
	return list, nil
}

// database is what the application works on. login is how it does, nil where
// HTTP alone is recorded; super may do more, for the seed.
type database struct {
	login, super *pgconn.Config
	leave        func()
}

// database is a throw-away one, with what the user's has in it, or the user's
// itself.
func (o *Options) database(ctx context.Context) (*database, error) {
	switch {
	case o.HTTP:
		return &database{leave: func() {}}, nil
	case o.Live:
		t, err := o.Place.Target.Parse(o.Streams)
		if err != nil {
			return nil, err
		}
		return &database{login: t.Config(place.NewRun(), target.DefaultSettings()), leave: func() {}}, nil
	}
	own := o.Place
	own.Throwaway = true
	p, err := own.Open(ctx, o.Streams, connections)
	if err != nil {
		return nil, err
	}
	db, err := o.copied(ctx, p)
	if err != nil {
		p.Close(ctx)
		return nil, err
	}
	return db, nil
}

// copied is a database on the throw-away server.
func (o *Options) copied(ctx context.Context, p *place.Place) (*database, error) {
	db, err := p.Database(ctx, "app", "1s")
	if err != nil {
		return nil, err
	}
	if o.Place.Target.Flagged() {
		from, err := o.Place.Target.Parse(o.Streams)
		if err != nil {
			return nil, err
		}
		if err := db.Copy(ctx, from); err != nil {
			return nil, err
		}
	}
	super := db.Target.Config(place.NewRun(), db.Limits)
	super.RuntimeParams["search_path"] = "public" // where an application's tables are, for --seed-sql
	login := super.Copy()
	if !o.Super {
		if err := db.Owner(ctx); err != nil {
			return nil, exit.Failedf("%w", err).WithHint("--app-superuser does without that role")
		}
		login.User, login.Password = db.Role.User, db.Role.Password
	}
	return &database{login: login, super: super, leave: func() { p.Close(ctx) }}, nil
}

// during says where to go, and waits for the end.
func (o *Options) during(ctx context.Context, r *record.Recorder, db *database, seeds []service.Script) error {
	for _, script := range seeds {
		err := script.Run(ctx, db.super, db.login)
		if errors.As(err, new(*service.ScriptError)) {
			return exit.Usagef("--seed-sql %v", err).WithHint("it runs when the application is ready, in the database and as the user that it has")
		}
		if err != nil {
			return err
		}
	}
	s := o.Streams
	if o.App == "" && r.DSN() != "" {
		s.Sayf("start the application with DATABASE_URL=%s", r.DSN())
	}
	s.Sayf("use the application at %s", r.URL())
	if len(o.Traffic) > 0 {
		return o.traffic(ctx, r)
	}
	s.Sayf("recording to %s; Ctrl-C ends it", o.Tape)
	for ctx.Err() == nil {
		if how := r.Ended(); how != "" {
			s.Warnf("the application ended by itself (%s)", how)
			return nil
		}
		select {
		case <-ctx.Done():
		case <-time.After(200 * time.Millisecond):
		}
	}
	return nil
}

// traffic runs the command that uses the application. How it ends is told and
// decides nothing: the tape has what it did until then.
func (o *Options) traffic(ctx context.Context, r *record.Recorder) error {
	cmd := exec.CommandContext(ctx, o.Traffic[0], o.Traffic[1:]...)
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = 5 * time.Second
	cmd.Stdin, cmd.Stdout, cmd.Stderr = o.Streams.In, o.Streams.Err, o.Streams.Err
	cmd.Env = append(os.Environ(), "CCHECK_APP="+r.URL())
	if dsn := r.DSN(); dsn != "" {
		cmd.Env = append(cmd.Env, "DATABASE_URL="+dsn)
	}
	err := cmd.Run()
	var ended *exec.ExitError
	switch {
	case err == nil || ctx.Err() != nil:
		return nil
	case errors.As(err, &ended):
		o.Streams.Warnf("%s ended with %s; the tape has what it did until then", o.Traffic[0], ended)
		return nil
	}
	return exit.Usagef("%s: %w", o.Traffic[0], err).WithHint("name a program that uses the application, with its arguments")
}

// told is the result: what is on the tape.
func (o *Options) told(end tape.End, c record.Counts) error {
	t, err := tape.Open(o.Tape)
	if err != nil {
		return exit.Failedf("reading the tape back: %w", err)
	}
	switch {
	case c.Requests == 0:
		e := exit.Failedf("no request came, so there is nothing on the tape")
		e.Code = exit.Unknown
		return e.WithHint("use the application at the address that is printed, not at its own")
	case !o.HTTP && !c.Connected:
		e := exit.Failedf("the application has not connected to the proxy, so there is no statement on the tape")
		e.Code = exit.Unknown
		return e.WithHint("it must take its database from DATABASE_URL or PG*; --http-only records requests alone")
	}
	kinds := pairing.Kinds(t)
	risky := 0
	for _, p := range pairing.Pairs(t, kinds) {
		if p.Risk >= rivals.Medium {
			risky++
		}
	}
	fmt.Fprintf(o.Streams.Out, "%s: %s of %s, %s%s; %s could get in each other's way\n", o.Tape, count(end.Requests, "request"),
		count(len(kinds), "kind"), count(end.Statements, "statement"), unsure(t), count(risky, "pair"))
	if end.Dropped > 0 {
		o.Streams.Warnf("%s did not fit on the tape; --limit makes it longer", count(end.Dropped, "line"))
	}
	o.Streams.Sayf("next: %s", o.next())
	return nil
}

// unsure tells how many statements could be of several requests.
func unsure(t *tape.Tape) string {
	n := 0
	for _, s := range t.Statements {
		if len(s.Of) > 1 {
			n++
		}
	}
	if n == 0 {
		return ""
	}
	return fmt.Sprintf(" (%d could be of several requests)", n)
}

// next is the command that explores the tape.
func (o *Options) next() string {
	words := []string{"ccheck explore", o.Tape}
	add := func(flag, value string) {
		if value != "" {
			words = append(words, flag, "'"+value+"'")
		}
	}
	add("--app", o.App)
	add("--app-dir", o.Dir)
	for _, name := range o.Seed {
		add("--seed-sql", name)
	}
	if o.Place.Target.Flagged() && !strings.Contains(o.Place.Target.DSN, "://") {
		add("--dsn", o.Place.Target.DSN)
		add("--dsn-file", o.Place.Target.DSNFile)
	}
	return strings.Join(words, " ")
}

func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// explain tells an error as the user should see it.
func explain(err error) error {
	var port *service.PortError
	switch {
	case errors.As(err, new(*exit.Error)), errors.Is(err, context.Canceled):
		return err
	case errors.As(err, new(*service.NotReadyError)):
		return exit.Failedf("%w", err).WithHint("it is given DATABASE_URL, PG* and PORT; --ready names a URL that it answers, --env sets more")
	case errors.As(err, &port):
		return exit.Failedf("%w", err).WithHint("end that program, or give the application another port with --port")
	}
	return exit.Failedf("%w", err)
}
