package leader

import (
	"context"
	"fmt"
	"net/url"
	"os"

	"github.com/ccheck/ccheck/cmd/internal/exit"
	"github.com/ccheck/ccheck/cmd/internal/flags"
	"github.com/ccheck/ccheck/cmd/internal/verdict"
	"github.com/ccheck/ccheck/probes/history"
	"github.com/ccheck/ccheck/probes/leader"
)

// The schemes of instances that are the user's own.
const (
	schemeExec = "exec"
	schemeHTTP = "http"
)

// databaseVar is where an instance finds its database when nothing else is said.
const databaseVar = "DATABASE_URL"

// own are the instances of the user's, when the scheme is theirs.
type own struct {
	*Options
	command *leader.Command
	watch   *leader.Watch
}

// fits finds flags that do not go together with the scheme.
func (o *Options) fits() error {
	server := o.URL != "" || o.Place.Target.Flagged()
	theirs := o.Scheme == schemeExec || o.Scheme == schemeHTTP
	switch {
	case o.Scheme == schemeExec && len(o.Command) == 0:
		return exit.Usagef("--scheme exec needs a command").WithHint("write it behind two dashes: ccheck leader --scheme exec -- ./worker")
	case o.Scheme != schemeExec && len(o.Command) > 0:
		return exit.Usagef("leader does not take the argument %s", flags.Shown(o.Command[0])).WithHint("a command is for --scheme exec, behind two dashes")
	case o.Scheme != schemeExec && len(o.Through) > 0:
		return exit.Usagef("--through is for the processes of --scheme exec").WithHint("leave it out")
	case o.Scheme == schemeHTTP && len(o.URLs) < 2:
		return exit.Usagef("--scheme http needs the URLs of at least two instances").WithHint("give --instance for each; `ccheck explain leader` says what it answers")
	case o.Scheme != schemeHTTP && (len(o.URLs) > 0 || o.Break != "" || o.Mend != ""):
		return exit.Usagef("--instance, --break and --mend are for --scheme http").WithHint("leave them out, or use --scheme http")
	case theirs && o.Plant != "":
		return exit.Usagef("--plant is for the references, and --scheme %s is your own service", o.Scheme).WithHint("leave it out")
	case o.Scheme == schemeExec && server:
		return exit.Usagef("a server was named, and --scheme is exec").WithHint("name it in a variable of the command, and that by --through")
	case o.Scheme == schemeHTTP && server:
		return exit.Usagef("a server was named, and --scheme is http").WithHint("the instances know their own; leave it out")
	}
	if o.Scheme == schemeHTTP {
		o.Instances = len(o.URLs)
	}
	for _, raw := range o.URLs {
		if u, err := url.Parse(raw); err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
			return exit.Usagef("--instance has no address of an instance").WithHint("it looks like http://127.0.0.1:8081/leader")
		}
	}
	return nil
}

// target opens the instances of the user's, and is nil where they are ours.
func (o *own) target() func(context.Context) (history.Target, func(context.Context), error) {
	switch o.Scheme {
	case schemeExec:
		return o.processes
	case schemeHTTP:
		return func(context.Context) (history.Target, func(context.Context), error) {
			o.watch = &leader.Watch{URLs: o.URLs, Break: o.Break, Mend: o.Mend, Duration: o.Duration}
			return o.watch.Target(), nil, nil
		}
	}
	return nil
}

// processes finds the command and what it reaches through ccheck: a throw-away
// PostgreSQL where nothing is named.
func (o *own) processes(ctx context.Context) (t history.Target, leave func(context.Context), err error) {
	o.command = &leader.Command{Args: o.Command, Environ: os.Environ()}
	if t, err = o.command.Target(); err != nil {
		return t, nil, err
	}
	for _, name := range o.Through {
		th, err := leader.NewThrough(name, o.Streams.Env(name))
		if err != nil {
			return t, nil, err
		}
		o.command.Through = append(o.command.Through, th)
	}
	if len(o.Through) > 0 {
		return t, nil, nil
	}
	o.Place.Throwaway = true
	p, err := o.Place.Open(ctx, o.Streams, 10*o.Instances)
	if err != nil {
		return t, nil, err
	}
	th, err := leader.NewThrough(databaseVar, p.Server.DSN())
	o.command.Through = []leader.Through{th}
	return t, p.Close, err
}

// again is how to see a finding again, as a parameter of the history.
func (o *Options) again() []history.Parameter {
	words := []string{"ccheck leader --scheme " + o.Scheme}
	if o.Plant != "" {
		words = append(words, "--plant "+o.Plant)
	}
	words = append(words, fmt.Sprintf("--ttl %s --seed %d", o.TTL, o.Seed.Pick()))
	each := func(flag string, values ...string) {
		for _, v := range values {
			if v != "" {
				words = append(words, flag, flags.Quoted(v))
			}
		}
	}
	each("--url", flags.Redacted(o.URL))
	words = append(words, o.Place.Again()...)
	each("--through", o.Through...)
	for _, raw := range o.URLs {
		each("--instance", flags.Redacted(raw))
	}
	each("--break", o.Break)
	each("--mend", o.Mend)
	if len(o.Command) > 0 {
		words = append(words, "--")
		for _, w := range o.Command {
			words = append(words, flags.Quoted(w))
		}
	}
	return verdict.Command(words...)
}
