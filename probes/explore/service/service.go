// Package service is an application that is explored as it runs: the proxy in
// front of its database, its process, the requests that it is sent, and what
// was learnt about them when each ran alone.
//
// It chooses no schedule and judges no outcome; package explore does the one,
// analyzers/history the other. The commands import it.
package service

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/url"
	"os/exec"
	"strings"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/ccheck/ccheck/probes/actor/command"
	"github.com/ccheck/ccheck/probes/actor/web"
	"github.com/ccheck/ccheck/probes/explore"
	"github.com/ccheck/ccheck/probes/history"
	"github.com/ccheck/ccheck/probes/internal/app"
	"github.com/ccheck/ccheck/probes/stub"
	"github.com/ccheck/ccheck/probes/wire"
)

// Options are what a service is opened with.
type Options struct {
	// Config returns a configuration of a session of a superuser in the
	// application's database, with its schema as search_path.
	Config func() *pgconn.Config
	// User and Password are those that the application has there; "" are those of
	// Config.
	User, Password string
	// Tables describes the tables of that schema.
	Tables func(context.Context) ([]history.Table, error)
	// Listen is the address of the proxy; "" is a free port on loopback.
	Listen string

	Command string // starts the application; "" leaves that to the user
	Dir     string
	Port    int
	Env     []string // NAME=value; {{stub NAME}} is the URL of a stub
	Ready   string   // URL that is asked until it answers

	Actors   []*web.Actor
	Commands []*command.Actor // run with the environment of the application
	Stubs    []stub.Options
	Seed     []Script
	Restart  bool   // the application is started again between schedules
	Reset    string // command line that brings back what is outside the database
	// Lead sends what leads from there to the state that calls begin with; nil is
	// nothing.
	Lead    func(context.Context) error
	Delay   [2]time.Duration
	MaxRows int
	Mask    history.Mask  // of answers that are told
	Timeout time.Duration // of a request; 0 is 15 s
	Search  time.Duration // for a boundary; 0 is 10 s
	Seeds   uint64        // of the delays
	// Apart says that the application runs already, with a database of its own:
	// nothing comes through the proxy, and only Reset puts anything back.
	Apart bool
	// Gate puts something in front of the Wire, such as what records every
	// statement; nil is nothing.
	Gate func(*explore.Wire) wire.Gate

	Say func(string) // progress for people
}

// Service is an application that runs behind the proxy.
type Service struct {
	Options
	Wire   *explore.Wire
	Learnt []*Learnt // one for each actor

	proxy  *wire.Proxy
	app    *app.App
	stubs  []*stub.Server
	client *web.Client

	sessions map[*web.Actor][]*web.Session // by lane
	keeper   *explore.Keeper
	base     *explore.Keeper // of the first Stage

	watching bool          // which tables are too large has been said
	answered time.Time     // when it answered first
	late     time.Duration // how long after that it came to rest
}

const defaultTimeout = 15 * time.Second

// Open starts the stubs, the proxy and the application, waits until that
// answers, and runs the seed scripts. Close must be called.
func Open(ctx context.Context, o Options) (*Service, error) {
	o.Timeout = cmp.Or(o.Timeout, defaultTimeout)
	o.Search = cmp.Or(o.Search, boundaryTime)
	s := &Service{Options: o, Wire: explore.NewWire(), client: web.NewClient(o.Timeout)}
	if o.Delay[1] > 0 {
		draw := rand.New(rand.NewPCG(o.Seeds, 0))
		s.Wire.Delay = func() time.Duration { return o.Delay[0] + time.Duration(draw.Int64N(int64(o.Delay[1]-o.Delay[0])+1)) }
	}
	if err := s.open(ctx); err != nil {
		s.Close()
		return nil, err
	}
	return s, nil
}

func (s *Service) open(ctx context.Context) (err error) {
	for _, o := range s.Stubs {
		st, err := stub.Start(o)
		if err != nil {
			return err
		}
		s.stubs = append(s.stubs, st)
	}
	certificate, _, err := wire.SelfSigned(time.Now()) // for applications that talk TLS alone
	if err != nil {
		return err
	}
	var gate wire.Gate = s.Wire
	if s.Gate != nil {
		gate = s.Gate(s.Wire)
	}
	// The proxy lives until Close: a run that is asked to stop ends its round first.
	s.proxy, err = wire.Listen(context.WithoutCancel(ctx), wire.Config{Upstream: s.login(), Address: s.Listen, Gate: gate, TLS: certificate})
	if err != nil {
		return err
	}
	if err := s.begin(ctx); err != nil {
		return err
	}
	s.answered = time.Now()
	for _, script := range s.Seed {
		if err := script.Run(ctx, s.Config(), s.login()); err != nil {
			return err
		}
	}
	return nil
}

