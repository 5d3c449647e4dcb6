package lease

import (
	"context"
	"strings"
	"testing"

	"github.com/ccheck/ccheck/cmd/internal/cli/clitest"
	"github.com/ccheck/ccheck/cmd/internal/exit"
	"github.com/ccheck/ccheck/cmd/internal/stdio"
)

func TestOptions(t *testing.T) {
	tests := []struct {
		args string
		want clitest.Outcome
	}{
		{args: ""},
		{args: "--backend redis --plant compare --ttl 500ms"},
		{args: "--backend exec -- ./worker --leases"},
		{args: "--backend http --url http://localhost:8080"},
		{args: "--backend reddis", want: clitest.Outcome{Code: exit.Usage, Msg: `--backend cannot be "reddis"`, Hint: `did you mean "redis"?`}},
		{args: "--plant nothing", want: clitest.Outcome{Code: exit.Usage, Msg: `--plant cannot be "nothing"`, Hint: "it takes expiry, random, clock, compare, delete, revive, restart, skew"}},
		{args: "--backend exec", want: clitest.Outcome{Code: exit.Usage, Msg: "--backend exec needs a command", Hint: "write it behind two dashes: ccheck lease --backend exec -- ./worker --leases"}},
		{args: "./worker", want: clitest.Outcome{Code: exit.Usage, Msg: `lease does not take the argument "./worker"`, Hint: "a command is for --backend exec, behind two dashes"}},
		{args: "--backend http", want: clitest.Outcome{Code: exit.Usage, Msg: "--backend http needs --url", Hint: "the calls are POST URL/acquire, URL/renew and so on; `ccheck explain lease` has them"}},
		{args: "--url redis://h", want: clitest.Outcome{Code: exit.Usage, Msg: "--url is not for --backend postgres", Hint: "a PostgreSQL is named by --dsn; --url names a Redis, an etcd or an application"}},
		{args: "--backend redis --dsn x", want: clitest.Outcome{Code: exit.Usage, Msg: "a PostgreSQL was named, and --backend is redis", Hint: "leave --dsn out, or use --backend postgres"}},
		{args: "--backend redis --plant skew", want: clitest.Outcome{Code: exit.Usage, Msg: "--plant skew is for PostgreSQL: redis has no clock in its calls", Hint: "use --backend postgres"}},
		{args: "--backend exec --plant clock -- ./worker", want: clitest.Outcome{Code: exit.Usage, Msg: "--plant is for the references, and --backend exec is your own code", Hint: "leave it out"}},
		{args: "--ttl 10ms", want: clitest.Outcome{Code: exit.Usage, Msg: "--ttl 10ms is too short for a pause to be told from a slow answer", Hint: "it is at least 100ms; the default is 1s"}},
		{args: "--ttl 2m", want: clitest.Outcome{Code: exit.Usage, Msg: "--ttl 2m0s: every pause is longer than that", Hint: "it is at most 1m; the default is 1s"}},
		{args: "--backend etcd --ttl 1500ms", want: clitest.Outcome{Code: exit.Usage, Msg: "--ttl 1.5s: etcd counts leases in whole seconds", Hint: "give 1s or 2s"}},
		{args: "--rounds 0", want: clitest.Outcome{Code: exit.Usage, Msg: "--rounds 0: the owners take turns at least once", Hint: "the default is 1"}},
		{args: "--clients 0", want: clitest.Outcome{Code: exit.Usage, Msg: "--clients 0 is no number of clients", Hint: "it is from 1 to 256; --duration 0 leaves them out"}},
		{args: "--names 0", want: clitest.Outcome{Code: exit.Usage, Msg: "--names 0 is no number of leases", Hint: "it is at least 1; the default is 8"}},
		{args: "--duration -1s", want: clitest.Outcome{Code: exit.Usage, Msg: "--duration -1s is negative", Hint: "0 leaves the many clients out"}},
	}
	for _, tt := range tests {
		s, _ := stdio.Test()
		ran := false
		err := clitest.Run(t, New(s, func(context.Context, *Options) error { ran = true; return nil }), strings.Fields(tt.args)...)
		if got := clitest.Of(err); got != tt.want || ran != (err == nil) {
			t.Errorf("%s: %+v, want %+v", tt.args, got, tt.want)
		}
	}
}
