// Package clock is the command that compares clocks, and shows what they decide.
package clock

import (
	"context"
	"net/url"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/ccheck/ccheck/cmd/internal/display"
	"github.com/ccheck/ccheck/cmd/internal/exit"
	"github.com/ccheck/ccheck/cmd/internal/flags"
	"github.com/ccheck/ccheck/cmd/internal/output"
	"github.com/ccheck/ccheck/cmd/internal/place"
	"github.com/ccheck/ccheck/cmd/internal/stdio"
)

// Options are what the command is run with.
type Options struct {
	Streams *stdio.Streams
	Command []string // of --step

	Others    []string
	HTTP      []string
	NTP       []string
	Every     time.Duration
	Duration  time.Duration
	Tolerance time.Duration

	Events int
	Skew   time.Duration

	Token   string
	Headers []string
	Secret  string
	Body    string
	Leeway  time.Duration

	Step    time.Duration
	After   time.Duration
	Measure string

	History string

	Place   place.Flags
	Output  output.Flags
	Display display.Flags
	Outcome flags.Outcome
}

const long = `Reads the clocks of databases, HTTP and NTP servers beside that of this machine, and
tells how far each is off, with the error. Two sessions stamp events under one row
lock: are the stamps in the order of the server? Tokens of the past and the future
are sent to a URL: which are accepted? A command measures a duration while its clock
is set: what does it measure?

Without a server it starts a throw-away PostgreSQL. --skew and --measure wall do it
wrong on purpose, to see what is found.`

const example = `
# this machine against a throw-away database, and the order of events
ccheck clock

# the same with a clock that is 50 ms ahead
ccheck clock --skew 50ms

# three clocks of yours
ccheck clock --dsn env:DATABASE_URL --http https://example.com --ntp pool.ntp.org

# how old a token may be
ccheck clock --events 0 --token 'GET http://localhost:8080/me' --token-secret env:JWT_SECRET

# a worker of yours while its clock is set back by half a minute
ccheck clock --step -30s -- ./worker --once`

// New returns the command.
func New(s *stdio.Streams, runF func(context.Context, *Options) error) *cobra.Command {
	o := &Options{Streams: s}
	cmd := &cobra.Command{
		Use:     "clock [-- command...]",
		Short:   "Compare clocks, and see what they decide",
		Long:    long,
		Example: example,
		Args:    cobra.ArbitraryArgs, // the words of the command
		RunE: func(cmd *cobra.Command, args []string) error {
			o.Command = args
			if err := o.resolve(); err != nil {
				return err
			}
			if runF != nil {
				return runF(cmd.Context(), o)
			}
			return run(cmd.Context(), o)
		},
	}
	o.register(cmd)
	return cmd
}

func (o *Options) register(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringArrayVar(&o.Others, "other", nil, "one more database, a `URL`, key=value pairs or env:NAME; once for each")
	f.StringArrayVar(&o.HTTP, "http", nil, "an HTTP server, by a `URL` that answers with its Date; once for each")
	f.StringArrayVar(&o.NTP, "ntp", nil, "an NTP server, by `HOST` or HOST:PORT; once for each")
	f.DurationVar(&o.Every, "every", 47*time.Millisecond, "time between two readings of a clock")
	f.DurationVar(&o.Duration, "duration", 3*time.Second, "how long the clocks are read")
	f.DurationVar(&o.Tolerance, "tolerance", time.Second, "how far a clock may be off")
	f.IntVar(&o.Events, "events", 200, "events that each of two sessions stamps; 0 leaves them out, and nothing is written")
	f.DurationVar(&o.Skew, "skew", 0, "set the clock of one session ahead by so much, to see what is found")
	f.StringVar(&o.Token, "token", "", "send tokens: `METHOD URL`")
	f.StringArrayVar(&o.Headers, "token-header", []string{"Authorization: Bearer {{jwt}}"}, "`NAME: VALUE` that carries the token or the stamp")
	f.StringVar(&o.Secret, "token-secret", "", "secret of its signature, as env:NAME of a `variable`")
	f.StringVar(&o.Body, "token-body", "", "`text` of the body")
	f.DurationVar(&o.Leeway, "leeway", 5*time.Minute, "how long after its time a token may be accepted")
	f.DurationVar(&o.Step, "step", 0, "run a command under libfaketime, and set its clock by so much in the middle")
	f.DurationVar(&o.After, "after", 300*time.Millisecond, "how long after its start")
	f.StringVar(&o.Measure, "measure", "wall", "how the built-in command of --step measures: wall or monotonic")
	f.StringVar(&o.History, "history", "", "write the history to this `file` (default: a new file in ccheck's state folder)")
	o.Outcome.Register(f)
	o.Display.Register(f)
	o.Place.Register(f)
	o.Output.Register(f)
}

