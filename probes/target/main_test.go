package target_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/ccheck/ccheck/probes/server/postgres/pgtest"
	"github.com/ccheck/ccheck/probes/target"
)

// canary is a password that must be found nowhere.
const canary = "S3CR3T/canary@9f:27"

// TestMain takes the PG* variables and the home directory of whoever runs the
// tests out of the way.
func TestMain(m *testing.M) {
	for _, pair := range os.Environ() {
		if name, _, _ := strings.Cut(pair, "="); strings.HasPrefix(name, "PG") {
			os.Unsetenv(name)
		}
	}
	home, err := os.MkdirTemp("", "target")
	if err != nil {
		panic(err)
	}
	os.Setenv("HOME", home)
	code := m.Run()
	os.RemoveAll(home)
	os.Exit(code)
}

var settings = target.DefaultSettings()

// run is a fresh run of this process.
func run() target.Run {
	return target.NewRun("v0.0.0-test", time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC))
}

// parse reads a connection string that must be right.
func parse(t *testing.T, dsn string) *target.Target {
	t.Helper()
	tg, err := target.Parse(target.Source{DSN: dsn})
	if err != nil {
		t.Fatal(err)
	}
	return tg
}

// fresh is an empty database on a real server, and its connection string.
func fresh(t *testing.T) (*target.Target, string) {
	t.Helper()
	dsn := pgtest.DSN(t)
	return parse(t, dsn), dsn
}

// change rewrites a URL.
func change(t *testing.T, dsn string, f func(*url.URL)) string {
	t.Helper()
	u, err := url.Parse(dsn)
	if err != nil {
		t.Fatal("the DSN is no URL")
	}
	f(u)
	return u.String()
}

func connect(t *testing.T, tg *target.Target, r target.Run) *pgconn.PgConn {
	t.Helper()
	conn, err := tg.Connect(t.Context(), r, settings)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close(context.Background()) })
	return conn
}

// plain is a connection that has nothing of ccheck about it.
func plain(t *testing.T, dsn string) *pgconn.PgConn {
	t.Helper()
	conn, err := pgconn.Connect(t.Context(), dsn)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close(context.Background()) })
	return conn
}

// query runs statements and returns the rows of all of them.
func query(t *testing.T, conn *pgconn.PgConn, sql string) [][]string {
	t.Helper()
	results, err := conn.Exec(t.Context(), sql).ReadAll()
	if err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
	var list [][]string
	for _, res := range results {
		for _, r := range res.Rows {
			var one []string
			for _, v := range r {
				one = append(one, string(v))
			}
			list = append(list, one)
		}
	}
	return list
}

// problem is the *target.Error that err must be; it must give nothing away.
func problem(t *testing.T, err error) *target.Error {
	t.Helper()
	var e *target.Error
	if !errors.As(err, &e) {
		t.Fatalf("want a *target.Error, got %v", err)
	}
	silent(t, e, canary)
	if e.Msg == "" || strings.ContainsAny(e.Msg, "\n\t") {
		t.Errorf("want one sentence, got %q", e.Msg)
	}
	return e
}

// silent prints v in every way there is and looks for the secret.
func silent(t *testing.T, v any, secret string) {
	t.Helper()
	for how, text := range printed(v) {
		for _, form := range []string{secret, url.QueryEscape(secret), url.PathEscape(secret)} {
			if form != "" && strings.Contains(text, form) {
				t.Errorf("%s shows the secret: %s", how, strings.ReplaceAll(text, form, "<HERE>"))
			}
		}
	}
}

func printed(v any) map[string]string {
	texts := map[string]string{}
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%d"} {
		texts[verb] = fmt.Sprintf(verb, v)
	}
	if err, ok := v.(error); ok {
		for e := errors.Unwrap(err); e != nil; e = errors.Unwrap(e) {
			texts["cause %T"] += fmt.Sprintf("%v %+v %#v", e, e, e)
		}
	}
	b, err := json.Marshal(v)
	texts["JSON"] = fmt.Sprint(string(b), err)
	var log bytes.Buffer
	slog.New(slog.NewTextHandler(&log, nil)).Info("m", "v", v)
	slog.New(slog.NewJSONHandler(&log, nil)).Info("m", "v", v)
	texts["slog"] = log.String()
	return texts
}

// await asks until the answer is yes. It gives up only with the test.
func await(t *testing.T, yes func() bool) {
	t.Helper()
	for !yes() {
		select {
		case <-t.Context().Done():
			t.Fatal("waited in vain")
		case <-time.After(10 * time.Millisecond):
		}
	}
}
