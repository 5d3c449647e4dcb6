// Package app runs the application under test: a command line of its own
// process group, started with an environment that points it at ccheck's proxy,
// watched until it answers, and ended with everything that it has started, also
// when ccheck itself is killed.
//
// It knows neither the proxy nor the requests, and makes no judgement on the
// application but that it lives. Only probes and the commands import it.
package app

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/ccheck/ccheck/probes/internal/guard"
)

// Options say how an application is started.
type Options struct {
	// Command is a command line for sh.
	Command string
	Dir     string // "" is the current folder
	// Database is the URL of the proxy, with the password. It becomes
	// DATABASE_URL and the PG* variables.
	Database string
	Port     int      // becomes PORT; 0 sets none
	Env      []string // NAME=value, over everything else
	// Ready is a URL that is asked until anything answers; "" waits until the
	// port accepts a connection.
	Ready string
	// Limit bounds the wait; 0 is a minute.
	Limit time.Duration
}

const (
	defaultLimit = time.Minute
	stopLimit    = 5 * time.Second // between asking an application to end and ending it
	vacate       = time.Second     // see portFree
	pause        = 20 * time.Millisecond
)

// App is an application that runs.
type App struct {
	options Options
	cmd     *exec.Cmd
	out     *tail
	guard   *guard.Guard
	ended   chan struct{}
	err     error // of the end, once ended is closed
	stop    sync.Once
}

// NotReadyError says that the application did not get ready.
type NotReadyError struct {
	Why  string
	Tail string // the end of its output
}

func (e *NotReadyError) Error() string {
	if e.Tail == "" {
		return "the application " + e.Why + "; it wrote nothing"
	}
	return "the application " + e.Why + "; the end of its output:\n" + e.Tail
}

// Start starts the application and returns when it answers. On error nothing
// is left running.
func Start(ctx context.Context, o Options) (*App, error) {
	if o.Limit == 0 {
		o.Limit = defaultLimit
	}
	if err := o.portFree(); err != nil {
		return nil, err
	}
	a := &App{options: o, out: &tail{}, ended: make(chan struct{})}
	a.cmd = exec.Command("/bin/sh", "-c", o.Command)
	a.cmd.Dir = o.Dir
	a.cmd.Env = append(o.environment(), o.Env...)
	a.cmd.Stdout, a.cmd.Stderr = a.out, a.out
	a.cmd.WaitDelay = time.Second
	ownGroup(a.cmd)
	if err := a.cmd.Start(); err != nil {
		return nil, fmt.Errorf("starting the application: %w", err)
	}
	var err error
	if a.guard, err = newGuard(a.cmd.Process.Pid); err != nil {
		a.Stop()
		return nil, err
	}
	go func() {
		a.err = a.cmd.Wait()
		close(a.ended)
	}()
	if err := a.wait(ctx); err != nil {
		a.Stop()
		return nil, err
	}
	return a, nil
}

// portFree refuses a port that something listens on: that would be asked in
// the place of the application. A program that was killed a moment ago, such as
// the application itself, may still be going.
func (o *Options) portFree() error {
	if o.Port == 0 {
		return nil
	}
	for end := time.Now().Add(vacate); o.answered(); time.Sleep(pause) {
		if time.Now().After(end) {
			return &PortError{Port: o.Port}
		}
	}
	return nil
}

// answered reports whether something listens. A connection that was given the
// very port it goes to is connected to itself.
func (o *Options) answered() bool {
	conn, err := net.DialTimeout("tcp", o.address(), time.Second)
	if err != nil {
		return false
	}
	defer conn.Close()
	return conn.LocalAddr().String() != conn.RemoteAddr().String()
}

// PortError says that another program has the port of the application.
type PortError struct{ Port int }

func (e *PortError) Error() string {
	return fmt.Sprintf("port %d is in use by another program", e.Port)
}

func (o *Options) address() string { return net.JoinHostPort("localhost", strconv.Itoa(o.Port)) }

