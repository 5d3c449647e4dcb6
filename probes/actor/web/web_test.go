package web_test

import (
	"encoding/json"
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

// echo answers what it was sent, with the status that the path names.
func echo(t *testing.T) *httptest.Server {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		var status int
		fmt.Sscanf(r.URL.Path, "/%d", &status)
		http.SetCookie(w, &http.Cookie{Name: "sid", Value: "7"})
		w.WriteHeader(status)
		cookie, _ := r.Cookie("sid")
		_ = json.NewEncoder(w).Encode(map[string]any{
			"method": r.Method, "body": string(body), "auth": r.Header.Get("Authorization"), "sign": r.Header.Get("X-Sign"),
			"cookie": cookie != nil, "items": []int{1, 2},
		})
	}))
	t.Cleanup(s.Close)
	return s
}

func call(t *testing.T, a *web.Actor) (web.Answer, map[string]string) {
	t.Helper()
	c := web.NewClient(5 * time.Second)
	defer c.Close()
	got, err := c.Call(t.Context(), a, 2)
	if err != nil {
		t.Fatal(err)
	}
	fields := map[string]string{}
	for _, f := range got.Fields {
		fields[f.Name] = f.Value.Text
	}
	return got, fields
}

func TestTemplates(t *testing.T) {
	s := echo(t)
	_, got := call(t, &web.Actor{Requests: []*web.Request{{
		URL: s.URL + "/200?at={{urlencode lane}}", Body: `lane {{lane}}`, Headers: []web.Field{{Name: "X-Sign", Value: "{{hmac_sha256 key body}}"}},
	}}})
	// echo -n 'lane 2' | openssl dgst -sha256 -hmac key
	const sign = "d5da4f53a756fbe2e5305f1632877e7d2b301c087d778b92662087c3271b78a6"
	if got["body.body"] != "lane 2" || got["body.method"] != "POST" || got["body.sign"] != sign || got["body.items.length"] != "2" || got["body.items.1"] != "2" {
		t.Errorf("%v", got)
	}
}

func TestSeveralRequests(t *testing.T) {
	s := echo(t)
	a := &web.Actor{Requests: []*web.Request{
		{URL: s.URL + "/201", Body: "first"},
		{URL: s.URL + "/200", Headers: []web.Field{{Name: "Authorization", Value: "Bearer {{answer body}}"}}},
	}}
	if err := a.Check(); err != nil {
		t.Fatal(err)
	}
	if _, got := call(t, a); got["body.auth"] != "Bearer first" || got["body.cookie"] != "true" {
		t.Errorf("%v", got)
	}
	a.Requests[0].URL = s.URL + "/409"
	if got, _ := call(t, a); got.Status != 409 || got.Outcome != history.Refused {
		t.Errorf("a refusal does not end the call: %+v", got)
	}
}

func TestClasses(t *testing.T) {
	c := web.Classes{Accepted: []string{"402"}, Refused: []string{"5xx", "204"}, Failed: []string{"404"}}
	for status, want := range map[int]history.Outcome{
		200: history.Accepted, 302: history.Accepted, 402: history.Accepted, 204: history.Refused, 503: history.Refused,
		409: history.Refused, 404: history.Failed, 101: history.Failed,
	} {
		if got := c.Of(status); got != want {
			t.Errorf("%d is %s, want %s", status, got, want)
		}
	}
	if err := c.Check(); err != nil {
		t.Error(err)
	}
	if err := (&web.Classes{Refused: []string{"4x"}}).Check(); err == nil {
		t.Error("4x is taken for a class")
	}
}

func TestBadTemplates(t *testing.T) {
	for _, text := range []string{"{{nosuch}}", "{{lane", "{{now week}}", "{{hmac_sha256 key}}", "{{answer id}}"} {
		a := &web.Actor{Requests: []*web.Request{{URL: "http://h/", Body: text}}}
		if err := a.Check(); !errors.As(err, new(*web.TemplateError)) {
			t.Errorf("%s: %v", text, err)
		}
	}
}

func TestLost(t *testing.T) {
	s := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }))
	defer s.Close()
	c := web.NewClient(time.Second)
	_, err := c.Call(t.Context(), &web.Actor{Requests: []*web.Request{{URL: s.URL + "/x?token=s3cret", Body: "x"}}}, 0)
	if !errors.As(err, new(*web.LostError)) || strings.Contains(err.Error(), "s3cret") {
		t.Errorf("a connection that is cut: %v", err)
	}
}
