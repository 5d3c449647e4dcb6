package web_test

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/ccheck/ccheck/probes/actor/web"
	"github.com/ccheck/ccheck/probes/history"
)

// guarded is a service with a login, a form, and a request that needs the cookie
// of the one and the token of the other.
func guarded(t *testing.T) *httptest.Server {
	t.Helper()
	mux := http.NewServeMux()
	mux.HandleFunc("POST /login", func(w http.ResponseWriter, r *http.Request) {
		if body, _ := io.ReadAll(r.Body); !strings.HasPrefix(string(body), "ann") {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		http.SetCookie(w, &http.Cookie{Name: "sid", Value: "s1", Path: "/"})
		w.Header().Set("X-Key", "k1")
		fmt.Fprint(w, `{"user": {"id": 7}}`)
	})
	mux.HandleFunc("GET /form", func(w http.ResponseWriter, r *http.Request) {
		http.SetCookie(w, &http.Cookie{Name: "form", Value: "f1", Path: "/"})
		fmt.Fprint(w, `<input name="csrf" value="a&amp;b">`)
	})
	mux.HandleFunc("POST /pay", func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		http.SetCookie(w, &http.Cookie{Name: "sid", Value: "gone", Path: "/"})
		fmt.Fprintf(w, "%s %s %s", r.Header.Get("Cookie"), r.Header.Get("X-Key"), body)
	})
	s := httptest.NewServer(mux)
	t.Cleanup(s.Close)
	return s
}

func TestSession(t *testing.T) {
	s := guarded(t)
	list, err := web.ParseCurls(`curl ` + s.URL + `/login -d ann{{lane}} --next ` + s.URL + `/form --next ` + s.URL +
		`/pay -H 'X-Key: {{answer header x-key}}' -d '{{answer find name="csrf" value="([^"]+)"}} {{answer user.id}} {{answer cookie sid}} {{answer find csrf}}'`)
	if err != nil || len(list) != 3 {
		t.Fatal(list, err)
	}
	a := &web.Actor{Requests: list}
	if err := a.Check(); err != nil {
		t.Fatal(err)
	}
	c := web.NewClient(5 * time.Second)
	defer c.Close()
	session, err := c.Prepare(t.Context(), a, 1)
	if err != nil {
		t.Fatal(err)
	}
	for range 2 { // the answer's own cookie does not stay
		got, err := c.Finish(t.Context(), session, a, 1)
		if want := "sid=s1; form=f1 k1 a&b 7 s1 csrf"; err != nil || string(got.Body) != want {
			t.Errorf("%q, %v, want %q", got.Body, err, want)
		}
	}
	if got, err := c.Call(t.Context(), a, 1); err != nil || got.Outcome != history.Accepted {
		t.Errorf("in one call: %+v, %v", got, err)
	}
	again, err := web.ParseCurls(a.Curl(func(r *web.Request) *web.Request { return r }))
	if err != nil || len(again) != 3 || again[2].Body != list[2].Body {
		t.Errorf("written as %s: %v", a.Curl(func(r *web.Request) *web.Request { return r }), err)
	}
	list[0].Body = "bob"
	if _, err := c.Prepare(t.Context(), a, 1); !errors.As(err, new(*web.RefusedError)) || !strings.Contains(err.Error(), "POST /login, which comes before POST /pay") {
		t.Errorf("refused: %v", err)
	}
}

func TestBadAnswerTemplates(t *testing.T) {
	s := guarded(t)
	c := web.NewClient(5 * time.Second)
	defer c.Close()
	for _, tt := range []struct{ template, why string }{
		{"answer nosuch", "no such value"}, {"answer header nosuch", "no such value"}, {"answer cookie nosuch", "no such value"},
		{"answer find nosuch", "no such value"}, {"answer find (", "no regular expression"}, {"answer a b", "is not one of"},
	} {
		a := &web.Actor{Requests: []*web.Request{{URL: s.URL + "/form"}, {URL: s.URL + "/pay", Body: "{{" + tt.template + "}}"}}}
		session, err := c.Prepare(t.Context(), a, 1)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := c.Finish(t.Context(), session, a, 1); !errors.As(err, new(*web.TemplateError)) || !strings.Contains(err.Error(), tt.why) {
			t.Errorf("%s: %v", tt.template, err)
		}
	}
}