// rest is how long an application that was started again is quiet before it is
// asked for anything.
const rest = 20 * time.Millisecond

// settle lets an application come to rest that has answered for the first time.
func (s *Service) settle(ctx context.Context) {
	s.late = max(s.late, s.Wire.Settle(ctx, listen, starting).Sub(s.answered))
}

// login is a configuration of a session of the application.
func (s *Service) login() *pgconn.Config {
	cfg := s.Config()
	if s.User != "" {
		cfg.User, cfg.Password = s.User, s.Password
	}
	return cfg
}

// DSN is the URL of the proxy. It holds a password.
func (s *Service) DSN() string { return s.proxy.DSN() }

// begin starts the application, or waits for one that the user starts.
func (s *Service) begin(ctx context.Context) error {
	if s.Command != "" {
		var err error
		s.app, err = app.Start(ctx, app.Options{
			Command: s.Command, Dir: s.Dir, Database: s.DSN(), Port: s.Port, Env: s.environment(), Ready: s.Ready,
		})
		return err
	}
	switch {
	case s.Apart:
		return s.present(ctx)
	case len(s.Actors) == 0:
		return nil // commands connect when they are run
	}
	s.Say("start the application with DATABASE_URL=" + s.DSN())
	for name, value := range s.stubURLs() {
		s.Say(fmt.Sprintf("the stub %s listens at %s", name, value))
	}
	s.Say("waiting until it has connected and answers at " + s.ready())
	for !app.Answers(ctx, s.ready()) || s.Wire.Connections() == 0 {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(200 * time.Millisecond):
		}
	}
	return nil
}

// AbsentError says that an application which is said to run does not.
type AbsentError struct{ URL string }

func (e *AbsentError) Error() string { return "nothing answers at " + e.URL }

// present returns when an application that runs already answers.
func (s *Service) present(ctx context.Context) error {
	for end := time.Now().Add(presence); !app.Answers(ctx, s.ready()); time.Sleep(presence / 25) {
		if time.Now().After(end) || ctx.Err() != nil {
			return cmp.Or(ctx.Err(), error(&AbsentError{URL: s.ready()}))
		}
	}
	return nil
}

// presence is how long an application that runs may take to answer.
const presence = 5 * time.Second

func (s *Service) ready() string {
	if s.Ready != "" {
		return s.Ready
	}
	u, err := url.Parse(s.Actors[0].Requests[0].URL)
	if err != nil {
		return ""
	}
	return u.Scheme + "://" + u.Host + "/"
}

func (s *Service) stubURLs() map[string]string {
	urls := map[string]string{}
	for _, st := range s.stubs {
		urls[st.Name] = st.URL()
	}
	return urls
}

// environment is what the user set, with the URLs of stubs.
func (s *Service) environment() []string {
	var env []string
	for _, e := range s.Env {
		for name, target := range s.stubURLs() {
			e = strings.ReplaceAll(e, "{{stub "+name+"}}", target)
		}
		env = append(env, e)
	}
	return env
}

// Close ends the application, the proxy and the stubs.
func (s *Service) Close() {
	for _, k := range []*explore.Keeper{s.keeper, s.base} {
		if k != nil {
			k.Close()
		}
	}
	if s.app != nil {
		s.app.Stop()
	}
	if s.proxy != nil {
		_ = s.proxy.Close() // it was ours alone
	}
	for _, st := range s.stubs {
		st.Close()
	}
	s.client.Close()
}

// Ending is how a call ended that was answered so, or not at all.
func (s *Service) Ending(answer web.Answer, err error) explore.Ending {
	if err != nil {
		return explore.Ending{Outcome: history.Unknown, Tries: 1, Err: s.died(err)}
	}
	if answer.Outcome == history.Failed && len(answer.Fields) > 0 {
		answer.Fields = answer.Fields[:min(len(answer.Fields), 5)] // an error page is long and says little
	}
	return explore.Ending{Outcome: answer.Outcome, Tries: 1, Vars: answer.Fields}
}

// Alive returns an error when the application that was started has ended.
func (s *Service) Alive() error {
	if s.app == nil || s.app.Ended() == "" {
		return nil
	}
	return &EndedError{How: s.app.Ended(), Tail: s.app.Tail()}
}

