// Package record is the command that makes a tape of an application while
// somebody uses it, for explore to run its requests beside each other.
package record

import (
	"context"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/ccheck/ccheck/cmd/internal/exit"
	"github.com/ccheck/ccheck/cmd/internal/flags"
	"github.com/ccheck/ccheck/cmd/internal/place"
	"github.com/ccheck/ccheck/cmd/internal/stdio"
)

// Options are what the command is run with.
type Options struct {
	Streams *stdio.Streams

	App     string
	Dir     string
	Port    int
	URL     string
	Env     []string
	Ready   string
	Seed    []string
	Listen  string
	Proxy   string
	Mask    []string
	Limit   int // MiB
	Live    bool
	HTTP    bool
	Super   bool
	Tape    string
	Traffic []string // command that uses the application

	Place place.Flags
}

const long = `Listens for HTTP in front of an application and for PostgreSQL behind it while it
is used, by hand or by a test suite, and writes a tape: each request with its
answer, and the SQL statements that it caused. Ctrl-C ends it, or the end of the
command behind --, which gets the address in CCHECK_APP.

The application works on a throw-away server, with a copy of the database that
--dsn names, so that explore can begin where the tape does. --live puts the proxy
in front of that database itself; --http-only records requests alone.

The tape holds no password, token, cookie or authorisation header, and none of
the columns and fields that --mask names.`

const example = `
# use the application by hand at the address that is printed, then Ctrl-C
ccheck record --app 'npm start' --port 3000 --seed-sql seed.sql

# or let its tests use it
ccheck record --app ./server --port 8080 -- npm run test:e2e

# and run every two requests that touch the same rows, in every interleaving
ccheck explore ccheck.tape --app 'npm start' --seed-sql seed.sql`

// New returns the command.
func New(s *stdio.Streams, runF func(context.Context, *Options) error) *cobra.Command {
	o := &Options{Streams: s}
	cmd := &cobra.Command{
		Use:     "record [-- command]",
		Short:   "Make a tape of an application as it is used, for explore to run",
		Long:    long,
		Example: example,
		Args:    o.takeTraffic,
		RunE: func(cmd *cobra.Command, _ []string) error {
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
	f.StringVar(&o.App, "app", "", "start the application with this `command`, DATABASE_URL, PG* and PORT set")
	f.StringVar(&o.Dir, "app-dir", "", "`folder` that --app runs in (default: the current one)")
	f.IntVar(&o.Port, "port", 0, "port that the application listens on")
	f.StringVar(&o.URL, "url", "", "`URL` of an application that listens elsewhere than on a port of this machine")
	f.StringArrayVar(&o.Env, "env", nil, "`NAME=value` for the application")
	f.StringVar(&o.Ready, "ready", "", "`URL` that is answered once the application is ready (default: its port accepts a connection)")
	f.StringArrayVar(&o.Seed, "seed-sql", nil, "`file` with SQL, run when the application is ready")
	f.StringVar(&o.Listen, "listen", "", "`address` at which the application is to be used (default: a free port on 127.0.0.1)")
	f.StringVar(&o.Proxy, "proxy", "", "`address` at which the proxy of the database listens (default: a free port on 127.0.0.1)")
	f.StringSliceVar(&o.Mask, "mask", nil, "`names` of fields and columns that are masked, too, such as iban,users.mail")
	f.IntVar(&o.Limit, "limit", 64, "size of the tape at most, in MiB")
	f.BoolVar(&o.Live, "live", false, "stand in front of the database that --dsn names, instead of a copy of it")
	f.BoolVar(&o.HTTP, "http-only", false, "record requests alone, where the database cannot be led through a proxy")
	f.BoolVar(&o.Super, "app-superuser", false, "let the application connect as a superuser, not as the owner of its database")
	f.StringVarP(&o.Tape, "output", "o", "ccheck.tape", "`file` that the tape is written to")
	o.Place.Register(f)
	return cmd
}

// takeTraffic takes what stands behind --.
func (o *Options) takeTraffic(cmd *cobra.Command, args []string) error {
	dash := cmd.ArgsLenAtDash()
	if len(args) > 0 && dash != 0 {
		return exit.Usagef("ccheck record does not take the argument %s", flags.Shown(args[0])).WithHint("a command that uses the application stands behind --: ccheck record … -- npm test")
	}
	if dash == 0 && len(args) == 0 {
		return exit.Usagef("behind -- there is no command").WithHint("such as: ccheck record … -- npm test")
	}
	o.Traffic = args
	return nil
}

// resolve checks what can be checked before anything is opened.
func (o *Options) resolve() error {
	switch {
	case o.Port < 0 || o.Port > 65535:
		return exit.Usagef("--port %d is no port", o.Port).WithHint("it is that of the application, from 1 to 65535")
	case o.Port == 0 && o.URL == "":
		return exit.Usagef("where the application listens is not known").WithHint("give its port with --port, or its address with --url")
	case o.Port != 0 && o.URL != "":
		return exit.Usagef("--port and --url both say where the application listens").WithHint("leave one of them out")
	case o.App != "" && o.URL != "":
		return exit.Usagef("--app starts the application on this machine, and --url names another place").WithHint("give --port in the place of --url")
	case o.Limit < 1:
		return exit.Usagef("--limit %d is no size", o.Limit).WithHint("it is in MiB, and at least 1; the default is 64")
	case o.Live && o.HTTP:
		return exit.Usagef("--live stands in front of the database, and --http-only does not").WithHint("leave one of them out")
	case o.Live && !o.Place.Named(o.Streams):
		return exit.Usagef("--live needs a database").WithHint("name it with --dsn")
	}
	if o.URL == "" {
		o.URL = fmt.Sprintf("http://localhost:%d", o.Port)
	}
	u, err := url.Parse(o.URL)
	if err != nil || u.Scheme != "http" || u.Host == "" {
		return exit.Usagef("--url %s is no address of an application", flags.Shown(o.URL)).WithHint("such as http://localhost:3000; HTTPS is spoken by what stands in front of it")
	}
	o.URL = u.Scheme + "://" + u.Host
	if slices.ContainsFunc(o.Env, func(e string) bool { return !strings.Contains(e, "=") }) {
		return exit.Usagef("--env sets nothing where there is no =").WithHint("it looks like NAME=value")
	}
	return o.Place.Check()
}