// environment is ccheck's own with the database of the proxy in it.
func (o *Options) environment() []string {
	env := os.Environ()
	set := func(name, value string) {
		prefix := name + "="
		kept := env[:0:0]
		for _, e := range env {
			if !strings.HasPrefix(e, prefix) {
				kept = append(kept, e)
			}
		}
		env = append(kept, prefix+value)
	}
	for name, value := range Database(o.Database) {
		set(name, value)
	}
	if o.Port > 0 {
		set("PORT", strconv.Itoa(o.Port))
	}
	return env
}

// Database are the variables that name a database to an application:
// DATABASE_URL and those of libpq.
func Database(dsn string) map[string]string {
	if dsn == "" {
		return nil
	}
	vars := map[string]string{"DATABASE_URL": dsn}
	u, err := url.Parse(dsn)
	if err != nil {
		return vars
	}
	password, _ := u.User.Password()
	for name, value := range map[string]string{
		"PGHOST": u.Hostname(), "PGPORT": u.Port(), "PGUSER": u.User.Username(), "PGPASSWORD": password,
		"PGDATABASE": strings.TrimPrefix(u.Path, "/"), "PGSSLMODE": u.Query().Get("sslmode"),
	} {
		if value != "" {
			vars[name] = value
		}
	}
	return vars
}

// wait returns when the application answers.
func (a *App) wait(ctx context.Context) error {
	limit := time.NewTimer(a.options.Limit)
	defer limit.Stop()
	for {
		if a.answers(ctx) {
			return nil
		}
		select {
		case <-a.ended:
			return a.notReady(fmt.Sprintf("ended before it answered (%s)", a.how()))
		case <-limit.C:
			return a.notReady(fmt.Sprintf("did not answer at %s within %s", a.where(), a.options.Limit))
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(pause):
		}
	}
}

func (a *App) where() string {
	if a.options.Ready != "" {
		return a.options.Ready
	}
	return a.options.address()
}

func (a *App) answers(ctx context.Context) bool {
	ctx, cancel := context.WithTimeout(ctx, 2*time.Second)
	defer cancel()
	if a.options.Ready == "" {
		var d net.Dialer
		conn, err := d.DialContext(ctx, "tcp", a.options.address())
		if err == nil {
			conn.Close()
		}
		return err == nil
	}
	return Answers(ctx, a.options.Ready)
}

// Answers reports whether a URL is answered without a server error.
func Answers(ctx context.Context, target string) bool {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, target, nil)
	if err != nil {
		return false
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return false
	}
	res.Body.Close()
	return res.StatusCode < 500
}

func (a *App) notReady(why string) error { return &NotReadyError{Why: why, Tail: a.out.text()} }

// how tells how the application ended.
func (a *App) how() string {
	var exit *exec.ExitError
	switch {
	case a.err == nil:
		return "exit status 0"
	case errors.As(a.err, &exit):
		return exit.String()
	}
	return a.err.Error()
}

// Ended tells how the application ended, "" while it runs.
func (a *App) Ended() string {
	select {
	case <-a.ended:
		return a.how()
	default:
		return ""
	}
}

// Tail is the end of the application's output.
func (a *App) Tail() string { return a.out.text() }

// Restart ends the application and starts it again.
func (a *App) Restart(ctx context.Context) (*App, error) {
	a.Stop()
	return Start(ctx, a.options)
}

// Stop ends the application with all that it has started: it is asked first,
// and ended when it does not hear.
func (a *App) Stop() {
	a.stop.Do(func() {
		pid := a.cmd.Process.Pid
		terminate(pid)
		select {
		case <-a.ended:
		case <-time.After(stopLimit):
		}
		kill(pid) // children may have outlived the command
		if a.guard != nil {
			_ = a.guard.Tell("stopped") // one that was killed has nothing to hear
			_ = a.guard.Close()
		}
	})
}
