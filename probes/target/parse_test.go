package target_test

import (
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ccheck/ccheck/probes/target"
)

func TestParse(t *testing.T) {
	enc := url.QueryEscape(canary)
	tests := []struct {
		name, dsn, want string
		warnings        int
	}{
		{"URL", "postgres://app@db.test:6543/shop", "db.test:6543/shop as app (sslmode prefer)", 0},
		{"URL with a password", "postgresql://app:" + enc + "@db.test/shop?sslmode=require", "db.test:5432/shop as app (sslmode require)", 1},
		{"password as parameter", "postgres://app@db.test/shop?sslmode=verify-full&password=" + enc, "db.test:5432/shop as app (sslmode verify-full)", 1},
		{"keywords", "host=db.test user=app dbname=shop sslmode=disable", "db.test:5432/shop as app (sslmode disable)", 0},
		{"keywords with a password", "host=db.test user=app dbname=shop sslmode=allow password = '" + canary + "'", "db.test:5432/shop as app (sslmode allow)", 1},
		{"database from the user", "host=db.test user=app", "db.test:5432/app as app (sslmode prefer)", 0},
		{"socket", "host=/var/run/postgresql user=app dbname=shop", "/var/run/postgresql:5432/shop as app (sslmode socket)", 0},
		{"IPv6", "postgres://app@[::1]:5433/shop?sslmode=verify-ca", "[::1]:5433/shop as app (sslmode verify-ca)", 0},
		{"several hosts", "postgres://app@a.test:1,b.test:2/shop", "a.test:1,b.test:2/shop as app (sslmode prefer)", 0},
		{"libpq's keepalives", "host=db.test user=app dbname=shop keepalives_idle=5 gssencmode=disable", "db.test:5432/shop as app (sslmode prefer)", 0},
		{"Prisma's keys", "postgres://app@db.test/shop?schema=public&connection_limit=5", "db.test:5432/shop as app (sslmode prefer)", 1},
		{"settings of ours", "postgres://app@db.test/shop?statement_timeout=0", "db.test:5432/shop as app (sslmode prefer)", 1},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			tg := parse(t, tt.dsn)
			if got := tg.String(); got != tt.want {
				t.Errorf("got %s, want %s", got, tt.want)
			}
			if len(tg.Warnings) != tt.warnings {
				t.Errorf("warnings %q, want %d", tg.Warnings, tt.warnings)
			}
			silent(t, tg, canary)
			silent(t, struct{ hidden *target.Target }{tg}, canary)
			silent(t, tg.Warnings, canary)
		})
	}
}

func TestParseRefuses(t *testing.T) {
	tests := []struct{ name, dsn, msg, hint string }{
		{"slip in a key", "host=h pasword=" + canary, `--dsn has the unknown key "pasword"`, `did you mean "password"?`},
		{"slip in a URL's key", "postgres://h/db?sslmod=require&password=" + url.QueryEscape(canary), `unknown key "sslmod"`, `"sslmode"`},
		{"another tool's word", "host=h passwd=" + canary, `unknown key "passwd"`, `"password"`},
		{"password with a space", "host=h password=x " + canary + "=y", "no connection parameter (not shown", "single quotes"},
		{"port is no number", "password = '" + canary + "' port=abc", "has a port that is no number", ""},
		{"slash in a URL's password", "postgres://app:S/" + canary + "@h/db", "has a port that is no number", "percent-encode"},
		{"at sign in a URL's password", "postgres://app:S@" + canary + "@h/db", "has a database name with @ or :", "percent-encode"},
		{"at sign and no colon", "postgres://app:S@x@h/db", "has a host that is no host name", "percent-encode"},
		{"password behind the slash", "postgres://app/" + canary + "@h", "has a database name with @ or :", "percent-encode"},
		{"bad escape", "postgres://app:%zz" + canary, "has a % or a space that is not percent-encoded", ""},
		{"bad escape in the password", "postgres://app:%zz@h/db", "has a % or a space that is not percent-encoded", "%25"},
		{"parameter without value", "postgres://h/db?" + canary, "not key=value", "percent-encode"},
		{"open bracket", "postgres://app@[::1/db", "is a URL that cannot be read", "[ ]"},
		{"open quote", "host=h password='" + canary, "is not made of keyword=value pairs", "single quotes"},
		{"words", canary, "is neither a URL nor keyword=value pairs", "postgres://"},
		{"another database", "mysql://app:" + canary + "@h/db", "is a URL, but not one of PostgreSQL", "postgres://"},
		{"SQLAlchemy's scheme", "postgresql+asyncpg://app@h/db", "is a URL, but not one of PostgreSQL", "driver"},
		{"JDBC", "jdbc:postgresql://h/db", "is a URL, but not one of PostgreSQL", "postgres://"},
		{"scheme in capitals", "POSTGRES://app:" + canary + "@h/db?sslmode=disable", "is a URL, but not one of PostgreSQL", ""},
		{"sslmode", "host=h sslmode=" + canary, "has an unknown sslmode", "verify-full"},
		{"session attributes", "host=h target_session_attrs=" + canary, "has an unknown target_session_attrs", "primary"},
		{"time-out", "host=h connect_timeout=" + canary, "has a connect_timeout that is no number", "connect_timeout=10"},
		{"hosts and ports", "host=a,b,c port=1,2", "different number of hosts and ports", ""},
		{"service", "service=" + canary, "names a service", "pg_service.conf"},
		{"root certificate", "host=h sslmode=verify-full sslrootcert=/" + canary, "has an sslrootcert that cannot be read", "PEM"},
		{"client certificate", "host=h sslmode=require sslcert=/x sslkey=/" + canary, "has a client certificate or key that cannot be read", ""},
		{"half a client certificate", "host=h sslmode=require sslcert=/" + canary, "has only one of sslcert and sslkey", "both"},
		{"hostaddr", "hostaddr=10.0.0.1", "sets hostaddr, which ccheck does not support", "host"},
		{"GSS encryption", "host=h gssencmode=require", "sets gssencmode=require", "sslmode"},
		{"NUL", "host=h password=\x00" + canary, "holds a NUL byte", ""},
		{"two lines", "postgres://app@h/db\nx", "has a control character", "one line"},
		{"empty", " ", "--dsn is empty", "set?"},
		{"env without a name", "env:postgres://" + canary, "needs the name of an environment variable", "env:NAME"},
		{"env not set", "env:NOT_SET", "env:NOT_SET: the variable is not set", "export NOT_SET"},
		{"a password as the name", "env:secret", "--dsn env: names a variable that is not set", "env:NAME"},
		{"no input", "-", "standard input", "pipe"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			tg, err := target.Parse(target.Source{DSN: tt.dsn})
			if err == nil {
				t.Fatalf("accepted as %s", tg)
			}
			e := problem(t, err)
			if e.Exit != 2 || e.Kind != target.Usage {
				t.Errorf("want a usage error, got kind %q with exit %d", e.Kind, e.Exit)
			}
			if !strings.Contains(e.Msg, tt.msg) || !strings.Contains(e.Hint, tt.hint) {
				t.Errorf("got %q, hint %q; want %q, %q", e.Msg, e.Hint, tt.msg, tt.hint)
			}
		})
	}
}

