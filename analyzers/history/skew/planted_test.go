//go:build linux

package skew

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/ccheck/ccheck/analyzers/check"
	"github.com/ccheck/ccheck/analyzers/driver"
	"github.com/ccheck/ccheck/analyzers/report"
	"github.com/ccheck/ccheck/probes/clock"
	"github.com/ccheck/ccheck/probes/history"
	"github.com/ccheck/ccheck/probes/server/postgres"
	"github.com/ccheck/ccheck/probes/server/postgres/pgtest"
)

// judged drives the probe and judges what it recorded.
func judged(t *testing.T, o clock.Options, params ...history.Parameter) (driver.Result, error) {
	t.Helper()
	o.Path = filepath.Join(t.TempDir(), "run.jsonl")
	o.Header.Params = params
	o.Every, o.Duration = 37*time.Millisecond, 1500*time.Millisecond
	driveErr := clock.Drive(t.Context(), o)
	for _, s := range o.Sources {
		s.Close(t.Context())
	}
	f, err := history.Open(o.Path)
	if err != nil {
		t.Fatal(err)
	}
	res, err := driver.Judge(t.Context(), f, []*check.Checker{Checker})
	if err != nil {
		t.Fatal(err)
	}
	return res, driveErr
}

// is fails unless the verdict is that, with a finding of the claim where it is
// faulty.
func is(t *testing.T, res driver.Result, err error, want report.Verdict, claim string) {
	t.Helper()
	if err != nil || res.Verdict != want {
		t.Fatalf("%s: %v %+v %v", res.Verdict, res.Reasons, res.Findings, err)
	}
	if want == report.Faulty && res.Findings[0].Claim != claim {
		t.Errorf("it is about %q, want %q", res.Findings[0].Claim, claim)
	}
}

func connect(t *testing.T, config *pgconn.Config) *pgconn.PgConn {
	t.Helper()
	conn, err := pgconn.ConnectConfig(t.Context(), config)
	if err != nil {
		t.Fatal(err)
	}
	return conn
}

// library is libfaketime: a test that needs it proves nothing without.
func library(t *testing.T) string {
	t.Helper()
	path, err := clock.FindLibrary()
	if err != nil {
		t.Fatalf("%v; apt-get install faketime", err)
	}
	return path
}

// A database whose clock is two minutes behind is found; one whose clock is
// right is not.
func TestOffset(t *testing.T) {
	res, err := judged(t, clock.Options{Sources: []clock.Source{clock.Database("db", connect(t, pgtest.Config(t)))}})
	is(t, res, err, report.Clean, "")

	server, err := postgres.Start(t.Context(), postgres.Options{Dir: postgres.MemoryDir(), Install: behind(t)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = server.Stop(t.Context()) })
	res, err = judged(t, clock.Options{Sources: []clock.Source{clock.Database("db", connect(t, server.Config()))}})
	is(t, res, err, report.Faulty, claimOffset)
	if f := res.Findings[0]; !strings.Contains(f.Message, "2m") || !strings.Contains(f.Message, "behind") {
		t.Errorf("it says %q", f.Message)
	}
}

// behind is an installation whose servers have a clock two minutes behind.
func behind(t *testing.T) *postgres.Install {
	t.Helper()
	found, err := postgres.Find(t.Context())
	if err != nil || len(found) == 0 {
		t.Fatalf("no PostgreSQL: %v", err)
	}
	install := found[0]
	dir, err := os.MkdirTemp("", "ccheck-test-") // t.TempDir cannot be entered by the user of the server
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	programs, err := os.ReadDir(install.Bin)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range programs {
		if err := os.Symlink(filepath.Join(install.Bin, p.Name()), filepath.Join(dir, p.Name())); err != nil {
			t.Fatal(err)
		}
	}
	script := "#!/bin/sh\nLD_PRELOAD=" + library(t) + " FAKETIME=-120 FAKETIME_DONT_FAKE_MONOTONIC=1 DONT_FAKE_MONOTONIC=1 NO_FAKE_STAT=1 exec " + install.Bin + "/postgres \"$@\"\n"
	path := filepath.Join(dir, "postgres")
	if err := errors.Join(os.Remove(path), os.WriteFile(path, []byte(script), 0o755)); err != nil {
		t.Fatal(err)
	}
	install.Bin = dir
	return &install
}

// Stamps of a clock that is ahead are out of order; those of right ones are not.
func TestOrder(t *testing.T) {
	for skew, want := range map[time.Duration]report.Verdict{0: report.Clean, time.Minute: report.Faulty} {
		config := pgtest.Config(t)
		conn := connect(t, config)
		if _, err := conn.Exec(t.Context(), clock.Table).ReadAll(); err != nil {
			t.Fatal(err)
		}
		conn.Close(t.Context())
		res, err := judged(t, clock.Options{Events: &clock.Events{Config: config, Each: 300, Skew: skew}})
		is(t, res, err, want, claimOrder)
	}
}

