package lag

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/cookiejar"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/ccheck/ccheck/probes/history"
	"github.com/ccheck/ccheck/probes/internal/reach"
)

// Application is written to through one URL and read through another.
type Application struct {
	Write, Read Request
	Headers     http.Header
	// Mark is a text that no other value of the application begins with; a value is
	// Mark and a number.
	Mark string
	// Find is where the number is in an answer of Read: its first group. nil finds
	// Mark and a number.
	Find *regexp.Regexp
	// Limit is how long a request may take.
	Limit time.Duration
}

// Request is one request; {{value}} and {{n}} stand for the value and its number.
type Request struct{ Method, URL, Body string }

// AnswerError is an answer of the application that is none to a write or a read.
type AnswerError struct {
	Request string
	Status  string
	Body    string
}

func (e *AnswerError) Error() string {
	return fmt.Sprintf("%s was answered %s: %s", e.Request, e.Status, e.Body)
}

// NotFoundError says that no answer shows any value that was written.
type NotFoundError struct{ Request, Body string }

func (e *NotFoundError) Error() string {
	return fmt.Sprintf("no answer of %s shows a value that was written: %s", e.Request, e.Body)
}

// application is the name of the one server of a run by URLs.
const application = "the application"

// WebOptions say how an application is driven.
type WebOptions struct {
	Application
	Header   history.Header
	Path     string
	Every    time.Duration
	Duration time.Duration
	Patience time.Duration
	Progress func(Counts)
}

// person is a session of the application: it keeps its cookies.
type person struct {
	lane
	app    *Application
	client *http.Client
}

// webDriver is a run over an application.
type webDriver struct {
	*tape
	o    *WebOptions
	seen Series
}

// DriveWeb writes and reads through the application and records what it
// answered. Versions are counted here, so nothing else may write there.
func DriveWeb(ctx context.Context, o WebOptions) (err error) {
	h := header(&Options{Header: o.Header})
	h.Claims = h.Claims[:1] // a stranger's view is where the lag shows, and no promise
	w, err := history.Create(o.Path, h, 0)
	if err != nil {
		return err
	}
	d := &webDriver{tape: &tape{Writer: w}, o: &o, seen: Series{Name: application}}
	defer func() { err = errors.Join(err, w.Close()) }()
	if err := d.mark(MarkPhase + string(Replica)); err != nil {
		return err
	}
	A, err := d.person(0, "A")
	if err != nil {
		return err
	}
	over := time.Now().Add(o.Duration)
	for n := int64(1); time.Now().Before(over); n++ {
		next := time.Now().Add(o.Every)
		if err := d.round(ctx, A, n); err != nil {
			return err
		}
		if err := sleep(ctx, max(time.Until(next), 0)); err != nil {
			return err
		}
	}
	if len(d.seen.Values) == 0 {
		return d.nothing(ctx, A)
	}
	return d.mark(MarkEnd)
}

// person comes with cookies of its own, none at first.
func (d *webDriver) person(number int, name string) (*person, error) {
	jar, err := cookiejar.New(nil)
	if err != nil {
		return nil, fmt.Errorf("making a cookie jar: %w", err)
	}
	return &person{lane: d.lane(number, name), app: &d.o.Application, client: &http.Client{Jar: jar, Timeout: d.o.Limit}}, nil
}

// round has A write and read, while B, a stranger without cookies, looks until
// the value is there.
func (d *webDriver) round(ctx context.Context, A *person, n int64) error {
	B, err := d.person(1, "B")
	if err != nil {
		return err
	}
	if err := A.write(ctx, n); err != nil {
		return err
	}
	committed := d.Elapsed()
	looked := make(chan error, 1)
	go func() { looked <- d.await(ctx, B, n, committed) }()
	if _, err := A.read(ctx); err != nil {
		return errors.Join(err, <-looked)
	}
	return <-looked
}