func TestSources(t *testing.T) {
	file := write(t, "  postgres://file@h/db\n", 0o600)
	env := func(pairs ...string) func(string) string {
		return func(name string) string {
			for i := 0; i < len(pairs); i += 2 {
				if pairs[i] == name {
					return pairs[i+1]
				}
			}
			return ""
		}
	}
	all := env("CCHECK_DSN", "postgres://ccheck@h/db", "DATABASE_URL", "postgres://url@h/db", "OTHER", "user=other host=h", "PGHOST", "h")
	tests := []struct {
		name string
		src  target.Source
		user string
	}{
		{"flag before all", target.Source{DSN: "user=flag host=h", Env: all, UseDatabaseURL: true}, "flag"},
		{"variable named by the flag", target.Source{DSN: "env:OTHER", Env: all}, "other"},
		{"standard input", target.Source{DSN: "-", Env: all, Stdin: strings.NewReader("user=stdin host=h\n")}, "stdin"},
		{"file", target.Source{DSNFile: file, Env: all}, "file"},
		{"file of an editor on Windows", target.Source{DSNFile: write(t, "\ufeffhost=h user=file\r\n", 0o600), Env: all}, "file"},
		{"CCHECK_DSN", target.Source{Env: all, UseDatabaseURL: true}, "ccheck"},
		{"DATABASE_URL when asked for", target.Source{Env: env("DATABASE_URL", "postgres://url@h/db", "PGHOST", "h"), UseDatabaseURL: true}, "url"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			tg, err := target.Parse(tt.src)
			if err != nil {
				t.Fatal(err)
			}
			if tg.User() != tt.user {
				t.Errorf("user %s, want %s", tg.User(), tt.user)
			}
		})
	}
}

func TestSourcesRefuse(t *testing.T) {
	databaseURL := func(name string) string { return map[string]string{"DATABASE_URL": "postgres://h/db"}[name] }
	long := write(t, strings.Repeat(canary, 10000), 0o600)
	tests := []struct {
		name string
		src  target.Source
		kind target.Kind
		msg  string
	}{
		{"nothing", target.Source{}, target.NoTarget, "no server is named"},
		{"DATABASE_URL alone", target.Source{Env: databaseURL}, target.NoTarget, "no server is named"},
		{"DATABASE_URL not set", target.Source{UseDatabaseURL: true}, target.Usage, "DATABASE_URL is not set"},
		{"empty flag", target.Source{DSNGiven: true, Env: databaseURL, UseDatabaseURL: true}, target.Usage, "--dsn is empty"},
		{"flag and file", target.Source{DSN: "host=h", DSNFile: "x"}, target.Usage, "both given"},
		{"no file", target.Source{DSNFile: filepath.Join(t.TempDir(), "none")}, target.Usage, "no such file"},
		{"empty file", target.Source{DSNFile: write(t, " \n", 0o600)}, target.Usage, "it is empty"},
		{"long file", target.Source{DSNFile: long}, target.Usage, "longer than 64 KiB"},
		{"a DSN as the file", target.Source{DSNFile: "postgres://app:" + canary + "@h/db"}, target.Usage, "looks like a connection string"},
		{"keywords as the file", target.Source{DSNFile: "host=h password=" + canary}, target.Usage, "looks like a connection string"},
		{"empty input", target.Source{DSN: "-", Stdin: strings.NewReader("")}, target.Usage, "it is empty"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := target.Parse(tt.src)
			e := problem(t, err)
			if e.Kind != tt.kind || e.Exit != 2 || !strings.Contains(e.Msg, tt.msg) {
				t.Errorf("got kind %q, exit %d, %q; want kind %q, %q", e.Kind, e.Exit, e.Msg, tt.kind, tt.msg)
			}
		})
	}
}

