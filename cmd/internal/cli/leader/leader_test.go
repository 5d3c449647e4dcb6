package leader

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
		{args: "--scheme advisory --plant pool --instances 5"},
		{args: "--scheme rows", want: clitest.Outcome{Code: exit.Usage, Msg: `--scheme cannot be "rows"`, Hint: `did you mean "row"?`}},
		{args: "--plant x", want: clitest.Outcome{Code: exit.Usage, Msg: `--plant cannot be "x"`, Hint: "it takes blind, pool"}},
		{args: "--plant pool", want: clitest.Outcome{Code: exit.Usage, Msg: "--plant pool is for advisory locks, and --scheme is row", Hint: "use --scheme advisory"}},
		{args: "--url redis://h", want: clitest.Outcome{Code: exit.Usage, Msg: "--url is not for --scheme row", Hint: "a PostgreSQL is named by --dsn; --url names a Redis or an etcd"}},
		{args: "--scheme etcd --dsn x", want: clitest.Outcome{Code: exit.Usage, Msg: "a PostgreSQL was named, and --scheme is etcd", Hint: "leave --dsn out, or use --scheme row or advisory"}},
		{args: "--ttl 100ms", want: clitest.Outcome{Code: exit.Usage, Msg: "--ttl 100ms is no time to live for a leader", Hint: "it is from 500ms to 1m; the default is 1s"}},
		{args: "--scheme etcd --ttl 1500ms", want: clitest.Outcome{Code: exit.Usage, Msg: "--ttl 1.5s: etcd counts leases in whole seconds", Hint: "give 1s or 2s"}},
		{args: "--instances 1", want: clitest.Outcome{Code: exit.Usage, Msg: "--instances 1: nobody could take over, or there are no names for all", Hint: "it is from 2 to 26; the default is 3"}},
		{args: "--rounds 0", want: clitest.Outcome{Code: exit.Usage, Msg: "--rounds 0: it is done at least once", Hint: "the default is 1"}},
		{args: "--scheme exec --through REDIS_URL -- ./worker"},
		{args: "--scheme http --instance http://a --instance http://b"},
		{args: "now", want: clitest.Outcome{Code: exit.Usage, Msg: `leader does not take the argument "now"`, Hint: "a command is for --scheme exec, behind two dashes"}},
		{args: "--scheme exec", want: clitest.Outcome{Code: exit.Usage, Msg: "--scheme exec needs a command", Hint: "write it behind two dashes: ccheck leader --scheme exec -- ./worker"}},
		{args: "--scheme exec --dsn x -- ./worker", want: clitest.Outcome{Code: exit.Usage, Msg: "a server was named, and --scheme is exec", Hint: "name it in a variable of the command, and that by --through"}},
		{args: "--scheme exec --plant blind -- ./worker", want: clitest.Outcome{Code: exit.Usage, Msg: "--plant is for the references, and --scheme exec is your own service", Hint: "leave it out"}},
		{args: "--through X", want: clitest.Outcome{Code: exit.Usage, Msg: "--through is for the processes of --scheme exec", Hint: "leave it out"}},
		{args: "--scheme http --instance http://a", want: clitest.Outcome{Code: exit.Usage, Msg: "--scheme http needs the URLs of at least two instances", Hint: "give --instance for each; `ccheck explain leader` says what it answers"}},
		{args: "--scheme http --instance http://a --instance http://b --url redis://h", want: clitest.Outcome{Code: exit.Usage, Msg: "a server was named, and --scheme is http", Hint: "the instances know their own; leave it out"}},
		{args: "--break x", want: clitest.Outcome{Code: exit.Usage, Msg: "--instance, --break and --mend are for --scheme http", Hint: "leave them out, or use --scheme http"}},
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