// resolve checks what can be checked before anything is opened.
func (o *Options) resolve() error {
	for _, check := range []func() error{o.history, o.readings, o.tokens, o.steps, o.Place.Check, o.Outcome.Check, o.Display.Check, o.Output.Check} {
		if err := check(); err != nil {
			return err
		}
	}
	return nil
}

func (o *Options) readings() error {
	for _, u := range o.HTTP {
		if !isHTTP(u) {
			return exit.Usagef("--http %s is no URL of HTTP", flags.Shown(u)).WithHint("such as https://example.com")
		}
	}
	for _, h := range o.NTP {
		if strings.TrimSpace(h) == "" || strings.Contains(h, "/") {
			return exit.Usagef("--ntp %s is no host", flags.Shown(h)).WithHint("such as pool.ntp.org, or HOST:PORT")
		}
	}
	switch {
	case o.Every < time.Millisecond:
		return exit.Usagef("--every %s is too short", o.Every).WithHint("it is at least 1ms; the default is 47ms")
	case o.Duration < time.Second:
		return exit.Usagef("--duration %s is too short: a Date has whole seconds", o.Duration).WithHint("it is at least 1s; the default is 3s")
	case o.Tolerance <= 0:
		return exit.Usagef("--tolerance %s: no two clocks agree so well", o.Tolerance).WithHint("the default is 1s")
	case o.Events < 0:
		return exit.Usagef("--events %d is negative", o.Events).WithHint("0 leaves them out")
	}
	return nil
}

func (o *Options) tokens() error {
	method, u, _ := strings.Cut(o.Token, " ")
	switch {
	case o.Token == "" && (o.Secret != "" || o.Body != ""):
		return exit.Usagef("--token-secret and --token-body are for --token").WithHint("write --token 'METHOD URL', or leave them out")
	case o.Token == "":
		return nil
	case method == "" || !isHTTP(strings.TrimSpace(u)):
		return exit.Usagef("--token %s is no request", flags.Shown(o.Token)).WithHint("write METHOD URL, such as 'GET http://localhost:8080/me'")
	case o.Leeway < 0:
		return exit.Usagef("--leeway %s is negative", o.Leeway).WithHint("the default is 5m")
	case o.Secret != "" && !strings.HasPrefix(o.Secret, "env:"):
		return exit.Usagef("--token-secret is not written on the command line, where everybody on the machine can read it").WithHint("put it into a variable and write env:NAME")
	case strings.HasPrefix(o.Secret, "env:") && o.Streams.Env(o.Secret[len("env:"):]) == "":
		return exit.Usagef("--token-secret: the variable is not set").WithHint("set and export it")
	}
	text := strings.Join(o.Headers, " ") + o.Token + o.Body
	if !strings.Contains(text, "{{jwt}}") && !strings.Contains(text, "{{unix}}") && !strings.Contains(text, "{{rfc3339}}") {
		return exit.Usagef("no --token-header has a time in it").WithHint("put {{jwt}}, {{unix}} or {{rfc3339}} where it goes")
	}
	if o.Secret == "" && (strings.Contains(text, "{{jwt}}") || strings.Contains(text, "{{hmac}}")) {
		return exit.Usagef("--token needs --token-secret to sign with").WithHint("write --token-secret env:NAME")
	}
	_, err := o.headers()
	return err
}

func (o *Options) steps() error {
	switch {
	case o.Measure != "wall" && o.Measure != "monotonic":
		return exit.Usagef("--measure cannot be %s", flags.Shown(o.Measure)).WithHint("it takes wall or monotonic")
	case len(o.Command) > 0 && o.Step == 0:
		return exit.Usagef("clock does not take the argument %s", flags.Shown(o.Command[0])).WithHint("a command is for --step, behind two dashes")
	case o.Step != 0 && o.Step.Abs() < time.Second:
		return exit.Usagef("--step %s is too little to be told from a slow start", o.Step).WithHint("it is at least a second, such as -30s")
	case o.After < 50*time.Millisecond:
		return exit.Usagef("--after %s is before anything can have started", o.After).WithHint("it is at least 50ms; the default is 300ms")
	}
	return nil
}

func isHTTP(text string) bool {
	u, err := url.Parse(text)
	return err == nil && u.Host != "" && (u.Scheme == "http" || u.Scheme == "https")
}

func (o *Options) history() error { return flags.NewHistory(o.History) }