// TestPGVariables has the process environment name the server, through a
// service file too, whose unknown keys would go to the server as settings.
func TestPGVariables(t *testing.T) {
	t.Setenv("PGHOST", "pg.test")
	t.Setenv("PGUSER", "app")
	t.Setenv("PGPASSWORD", canary)
	tg, err := target.Parse(target.Source{Env: os.Getenv})
	if err != nil {
		t.Fatal(err)
	}
	if want := "pg.test:5432/app as app (sslmode prefer)"; tg.String() != want {
		t.Errorf("got %s, want %s", tg, want)
	}
	silent(t, tg, canary)

	t.Setenv("PGSERVICEFILE", write(t, "[shop]\nhost=service.test\npasword="+canary+"\n", 0o600))
	t.Setenv("PGSERVICE", "shop")
	_, err = target.Parse(target.Source{Env: os.Getenv})
	if e := problem(t, err); !strings.Contains(e.Msg, `unknown key "pasword"`) {
		t.Errorf("got %q", e.Msg)
	}

	t.Setenv("PGSERVICE", "")
	t.Setenv("PGPORT", canary)
	_, err = target.Parse(target.Source{Env: os.Getenv})
	if e := problem(t, err); !strings.Contains(e.Msg, "the PG* environment has a port") {
		t.Errorf("got %q", e.Msg)
	}
}

func TestWarnings(t *testing.T) {
	open := write(t, "postgres://app:pw@h/db", 0o644)
	hostaddr := func(name string) string { return map[string]string{"PGHOSTADDR": "10.0.0.1"}[name] }
	tests := []struct {
		name string
		src  target.Source
		want string
	}{
		{"password in argv", target.Source{DSN: "postgres://app:pw@h/db"}, "can be seen by everybody"},
		{"key password in argv", target.Source{DSN: "host=h sslpassword=pw"}, "can be seen by everybody"},
		{"open file", target.Source{DSNFile: open}, "chmod 600"},
		{"PGHOSTADDR", target.Source{DSN: "host=h", Env: hostaddr}, "PGHOSTADDR has no effect"},
		{"pgbouncer", target.Source{DSN: "postgres://h/db?pgbouncer=true"}, "pgbouncer of --dsn has no effect"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			tg, err := target.Parse(tt.src)
			if err != nil {
				t.Fatal(err)
			}
			if got := strings.Join(tg.Warnings, "|"); !strings.Contains(got, tt.want) || len(tg.Warnings) != 1 {
				t.Errorf("warnings %q, want one with %q", tg.Warnings, tt.want)
			}
		})
	}
}

func write(t *testing.T, text string, mode os.FileMode) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(path, []byte(text), mode); err != nil {
		t.Fatal(err)
	}
	return path
}

// FuzzParse puts a canary into any connection string: no error shows it, and
// when it became the password and nothing else, nothing does.
func FuzzParse(f *testing.F) {
	const bird = "q7Zcanary7Qx"
	for _, s := range [][2]string{
		{"postgres://app:", "@h/db"}, {"postgres://app:a@", "@h/db"}, {"postgres://app:a/", "@h/db?sslmode=x"},
		{"postgres://app@h/db?password=", "&port=x"}, {"postgres://h/", ""}, {"postgres://[", "]:1/d"},
		{"host=h password='", "' port=abc"}, {"host=h password = ", " x"}, {"pasword=", ""}, {"host=h pass", "=x"},
		{"", ""}, {"env:", ""}, {"mysql://", "@h"}, {"postgres://%", "%zz@h"}, {"postgres://h,", ":1,2/d"},
		{"host=h `: connection string key \"", "\" is not in ConnStringAllowedKeys=1"}, {"service=", " host=h"}, {"host=h\x00", ""},
	} {
		f.Add(s[0], s[1])
	}
	f.Fuzz(func(t *testing.T, before, after string) {
		tg, err := target.Parse(target.Source{DSN: before + bird + after})
		if err != nil {
			silent(t, err, bird)
			return
		}
		cfg := tg.Config(target.Run{ID: "x"}, target.Settings{})
		shown := tg.Address() + tg.User()
		for _, v := range cfg.RuntimeParams {
			shown += v
		}
		if strings.Contains(cfg.Password, bird) && !strings.Contains(shown, bird) {
			silent(t, tg, bird)
			silent(t, tg.Warnings, bird)
		}
	})
}