// A date that is a minute and a half behind is found, one that is right is not.
func TestDate(t *testing.T) {
	for shift, want := range map[time.Duration]report.Verdict{0: report.Clean, -90 * time.Second: report.Faulty} {
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Date", time.Now().Add(shift).UTC().Format(http.TimeFormat))
		}))
		defer s.Close()
		res, err := judged(t, clock.Options{Sources: []clock.Source{clock.HTTP("app", s.URL, 5*time.Second)}})
		is(t, res, err, want, claimOffset)
	}
}

const secret = "of the test"

// door accepts tokens by their signature and their time, with a leeway; below
// zero it does not look at the time.
func door(leeway time.Duration) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		signed, signature, _ := cutLast(strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer "))
		h := hmac.New(sha256.New, []byte(secret))
		h.Write([]byte(signed))
		given, err1 := base64.RawURLEncoding.DecodeString(signature)
		_, body, _ := strings.Cut(signed, ".")
		text, err2 := base64.RawURLEncoding.DecodeString(body)
		var claims struct{ Exp, Nbf int64 }
		err3 := json.Unmarshal(text, &claims)
		now := time.Now()
		early := now.Before(time.Unix(claims.Nbf, 0).Add(-leeway))
		late := now.After(time.Unix(claims.Exp, 0).Add(leeway))
		if errors.Join(err1, err2, err3) != nil || !hmac.Equal(given, h.Sum(nil)) || leeway >= 0 && (early || late) {
			w.WriteHeader(http.StatusUnauthorized)
		}
	}
}

func cutLast(s string) (before, after string, ok bool) {
	i := strings.LastIndex(s, ".")
	if i < 0 {
		return s, "", false
	}
	return s[:i], s[i+1:], true
}

func TestToken(t *testing.T) {
	send := func(t *testing.T, leeway time.Duration, secret string) (driver.Result, error) {
		s := httptest.NewServer(door(leeway))
		defer s.Close()
		return judged(t, clock.Options{Token: &clock.Token{
			Method: "GET", URL: s.URL, Secret: secret, Limit: 5 * time.Second, Headers: http.Header{"Authorization": {"Bearer {{jwt}}"}},
		}})
	}
	for name, tt := range map[string]struct {
		leeway time.Duration
		want   report.Verdict
		says   string
	}{
		"a minute": {time.Minute, report.Clean, ""},
		"none":     {0, report.Faulty, "a second ahead"},
		"an hour":  {time.Hour, report.Faulty, "more than 5m"},
		"for ever": {-1, report.Faulty, "ten years ago"},
	} {
		t.Run(name, func(t *testing.T) {
			res, err := send(t, tt.leeway, secret)
			is(t, res, err, tt.want, claimToken)
			if tt.want == report.Faulty && !strings.Contains(res.Findings[0].Message, tt.says) {
				t.Errorf("it says %q", res.Findings[0].Message)
			}
		})
	}
	open := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	defer open.Close()
	res, err := judged(t, clock.Options{Token: &clock.Token{Method: "GET", URL: open.URL, Limit: 5 * time.Second, Headers: http.Header{"Stamp": {"{{unix}}"}}}})
	is(t, res, err, report.Unknown, "")
	_, err = send(t, time.Minute, "another")
	var refused *clock.RefusedError
	if !errors.As(err, &refused) {
		t.Errorf("a wrong secret: %v", err)
	}
}

// A duration by the wall clock is wrong when the clock is set, and one by the
// monotonic clock is not.
func TestStep(t *testing.T) {
	run := func(t *testing.T, command []string, by time.Duration) (driver.Result, error) {
		return judged(t, clock.Options{Step: &clock.Step{By: by, After: 300 * time.Millisecond, Command: command, Library: library(t), Limit: time.Minute}})
	}
	for _, by := range []time.Duration{-30 * time.Second, 30 * time.Second} {
		res, err := run(t, clock.ByWall, by)
		is(t, res, err, report.Faulty, claimStep)
		res, err = run(t, clock.ByMonotonic, by)
		is(t, res, err, report.Clean, "")
	}
	for name, command := range map[string][]string{"at once": {"true"}, "no line": {"sleep", "1"}, "fails": {"sh", "-c", "sleep 1; exit 7"}, "not there": {"/no/such/program"}} {
		_, err := run(t, command, time.Minute)
		var failed *clock.CommandError
		if !errors.As(err, &failed) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
