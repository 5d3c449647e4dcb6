// Package bleed is the command that sends requests of marked users all at once and
// looks whether one gets the data of another.
package bleed

import (
	"context"
	"net/http"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/ccheck/ccheck/cmd/internal/display"
	"github.com/ccheck/ccheck/cmd/internal/exit"
	"github.com/ccheck/ccheck/cmd/internal/flags"
	"github.com/ccheck/ccheck/cmd/internal/output"
	"github.com/ccheck/ccheck/cmd/internal/stdio"
	"github.com/ccheck/ccheck/probes/bleed"
)

// Options are what the command is run with.
type Options struct {
	Streams *stdio.Streams

	Request string
	Body    string
	Headers []string
	Login   string
	Users   int
	Each    int
	Limit   time.Duration
	History string

	Output  output.Flags
	Display display.Flags
	Outcome flags.Outcome
}

const long = `Sends the request of many users at once and searches every answer for the data
of another user than the one who asked.

REQUEST is a URL, or METHOD URL. Where it has {{user}}, in the URL, a --header or
the --body, the marker of the user goes in: a word that is nowhere else. An
application that knows its users by a cookie gets the marker at the --login.

Send it to a test environment: the users are made up, and every request is sent
many times.`

const example = `
# the user is in the URL
ccheck bleed 'http://localhost:8080/me?user={{user}}'

# the user is in a header, the request is a POST
ccheck bleed 'POST http://localhost:8080/quote' --header 'X-User: {{user}}' --body '{"item": 7}'

# the user logs in first, and a cookie says who it is
ccheck bleed http://localhost:8080/me --login 'POST http://localhost:8080/login?name={{user}}'

# the lab: a server that bleeds, and its mend
ccheck demo bleed`

// New returns the command.
func New(s *stdio.Streams, runF func(context.Context, *Options) error) *cobra.Command {
	o := &Options{Streams: s}
	cmd := &cobra.Command{
		Use:     "bleed <request>",
		Short:   "Find answers that hold the data of another user than the one who asked",
		Long:    long,
		Example: example,
		Args:    flags.Args("REQUEST"),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.Request = args[0]
			if err := o.resolve(); err != nil {
				return err
			}
			if runF != nil {
				return runF(cmd.Context(), o)
			}
			return run(cmd.Context(), o)
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.Body, "body", "", "`text` of the body of the request, with {{user}} or without")
	f.StringArrayVar(&o.Headers, "header", nil, "`Name: VALUE` of a header, with {{user}} or without; may be repeated")
	f.StringVar(&o.Login, "login", "", "`request` that each user sends first, with {{user}} in it; its cookies are kept")
	f.IntVarP(&o.Users, "users", "c", 20, "users who ask at once")
	f.IntVar(&o.Each, "each", 50, "requests of each user while all ask")
	f.DurationVar(&o.Limit, "limit", 30*time.Second, "how long an answer may take")
	f.StringVar(&o.History, "history", "", "write the history to this `file` (default: a new file in ccheck's state folder)")
	o.Outcome.Register(f)
	o.Display.Register(f)
	o.Output.Register(f)
	return cmd
}

// resolve checks what can be checked before anything is sent.
func (o *Options) resolve() error {
	switch {
	case o.Users < 2 || o.Users > 1000:
		return exit.Usagef("--users %d: one cannot get the data of another", o.Users).WithHint("it is from 2 to 1000; the default is 20")
	case o.Each < 1:
		return exit.Usagef("--each %d: a user asks at least once", o.Each).WithHint("the default is 50")
	case o.Limit <= 0:
		return exit.Usagef("--limit %v is no time", o.Limit).WithHint("write it as 30s")
	}
	r, err := o.request()
	if err != nil {
		return err
	}
	login, err := o.login()
	if err != nil {
		return err
	}
	if !marked(r) && (login == nil || !marked(login)) {
		return exit.Usagef("no part of the request has {{user}} in it, so nobody could be told from another").
			WithHint("put {{user}} into the URL, a --header, the --body or the --login")
	}
	for _, check := range []func() error{o.history, o.Outcome.Check, o.Display.Check, o.Output.Check} {
		if err := check(); err != nil {
			return err
		}
	}
	return nil
}

// placeholder is where the marker of a user goes.
const placeholder = "{{user}}"

func marked(r *bleed.Request) bool {
	for _, values := range r.Headers {
		if strings.Contains(strings.Join(values, " "), placeholder) {
			return true
		}
	}
	return strings.Contains(r.URL+r.Body, placeholder)
}

// request is the request that the flags describe.
func (o *Options) request() (*bleed.Request, error) {
	method := http.MethodGet
	if o.Body != "" {
		method = http.MethodPost
	}
	r, err := parse(o.Request, method)
	if err != nil {
		return nil, err
	}
	r.Body = o.Body
	r.Headers, err = flags.Headers(o.Headers)
	return r, err
}

func (o *Options) login() (*bleed.Request, error) {
	if o.Login == "" {
		return nil, nil
	}
	return parse(o.Login, http.MethodPost)
}

// parse reads METHOD URL, or a URL.
func parse(text, method string) (*bleed.Request, error) {
	verb, address, err := flags.Request(text, method, "GET http://localhost:8080/me?user={{user}}", placeholder)
	return &bleed.Request{Method: verb, URL: address}, err
}

func (o *Options) history() error { return flags.NewHistory(o.History) }
