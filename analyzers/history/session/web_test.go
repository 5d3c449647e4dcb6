//go:build linux || darwin

package session

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/ccheck/ccheck/analyzers/check"
	"github.com/ccheck/ccheck/analyzers/driver"
	"github.com/ccheck/ccheck/analyzers/report"
	"github.com/ccheck/ccheck/probes/history"
	"github.com/ccheck/ccheck/probes/lag"
)

// application keeps a name on the primary and reads it from the replica. One
// that pins reads from the primary for who has written, which a cookie tells.
func application(t *testing.T, primary, replica *pgconn.Config, pins bool) http.Handler {
	// net/http serves requests side by side, and a session is for one at a time.
	ask := func(config *pgconn.Config, sql, arg string) (string, error) {
		conn, err := pgconn.ConnectConfig(t.Context(), config)
		if err != nil {
			return "", err
		}
		defer conn.Close(t.Context())
		var args [][]byte
		if arg != "" {
			args = [][]byte{[]byte(arg)}
		}
		res := conn.ExecParams(t.Context(), sql, args, nil, nil, nil).Read()
		if res.Err != nil || len(res.Rows) == 0 {
			return "", res.Err
		}
		return string(res.Rows[0][0]), nil
	}
	mux := http.NewServeMux()
	answer := func(w http.ResponseWriter, text string, err error) {
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		fmt.Fprintf(w, `{"name":%q}`, text)
	}
	mux.HandleFunc("POST /name", func(w http.ResponseWriter, r *http.Request) {
		if pins {
			http.SetCookie(w, &http.Cookie{Name: "wrote", Value: "yes"})
		}
		text, err := ask(primary, "update person set name = $1 returning name", r.FormValue("value"))
		answer(w, text, err)
	})
	mux.HandleFunc("GET /name", func(w http.ResponseWriter, r *http.Request) {
		config := replica
		if _, err := r.Cookie("wrote"); err == nil && pins {
			config = primary
		}
		text, err := ask(config, "select name from person", "")
		answer(w, text, err)
	})
	return mux
}

// An application that reads from a late replica does not show who wrote what was
// written; one that keeps the writer on the primary does, and the lag is seen by
// a stranger.
func TestApplication(t *testing.T) {
	l := newLab(t, 1, 150*time.Millisecond, nil)
	statement(t, l.primary.Config(), "create table person (name text); insert into person values ('')")
	for !has(t, l.Replicas[0].Config(), "select name from person") {
		time.Sleep(10 * time.Millisecond) // without it the application would answer 500
	}
	for pins, want := range map[bool]report.Verdict{false: report.Faulty, true: report.Clean} {
		s := httptest.NewServer(application(t, l.primary.Config(), l.Replicas[0].Config(), pins))
		defer s.Close()
		res, err := web(t, fmt.Sprintf("pins-%t-", pins), s.URL+"/name?value={{value}}", s.URL+"/name")
		if err != nil || res.Verdict != want {
			t.Fatalf("pins %t: %s %v %+v %v", pins, res.Verdict, res.Reasons, res.Findings, err)
		}
		if want == report.Faulty && res.Findings[0].Claim != claims[own] {
			t.Errorf("it is about %q", res.Findings[0].Claim)
		}
	}
}

// What no answer shows, and what is answered with an error, ends the run.
func TestApplicationThatCannotBeJudged(t *testing.T) {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/broken" {
			w.WriteHeader(http.StatusForbidden)
		}
	}))
	defer s.Close()
	_, err := web(t, "x", s.URL+"/broken?{{value}}", s.URL+"/")
	var answer *lag.AnswerError
	if !errors.As(err, &answer) {
		t.Errorf("refused: %v", err)
	}
	_, err = web(t, "x", s.URL+"/?{{value}}", s.URL+"/")
	var nothing *lag.NotFoundError
	if !errors.As(err, &nothing) {
		t.Errorf("never shown: %v", err)
	}
}

// has reports whether the server answers the question with a row.
func has(t *testing.T, config *pgconn.Config, sql string) bool {
	t.Helper()
	conn, err := pgconn.ConnectConfig(t.Context(), config)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(t.Context())
	res := conn.ExecParams(t.Context(), sql, nil, nil, nil, nil).Read()
	return res.Err == nil && len(res.Rows) > 0
}

func web(t *testing.T, mark, write, read string) (driver.Result, error) {
	t.Helper()
	o := lag.WebOptions{
		Application: lag.Application{Write: lag.Request{Method: "POST", URL: write}, Read: lag.Request{Method: "GET", URL: read}, Mark: mark, Limit: 5 * time.Second},
		Path:        filepath.Join(t.TempDir(), "run.jsonl"), Every: 10 * time.Millisecond, Duration: 2 * time.Second, Patience: time.Second,
	}
	o.Header.Params = []history.Parameter{{Name: "reads", Value: "replica"}}
	driveErr := lag.DriveWeb(t.Context(), o)
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
