package clock

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/ccheck/ccheck/cmd/internal/exit"
	"github.com/ccheck/ccheck/cmd/internal/flags"
	"github.com/ccheck/ccheck/cmd/internal/place"
	"github.com/ccheck/ccheck/probes/clock"
	"github.com/ccheck/ccheck/probes/history"
	"github.com/ccheck/ccheck/probes/server/postgres"
	"github.com/ccheck/ccheck/probes/target"
)

// limit bounds one question.
const limit = 10 * time.Second

// subjects are what is read and written to.
type subjects struct {
	run     target.Run
	place   *place.Place // nil when no database is asked
	box     *place.Sandbox
	target  history.Target
	sources []clock.Source
	events  *clock.Events
}

// open opens every clock. Without a server a throw-away one is started, unless
// other clocks or commands were named.
func (o *Options) open(ctx context.Context) (s *subjects, err error) {
	s = &subjects{run: place.NewRun(), target: history.Target{Kind: "clocks"}}
	defer func() {
		if err != nil {
			s.leave(ctx, o)
			s = nil
		}
	}()
	if o.Place.Named(o.Streams) || o.alone() {
		if err := o.database(ctx, s); err != nil {
			return s, err
		}
	}
	for i, dsn := range o.Others {
		if err := o.other(ctx, s, i, dsn); err != nil {
			return s, err
		}
	}
	for _, u := range o.HTTP {
		s.sources = append(s.sources, clock.HTTP(hostOf(u), u, limit))
	}
	for _, h := range o.NTP {
		address := h
		if _, _, err := net.SplitHostPort(h); err != nil {
			address = net.JoinHostPort(h, "123")
		}
		s.sources = append(s.sources, clock.NTP(h, address, limit))
	}
	return s, nil
}

// alone reports whether nothing else was named that could be looked at.
func (o *Options) alone() bool {
	return o.Place.Throwaway || len(o.Others)+len(o.HTTP)+len(o.NTP) == 0 && o.Token == "" && o.Step == 0
}

// database takes the clock of the first database, and a schema in it for the
// events.
func (o *Options) database(ctx context.Context, s *subjects) (err error) {
	const sessions = 4
	if o.Events > 0 {
		if s.place, err = o.Place.Open(ctx, o.Streams, sessions); err != nil {
			return err
		}
		if s.box, err = s.place.Sandbox(ctx); err != nil {
			return err
		}
		s.run = s.box.Run
	} else if s.place, err = o.Place.Find(ctx, o.Streams, sessions, postgres.Options{Dir: postgres.MemoryDir()}); err != nil {
		return err
	}
	name := s.place.Target.Address()
	if s.place.Server != nil {
		name = "the throw-away server"
	}
	version, err := o.add(ctx, s, name, s.place.Target, s.place.Limits)
	if err != nil {
		return err
	}
	s.target = history.Target{Kind: "postgresql", Version: version, Address: s.place.Target.Address(), Throwaway: s.place.Server != nil}
	if s.box == nil {
		return nil
	}
	s.events = &clock.Events{Config: s.box.Config(), Each: o.Events, Skew: o.Skew}
	return o.table(ctx, s)
}

// table makes what the events are written to.
func (o *Options) table(ctx context.Context, s *subjects) error {
	conn, err := s.place.Target.Connect(ctx, s.run, s.place.Limits)
	if err != nil {
		return err
	}
	defer conn.Close(context.WithoutCancel(ctx))
	if _, err := conn.Exec(ctx, clock.Table).ReadAll(); err != nil {
		return exit.Failedf("making the table on %s: %w", s.place.Target.Address(), err)
	}
	return nil
}

// add takes the clock of a database, on a session that reads and nothing else,
// and returns the version of the server.
func (o *Options) add(ctx context.Context, s *subjects, name string, t *target.Target, limits target.Settings) (string, error) {
	conn, err := t.Connect(ctx, s.run, limits)
	if err != nil {
		return "", err
	}
	s.sources = append(s.sources, clock.Database(name, conn))
	version, _, _ := strings.Cut(conn.ParameterStatus("server_version"), " ")
	return version, nil
}

func (o *Options) other(ctx context.Context, s *subjects, i int, dsn string) error {
	t, err := target.Parse(target.Source{DSN: dsn, DSNGiven: true, Env: o.Streams.Env})
	var e *target.Error
	if errors.As(err, &e) {
		say := strings.NewReplacer("--dsn", "--other")
		return &exit.Error{Code: e.Exit, Msg: fmt.Sprintf("database %d of --other: %s", i+1, say.Replace(e.Msg)), Hint: say.Replace(e.Hint), Err: err}
	}
	if err != nil {
		return err
	}
	_, err = o.add(ctx, s, t.Address(), t, target.DefaultSettings())
	return err
}

// leave takes away what the run made.
func (s *subjects) leave(ctx context.Context, o *Options) {
	ctx = context.WithoutCancel(ctx)
	for _, x := range s.sources {
		x.Close(ctx)
	}
	if s.box != nil {
		if note := s.box.Leave(ctx, false); note != "" {
			o.Streams.Warnf("%s", note)
		}
	}
	if s.place != nil {
		s.place.Close(ctx)
	}
}

// token is what is sent, nil for nothing. The flags were checked.
func (o *Options) token() *clock.Token {
	if o.Token == "" {
		return nil
	}
	method, u, _ := strings.Cut(o.Token, " ")
	headers, _ := o.headers()
	return &clock.Token{
		Method: strings.ToUpper(method), URL: strings.TrimSpace(u), Body: o.Body, Headers: headers,
		Secret: o.Streams.Env(strings.TrimPrefix(o.Secret, "env:")), Limit: limit,
	}
}

func (o *Options) headers() (http.Header, error) {
	h := http.Header{}
	for _, text := range o.Headers {
		name, value, ok := strings.Cut(text, ":")
		if !ok || strings.TrimSpace(name) == "" {
			return nil, exit.Usagef("--token-header %s is no header", flags.Shown(text)).WithHint("write 'NAME: VALUE'")
		}
		h.Add(strings.TrimSpace(name), strings.TrimSpace(value))
	}
	return h, nil
}

// step is the command whose clock is set, nil for none.
func (o *Options) step() (*clock.Step, error) {
	if o.Step == 0 {
		return nil, nil
	}
	library, err := clock.FindLibrary()
	if err != nil {
		return nil, exit.Failedf("%w", err).WithHint("apt-get install faketime")
	}
	command := o.Command
	if len(command) == 0 {
		command = clock.ByWall
		if o.Measure == "monotonic" {
			command = clock.ByMonotonic
		}
	}
	return &clock.Step{By: o.Step, After: o.After, Command: command, Library: library, Limit: 2 * time.Minute}, nil
}

func hostOf(text string) string {
	u, err := url.Parse(text)
	if err != nil {
		return ""
	}
	return u.Host
}
