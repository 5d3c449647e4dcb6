package leader

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"strings"
	"sync"
	"time"

	"github.com/ccheck/ccheck/probes/history"
	"github.com/ccheck/ccheck/probes/internal/reach"
	"github.com/ccheck/ccheck/probes/lease"
)

// Watch says where instances answer who leads, and what does something to one.
type Watch struct {
	URLs []string // of http or https, at least two
	// Break is a command line for sh that does something to the instance that the
	// variables CCHECK_INSTANCE and CCHECK_URL name, and Mend one that takes it
	// back. Without Break somebody else does it within Duration.
	Break, Mend string
	Duration    time.Duration
}

// Target names what is watched.
func (w *Watch) Target() history.Target {
	var hosts []string
	for _, raw := range w.URLs {
		if u, err := url.Parse(raw); err == nil {
			hosts = append(hosts, u.Host)
		}
	}
	return history.Target{Kind: KindWatch, Address: strings.Join(hosts, ",")}
}

// Answer is what an instance answers.
type Answer struct {
	Leader  bool            `json:"leader"`
	Token   json.RawMessage `json:"token"`   // of its election: a number or a text, another one each time
	Done    *int64          `json:"done"`    // the last tick whose job it did
	Refused *int64          `json:"refused"` // the last one whose job was refused to it
}

// token is the token as a text.
func (a *Answer) token() string {
	if t := strings.Trim(string(a.Token), `"`); t != "null" {
		return t
	}
	return ""
}

// ParseAnswer reads an answer. A leader has a token.
func ParseAnswer(text []byte) (*Answer, error) {
	a := &Answer{}
	if err := json.Unmarshal(text, a); err != nil {
		return nil, fmt.Errorf("it answers no JSON object such as {\"leader\": true, \"token\": 17}: %w", err)
	}
	if a.Leader && a.token() == "" {
		return nil, errors.New("it leads and its answer has no token, which differs from one election to the next")
	}
	return a, nil
}

// watched is an instance that runs somewhere.
type watched struct {
	d     *driver
	index int
	name  string
	url   string
	http  *http.Client
	life  sync.WaitGroup
	quit  context.CancelFunc

	mu      sync.Mutex
	err     error
	heard   bool
	held    lease.Held
	leads   bool
	lastJob time.Duration
	last    Answer
	asked   time.Time // of the last answer
}

const (
	callLimit = 30 * time.Second
	maxAnswer = 1 << 20
)

func (d *driver) newWatched(i int, name string) *watched {
	transport := http.DefaultTransport.(*http.Transport).Clone()
	return &watched{d: d, index: i, name: name, url: d.o.Watch.URLs[i], http: &http.Client{Timeout: callLimit, Transport: transport}}
}

func (w *watched) number() int { return w.index }

func (w *watched) state() (leads bool, did time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.leads, w.lastJob
}

func (w *watched) trouble() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.err
}

func (w *watched) faults() []fault {
	if w.d.o.Watch.Break == "" {
		return []fault{func(ctx context.Context, d *driver) error { return d.wait(ctx, d.o.Watch.Duration) }}
	}
	return []fault{w.harm}
}

// wait watches for a time what somebody else does.
func (d *driver) wait(ctx context.Context, length time.Duration) error {
	for end := time.Now().Add(length); time.Now().Before(end); {
		for _, in := range d.instances {
			if err := in.trouble(); err != nil {
				return err
			}
		}
		if err := d.pass(ctx, 1); err != nil {
			return err
		}
	}
	return nil
}

// harm runs the command of the user's that does something to the instance, and
// the one that takes it back.
func (w *watched) harm(ctx context.Context, d *driver) error {
	if err := errors.Join(d.Mark(w.index, MarkBroken), w.run(ctx, "--break", d.o.Watch.Break)); err != nil {
		return err
	}
	err := d.successor(ctx, w)
	if d.o.Watch.Mend != "" {
		err = errors.Join(err, w.run(context.WithoutCancel(ctx), "--mend", d.o.Watch.Mend))
	}
	return errors.Join(err, d.Mark(w.index, MarkMended), d.pass(ctx, 5))
}