// await looks until the value is there for a stranger.
func (d *webDriver) await(ctx context.Context, B *person, n int64, committed time.Duration) error {
	var stale time.Duration
	there := false
	for !there && d.Elapsed()-committed < d.o.Patience {
		if err := sleep(ctx, backOff(d.Elapsed()-committed)); err != nil {
			return err
		}
		began := d.Elapsed()
		got, err := B.look(ctx)
		if err != nil {
			return err
		}
		if there = got >= n; !there {
			stale = began
		}
	}
	p := &pending{key: "value", version: n, committed: committed, stale: stale}
	w := d.lane(watcherLane, application)
	if !there {
		return w.note("invisible", p.vars())
	}
	now := d.Elapsed()
	d.seen.Values = append(d.seen.Values, now-committed)
	if d.o.Progress != nil {
		c := d.counts()
		c.Phase, c.Replicas = "running", []Series{d.seen}
		d.o.Progress(c)
	}
	return w.note("visible", p.vars().number("visible_ns", int64(now)))
}

// nothing says that the values that were written never showed.
func (d *webDriver) nothing(ctx context.Context, A *person) error {
	body, err := A.send(ctx, d.o.Read, 0)
	if err != nil {
		return err
	}
	return &NotFoundError{d.o.Read.Method + " " + d.o.Read.URL, short(body)}
}

func (p *person) write(ctx context.Context, n int64) error {
	return p.call("write", func() (vars, error) {
		_, err := p.send(ctx, p.app.Write, n)
		return text("key", "value", "policy", string(Replica)).number("version", n), err
	})
}

func (p *person) read(ctx context.Context) (n int64, err error) {
	err = p.call("read", func() (vars, error) {
		n, err = p.look(ctx)
		return text("key", "value", "policy", string(Replica), "asked", application, "from", application).number("version", n), err
	})
	return n, err
}

// look reads the number that the application shows, 0 for none.
func (p *person) look(ctx context.Context) (int64, error) {
	body, err := p.send(ctx, p.app.Read, 0)
	if err != nil {
		return 0, err
	}
	find := p.app.Find
	if find == nil {
		find = regexp.MustCompile(regexp.QuoteMeta(p.app.Mark) + `(\d+)`)
	}
	var most int64
	for _, m := range find.FindAllStringSubmatch(body, -1) {
		n, err := strconv.ParseInt(m[1], 10, 64)
		if err == nil {
			most = max(most, n)
		}
	}
	return most, nil
}

// maxAnswer bounds what is read of an answer, in bytes.
const maxAnswer = 1 << 20

func (p *person) send(ctx context.Context, r Request, n int64) (string, error) {
	fill := strings.NewReplacer("{{value}}", p.app.Mark+strconv.FormatInt(n, 10), "{{n}}", strconv.FormatInt(n, 10))
	name := r.Method + " " + r.URL
	req, err := http.NewRequestWithContext(ctx, r.Method, fill.Replace(r.URL), strings.NewReader(fill.Replace(r.Body)))
	if err != nil {
		return "", fmt.Errorf("making the request %s: %w", name, err)
	}
	for k, v := range p.app.Headers {
		req.Header[k] = v
	}
	res, err := p.client.Do(req)
	if err != nil {
		return "", fmt.Errorf("sending %s: %w", name, reach.Why(err))
	}
	defer res.Body.Close()
	body, err := io.ReadAll(io.LimitReader(res.Body, maxAnswer))
	if err != nil {
		return "", fmt.Errorf("reading the answer to %s: %w", name, err)
	}
	if res.StatusCode >= 400 {
		return "", &AnswerError{name, res.Status, short(string(body))}
	}
	return string(body), nil
}

// short is the beginning of an answer, in one line.
func short(body string) string {
	body = strings.Join(strings.Fields(body), " ")
	if len(body) > 120 {
		body = body[:120] + "…"
	}
	return strconv.Quote(body)
}
