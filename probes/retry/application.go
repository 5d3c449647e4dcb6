package retry

import (
	"context"
	"fmt"
	"net/url"
	"os/exec"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/ccheck/ccheck/probes/actor/web"
	"github.com/ccheck/ccheck/probes/history"
	"github.com/ccheck/ccheck/probes/internal/app"
	"github.com/ccheck/ccheck/probes/pg"
	"github.com/ccheck/ccheck/probes/stub"
)

var _ Subject = (*Application)(nil)

// Script is SQL for the application's database.
type Script struct{ Name, Text string }

// Application is a subject that is started, and sent requests.
type Application struct {
	Command string
	Dir     string
	Port    int
	Env     []string // NAME=value; {{stub NAME}} is the URL of a stub
	Ready   string
	Actors  []*web.Actor
	Stubs   []stub.Options
	Seed    []Script
	Restore string // command line that brings back what is outside the database
	Timeout time.Duration

	admin  *pg.Conn
	app    *app.App
	stubs  []*stub.Server
	client *web.Client
}

// Prepare starts the stubs; the application makes its tables itself.
func (a *Application) Prepare(_ context.Context, admin *pg.Conn) error {
	a.admin, a.client = admin, web.NewClient(a.Timeout)
	for _, o := range a.Stubs {
		s, err := stub.Start(o)
		if err != nil {
			return err
		}
		a.stubs = append(a.stubs, s)
	}
	return nil
}

// Open starts the application with the proxy as its database, and runs the seed
// scripts once it answers.
func (a *Application) Open(ctx context.Context, through *pgconn.Config) ([]Caller, error) {
	u := url.URL{
		Scheme: "postgres", User: url.UserPassword(through.User, through.Password),
		Host: through.Host + ":" + strconv.Itoa(int(through.Port)), Path: "/" + through.Database, RawQuery: "sslmode=disable",
	}
	var err error
	if a.app, err = app.Start(ctx, app.Options{
		Command: a.Command, Dir: a.Dir, Database: u.String(), Port: a.Port, Env: a.environment(), Ready: a.Ready,
	}); err != nil {
		return nil, err
	}
	for _, s := range a.Seed {
		if _, err := a.admin.Ask(s.Text); err != nil {
			return nil, &SeedError{s.Name, err}
		}
	}
	var list []Caller
	for _, actor := range a.Actors {
		list = append(list, Caller{
			Actor: history.Actor{Name: actor.Name, HTTP: actor.Requests[len(actor.Requests)-1].String()},
			Call:  func(ctx context.Context) Ending { return a.call(ctx, actor) },
		})
	}
	return list, nil
}

func (a *Application) environment() []string {
	var env []string
	for _, e := range a.Env {
		for _, s := range a.stubs {
			e = strings.ReplaceAll(e, "{{stub "+s.Name+"}}", s.URL())
		}
		env = append(env, e)
	}
	return env
}

// call sends the request. Without an answer nobody knows what it did.
func (a *Application) call(ctx context.Context, actor *web.Actor) Ending {
	answer, err := a.client.Call(ctx, actor, 1)
	if err != nil {
		if how := a.app.Ended(); how != "" {
			err = fmt.Errorf("the application ended (%s): %w; the end of its output:\n%s", how, err, a.app.Tail())
		}
		return Ending{Outcome: history.Unknown, Tries: 1, Err: err}
	}
	end := Ending{Outcome: answer.Outcome, Tries: 1, Vars: answer.Fields[:min(len(answer.Fields), 5)]}
	if answer.Outcome == history.Failed {
		end.Err = fmt.Errorf("status %d", answer.Status)
	}
	return end
}

// Effects are the calls of the stubs.
func (a *Application) Effects() []Effect {
	var list []Effect
	for _, s := range a.stubs {
		for _, c := range s.Counts() {
			list = append(list, Effect{Name: s.Name, Key: c.Key, Calls: c.Calls})
		}
	}
	return list
}

// Reset forgets the calls of the stubs and runs the user's own command.
func (a *Application) Reset(ctx context.Context) error {
	for _, s := range a.stubs {
		s.Reset()
	}
	if a.Restore == "" {
		return nil
	}
	if out, err := exec.CommandContext(ctx, "/bin/sh", "-c", a.Restore).CombinedOutput(); err != nil {
		return fmt.Errorf("the reset command: %w: %s", err, strings.TrimSpace(string(out)))
	}
	return nil
}

// Close ends the application and the stubs.
func (a *Application) Close() {
	if a.app != nil {
		a.app.Stop()
	}
	for _, s := range a.stubs {
		s.Close()
	}
	if a.client != nil {
		a.client.Close()
	}
}

// SeedError is an error in a seed script.
type SeedError struct {
	Name string
	Err  error
}

func (e *SeedError) Error() string { return fmt.Sprintf("%s: %v", e.Name, e.Err) }

func (e *SeedError) Unwrap() error { return e.Err }

// Errors of the application's process.
type (
	// NotReadyError says that the application did not get ready.
	NotReadyError = app.NotReadyError
	// PortError says that another program has the port of the application.
	PortError = app.PortError
)