func (w *watched) run(ctx context.Context, flag, command string) error {
	ctx, cancel := context.WithTimeout(ctx, callLimit)
	defer cancel()
	cmd := exec.CommandContext(ctx, "/bin/sh", "-c", command)
	cmd.Env = append(os.Environ(), "CCHECK_INSTANCE="+w.name, "CCHECK_URL="+w.url)
	cmd.WaitDelay = time.Second
	out, err := cmd.CombinedOutput()
	if err != nil {
		return &lease.SetupError{
			Msg:  fmt.Sprintf("the command of %s did not do it to instance %s: %v; it said: %s", flag, w.name, err, orNothing(strings.TrimSpace(string(out)))),
			Hint: "the variables CCHECK_INSTANCE and CCHECK_URL name the instance; the command must come back by itself", Err: err,
		}
	}
	return nil
}

// start begins to ask. An instance that was never heard of cannot be watched.
func (w *watched) start(ctx context.Context) error {
	ctx, w.quit = context.WithCancel(ctx)
	end := time.Now().Add(callLimit)
	for {
		err := w.ask(ctx)
		if err == nil {
			break
		}
		if time.Now().After(end) || w.trouble() != nil || ctx.Err() != nil {
			return &lease.SetupError{Msg: fmt.Sprintf("instance %s does not answer at %s: %v", w.name, w.url, err), Hint: "it answers GET with {\"leader\": true, \"token\": 17} or {\"leader\": false}", Err: err}
		}
		time.Sleep(w.pause())
	}
	w.life.Go(func() {
		for ctx.Err() == nil {
			_ = w.ask(ctx) // one that does not answer says nothing
			time.Sleep(w.pause())
		}
	})
	return nil
}

// pause is the time between an answer and the next question.
func (w *watched) pause() time.Duration { return max(w.d.o.TTL/50, 5*time.Millisecond) }

func (w *watched) end() {
	if w.quit != nil {
		w.quit()
	}
	w.life.Wait()
	w.http.CloseIdleConnections()
}

// ask asks once and records what is new.
func (w *watched) ask(ctx context.Context) error {
	asked := time.Now()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, w.url, nil)
	if err != nil {
		return err
	}
	res, err := w.http.Do(req)
	if err != nil {
		return reach.Why(err)
	}
	defer res.Body.Close()
	text, err := io.ReadAll(io.LimitReader(res.Body, maxAnswer))
	switch {
	case err != nil:
		return err
	case res.StatusCode/100 != 2:
		return fmt.Errorf("it answers %d", res.StatusCode)
	}
	a, err := ParseAnswer(bytes.TrimSpace(text))
	if err == nil {
		err = w.learn(a, asked)
	}
	if err != nil {
		w.mu.Lock()
		w.err = fmt.Errorf("instance %s: %w", w.name, err)
		w.mu.Unlock()
	}
	return err
}

// learn records what an answer to a question of that time says. What changed since
// the last answer did so after that one was asked for.
func (w *watched) learn(a *Answer, asked time.Time) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	before, first := w.asked, !w.heard
	w.asked, w.heard = asked, true
	told := func(call string, outcome history.Outcome, after time.Time, tick int64) error {
		return w.d.Tell(w.index, lease.Told{Call: call, Outcome: outcome, After: after, Held: w.held, Tick: tick})
	}
	var err error
	switch {
	case a.Leader && (!w.leads || a.token() != w.held.Token):
		w.held = w.d.Hold(lease.Grant{Name: job, Owner: w.name, Token: a.token(), TTL: w.d.o.TTL})
		err = told("acquire", history.Accepted, asked, 0)
	case a.Leader:
		err = told("renew", history.Accepted, asked, 0)
	case w.leads:
		err = told("release", history.Accepted, before, 0)
	}
	if w.leads = a.Leader; w.leads && a.Done == nil {
		w.lastJob = w.d.Elapsed() // one that tells of none does them all
	}
	if !first && changed(w.last.Done, a.Done) {
		w.lastJob = w.d.Elapsed()
		err = errors.Join(err, told("fire", history.Accepted, before, *a.Done))
	}
	if !first && changed(w.last.Refused, a.Refused) {
		err = errors.Join(err, told("fire", history.Refused, before, *a.Refused))
	}
	w.last = *a
	return err
}

func changed(old, now *int64) bool { return now != nil && (old == nil || *old != *now) }