// EndedError says that the application ended while it was asked.
type EndedError struct{ How, Tail string }

func (e *EndedError) Error() string {
	if e.Tail == "" {
		return fmt.Sprintf("the application ended in the middle of the run (%s); it wrote nothing", e.How)
	}
	return fmt.Sprintf("the application ended in the middle of the run (%s); the end of its output:\n%s", e.How, e.Tail)
}

// dying is how long an application takes at most to be seen to have ended, after
// its connections were.
const dying = time.Second

// died adds to the error of a request that the application has ended.
func (s *Service) died(err error) error {
	if s.app == nil {
		return err
	}
	for end := time.Now().Add(dying); s.app.Ended() == "" && lost(err) && time.Now().Before(end); {
		time.Sleep(dying / 100)
	}
	if how := s.app.Ended(); how != "" {
		return fmt.Errorf("the application ended (%s): %w; the end of its output:\n%s", how, err, s.app.Tail())
	}
	return err
}

// lost reports whether a connection was closed on a request, as by the end of a
// process.
func lost(err error) bool {
	return errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, syscall.ECONNRESET) || errors.Is(err, syscall.EPIPE)
}

// Between brings back what is outside of the database.
func (s *Service) Between(ctx context.Context) error {
	for _, st := range s.stubs {
		st.Reset()
	}
	if s.Reset != "" {
		if out, err := exec.CommandContext(ctx, "/bin/sh", "-c", s.Reset).CombinedOutput(); err != nil {
			return fmt.Errorf("the reset command: %w: %s", err, strings.TrimSpace(string(out)))
		}
	}
	if s.Restart && s.app != nil {
		fresh, err := s.app.Restart(ctx)
		if err != nil {
			return err
		}
		s.app = fresh
		s.Wire.Settle(ctx, min(2*s.late+rest, listen), starting)
		if err := s.renew(ctx); err != nil {
			return err
		}
	}
	if s.Lead != nil {
		return s.Lead(ctx)
	}
	return nil
}

// Effects are the calls of the stubs, and what each request that only reads is
// answered afterwards: a cache may tell what the tables do not.
func (s *Service) Effects(ctx context.Context) ([]explore.Effect, error) {
	var list []explore.Effect
	for _, st := range s.stubs {
		e := explore.Effect{Name: "calls of " + st.Name, Columns: []string{"key", "calls"}}
		for _, c := range st.Counts() {
			e.Rows = append(e.Rows, []history.Value{history.Text(c.Key), history.Int(c.Calls)})
		}
		list = append(list, e)
	}
	for _, a := range s.readers() {
		end := s.call(a)(ctx, 0)
		if end.Err != nil {
			return list, end.Err
		}
		e := explore.Effect{Name: a.Last().String() + " afterwards", Rows: [][]history.Value{nil}}
		for _, v := range end.Vars {
			e.Columns = append(e.Columns, strings.TrimPrefix(v.Name, web.Body+"."))
			e.Rows[0] = append(e.Rows[0], v.Value)
		}
		list = append(list, e)
	}
	return list, nil
}

// readers are the requests that only read.
func (s *Service) readers() []*web.Actor {
	var list []*web.Actor
	for _, a := range s.Actors {
		if a.Last().Safe() {
			list = append(list, a)
		}
	}
	return list
}

// Lanes makes the lanes of a team; the same actor may be in it twice.
func (s *Service) Lanes(team []string) ([]explore.Lane, error) {
	var lanes []explore.Lane
	for i, name := range explore.Names(team) {
		l := s.Learned(team[i])
		if l == nil {
			return nil, errors.New("no request is called " + team[i])
		}
		lanes = append(lanes, s.Wire.Lane(name, l.Request))
	}
	return lanes, nil
}

// Fill sets what an exploration of this service needs beside its lanes.
func (s *Service) Fill(o *explore.Options) {
	o.Wire, o.Config, o.Tables, o.Between = s.Wire, s.Config, s.Tables, s.Between
	o.Effects = s.Effects
	o.Header.Actors = s.HistoryActors()
}

// HistoryActors are the requests as a history tells them.
func (s *Service) HistoryActors() []history.Actor {
	var list []history.Actor
	for _, l := range s.Learnt {
		list = append(list, history.Actor{Name: l.Name, HTTP: l.What})
	}
	return list
}

// Errors of the application's process.
type (
	// NotReadyError says that the application did not get ready.
	NotReadyError = app.NotReadyError
	// PortError says that another program has the port of the application.
	PortError = app.PortError
)
