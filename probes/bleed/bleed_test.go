package bleed

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/ccheck/ccheck/probes/history"
)

// record drives the handler and reads back what was recorded.
func record(t *testing.T, h http.HandlerFunc, o Options) ([]*history.Op, error) {
	t.Helper()
	srv := httptest.NewServer(h)
	defer srv.Close()
	o.Request.URL = srv.URL + o.Request.URL
	if o.Login != nil {
		o.Login.URL = srv.URL + o.Login.URL
	}
	o.Header, o.Path, o.Limit = history.Header{Run: "r1", Probe: Probe.Name}, filepath.Join(t.TempDir(), "run.jsonl"), 10*time.Second
	runErr := Run(t.Context(), o)
	f, err := history.Open(o.Path)
	if err != nil {
		t.Fatal(err)
	}
	var ops []*history.Op
	for op, err := range f.Ops() {
		if err != nil {
			t.Fatal(err)
		}
		ops = append(ops, op)
	}
	return ops, runErr
}

func values(o *history.Op, name string) (all []string) {
	for _, v := range o.Vars {
		if v.Name == name {
			all = append(all, v.Value.Text)
		}
	}
	return all
}

func ends(ops []*history.Op, actor string) (all []*history.Op) {
	for _, o := range ops {
		if o.Scope == history.ScopeCall && o.Kind != history.Invoke && o.Actor == actor {
			all = append(all, o)
		}
	}
	return all
}

// The marker goes into every part of a request, and is found in every part of
// an answer.
func TestMarkersTravel(t *testing.T) {
	parts := map[string]struct {
		r    Request
		read func(*http.Request) string
	}{
		"url":    {Request{Method: "GET", URL: "/me?u={{user}}"}, func(r *http.Request) string { return r.URL.Query().Get("u") }},
		"header": {Request{Method: "GET", URL: "/", Headers: http.Header{"X-User": {"{{user}}"}}}, func(r *http.Request) string { return r.Header.Get("X-User") }},
		"body":   {Request{Method: "POST", URL: "/", Body: `{"u":"{{user}}"}`}, func(r *http.Request) string { b, _ := io.ReadAll(r.Body); return string(b) }},
	}
	for name, p := range parts {
		t.Run(name, func(t *testing.T) {
			ops, err := record(t, func(w http.ResponseWriter, r *http.Request) { w.Header().Set("X-You", p.read(r)) }, Options{Request: p.r, Users: 3, Each: 2})
			if err != nil {
				t.Fatal(err)
			}
			got := ends(ops, Actor)
			if len(got) != 3*(1+2) {
				t.Fatalf("%d answers", len(got))
			}
			for _, o := range got {
				if u, s := values(o, VarUser), values(o, VarSeen); len(s) != 1 || u[0] != s[0] || values(o, VarStatus)[0] != "200" {
					t.Errorf("user %v saw %v: %v", u, s, o.Vars)
				}
			}
		})
	}
}

func TestLoginKeepsCookies(t *testing.T) {
	ops, err := record(t, func(w http.ResponseWriter, r *http.Request) {
		if u := r.URL.Query().Get("u"); u != "" {
			http.SetCookie(w, &http.Cookie{Name: "who", Value: u})
			return
		}
		c, err := r.Cookie("who")
		if err != nil {
			http.Error(w, "who are you?", http.StatusUnauthorized)
			return
		}
		_, _ = io.WriteString(w, c.Value)
	}, Options{Request: Request{Method: "GET", URL: "/me"}, Login: &Request{Method: "POST", URL: "/login?u={{user}}"}, Users: 2, Each: 1})
	if err != nil {
		t.Fatal(err)
	}
	if n := len(ends(ops, LoginActor)); n != 2 {
		t.Errorf("%d logins", n)
	}
	for _, o := range ends(ops, Actor) {
		if u, s := values(o, VarUser), values(o, VarSeen); len(s) != 1 || s[0] != u[0] {
			t.Errorf("user %v saw %v", u, s)
		}
	}
}

func TestAnotherMarkerIsSeenWithWhatIsAroundIt(t *testing.T) {
	ops, err := record(t, func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "<b>hello ccheckr1u2x\n!</b>") },
		Options{Request: Request{Method: "GET", URL: "/"}, Users: 1, Each: 1})
	if err != nil {
		t.Fatal(err)
	}
	o := ends(ops, Actor)[1]
	if s := values(o, VarSeen); len(s) != 1 || s[0] != "ccheckr1u2x" {
		t.Errorf("saw %v", s)
	}
	if a := values(o, VarAround); len(a) != 1 || !strings.HasSuffix(a[0], "<b>hello ccheckr1u2x !</b>") {
		t.Errorf("around it %q", a)
	}
}

// One user alone must be answered; later an error is an observation.
func TestErrors(t *testing.T) {
	_, err := record(t, func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "no", http.StatusForbidden) },
		Options{Request: Request{Method: "GET", URL: "/"}, Users: 2, Each: 1})
	var answer *AnswerError
	if !errors.As(err, &answer) || answer.Status != "403 Forbidden" {
		t.Errorf("error %v", err)
	}
	served := make(chan bool, 2)
	ops, err := record(t, func(w http.ResponseWriter, _ *http.Request) {
		select {
		case served <- true:
		default:
			http.Error(w, "busy", http.StatusServiceUnavailable)
		}
	}, Options{Request: Request{Method: "GET", URL: "/"}, Users: 2, Each: 3})
	if err != nil {
		t.Fatal(err)
	}
	failed := 0
	for _, o := range ends(ops, Actor) {
		if o.Outcome == history.Failed {
			failed++
		}
	}
	if failed != 6 {
		t.Errorf("%d failed, want 6", failed)
	}
}
