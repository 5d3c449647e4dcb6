package record_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/ccheck/ccheck/probes/record"
	"github.com/ccheck/ccheck/probes/record/tape"
	"github.com/ccheck/ccheck/probes/server/postgres/pgtest"
)

// shop is an application in front of whatever dsn names. Its statements of
// /slow come between the two channels.
type shop struct {
	t       *testing.T
	dsn     string
	entered chan struct{}
	leave   chan struct{}
}

func (s *shop) connect(ctx context.Context) *pgx.Conn {
	c, err := pgx.Connect(ctx, s.dsn)
	if err != nil {
		s.t.Error(err)
	}
	return c
}

func (s *shop) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	c := s.connect(r.Context())
	defer c.Close(context.Background())
	switch r.URL.Path {
	case "/login":
		http.SetCookie(w, &http.Cookie{Name: "sid", Value: "canary-cookie"})
		fmt.Fprint(w, `{"token":"canary-token","id":"9f0c-2211-order"}`)
	case "/slow":
		s.exec(c, "begin")
		s.exec(c, "update stock set n = n - 1 where id = $1", 1)
		s.entered <- struct{}{}
		<-s.leave
		s.exec(c, "commit")
	case "/traced":
		s.exec(c, fmt.Sprintf("select 1 /*traceparent='%s'*/", r.Header.Get("Traceparent")))
	default:
		s.exec(c, "select n from stock where id = $1", 1)
		s.exec(c, "insert into audit (secret_word) values ($1)", "canary-word")
		if strings.HasPrefix(r.URL.Path, "/orders/") {
			s.exec(c, "select 'canary-token', 5")
		}
	}
}

func (s *shop) exec(c *pgx.Conn, sql string, args ...any) {
	if _, err := c.Exec(context.Background(), sql, args...); err != nil {
		s.t.Errorf("%s: %v", sql, err)
	}
}

// start records a shop.
func start(t *testing.T) (*record.Recorder, *shop, string) {
	t.Helper()
	cfg := pgtest.Config(t)
	conn, err := pgconn.ConnectConfig(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(context.Background())
	if _, err := conn.Exec(t.Context(), "create table stock (id int primary key, n int); insert into stock values (1, 5); create table audit (secret_word text)").ReadAll(); err != nil {
		t.Fatal(err)
	}
	s := &shop{t: t, entered: make(chan struct{}), leave: make(chan struct{})}
	srv := httptest.NewServer(s)
	t.Cleanup(srv.Close)
	path := filepath.Join(t.TempDir(), "shop.tape")
	r, err := record.Open(t.Context(), record.Options{Path: path, App: srv.URL, Upstream: cfg, Say: func(text string) { t.Log(text) }, Columns: func(sql string) []string {
		if strings.HasPrefix(sql, "insert") {
			return []string{"secret_word"}
		}
		return nil
	}})
	if err != nil {
		t.Fatal(err)
	}
	s.dsn = r.DSN()
	return r, s, path
}

func send(t *testing.T, method, target, body string, headers ...string) string {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, target, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(headers); i += 2 {
		req.Header.Set(headers[i], headers[i+1])
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	b, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// end closes the recording and reads the tape, which must hold no canary.
func end(t *testing.T, r *record.Recorder, path string) *tape.Tape {
	t.Helper()
	if _, err := r.Close(); err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(b), "canary") {
		t.Errorf("a secret is on the tape:\n%s", b)
	}
	got, err := tape.Open(path)
	if err != nil || got.End == nil {
		t.Fatalf("%v\n%s", err, b)
	}
	return got
}

func texts(list []*tape.Statement) string {
	var all []string
	for _, s := range list {
		all = append(all, s.SQL)
	}
	return strings.Join(all, "; ")
}

func TestCut(t *testing.T) {
	r, s, path := start(t)
	if got := send(t, "POST", r.URL()+"/login", `{"user":"ann","password":"canary-pw"}`, "Content-Type", "application/json"); !json.Valid([]byte(got)) || !strings.Contains(got, "canary-token") {
		t.Errorf("the client got %s", got)
	}
	send(t, "GET", r.URL()+"/orders/9f0c-2211-order?token=canary-token", "", "Authorization", "Bearer canary-token", "Cookie", "sid=canary-cookie; theme=dark1234")
	c := s.connect(t.Context()) // a timer
	s.exec(c, "select 42 as timer")
	c.Close(t.Context())
	got := end(t, r, path)

	if len(got.Requests) != 2 {
		t.Fatalf("%d requests", len(got.Requests))
	}
	login, order := got.Requests[0], got.Requests[1]
	if login.Body != `{"user":"ann","password":"{{secret password}}"}` || login.Status != 200 {
		t.Errorf("%+v", login)
	}
	if order.Path != "/orders/{{answer 1 body.id else 9f0c-2211-order}}?token={{answer 1 body.token}}" {
		t.Errorf("path %s", order.Path)
	}
	headers := map[string]string{}
	for _, h := range order.Headers {
		headers[h.Name] = h.Value
	}
	if headers["Authorization"] != "Bearer {{answer 1 body.token}}" || headers["Cookie"] != "sid={{cookie 1 sid}}; theme={{secret cookie-theme}}" {
		t.Errorf("headers %v", headers)
	}
	sure, maybe := got.Of(2)
	if len(maybe) != 0 || texts(sure) != "select n from stock where id = $1; insert into audit (secret_word) values ($1); select $1, $2" {
		t.Errorf("request 2 caused %s", texts(sure))
	}
	if sure[0].Args[0].Text != "1" || sure[0].Tag != "SELECT 1" || sure[1].Args[0].Text != "{{secret}}" || sure[0].By != tape.ByTime {
		t.Errorf("%+v, %+v", sure[0], sure[1])
	}
	own := 0
	for _, st := range got.Statements {
		if len(st.Of) == 0 && strings.Contains(st.SQL, "timer") {
			own++
		}
	}
	if own != 1 {
		t.Errorf("the timer stands there %d times: %s", own, texts(got.Statements))
	}
}

// A transaction that runs while a second request does could be of both; that
// of the one that came later could not.
func TestOverlap(t *testing.T) {
	r, s, path := start(t)
	done := make(chan struct{})
	go func() {
		defer close(done)
		send(t, "POST", r.URL()+"/slow", "")
	}()
	<-s.entered
	send(t, "GET", r.URL()+"/traced", "")
	send(t, "GET", r.URL()+"/stock", "")
	s.leave <- struct{}{}
	<-done
	got := end(t, r, path)
	if got.Requests[0].Path != "/slow" {
		t.Fatalf("%+v", got.Requests[0])
	}
	sure, _ := got.Of(1)
	if text := texts(sure); !strings.HasPrefix(text, "begin; update stock") || !strings.HasSuffix(text, "commit") {
		t.Errorf("/slow caused %s", text)
	}
	sure, maybe := got.Of(2)
	if len(maybe) != 0 || texts(sure) != "select $1" || sure[0].By != tape.ByTrace {
		t.Errorf("/traced caused %s, and perhaps %s", texts(sure), texts(maybe))
	}
	sure, maybe = got.Of(3)
	if len(sure) != 0 || len(maybe) != 2 || len(maybe[0].Of) != 2 {
		t.Errorf("/stock caused %s, and perhaps %s", texts(sure), texts(maybe))
	}
}

// Where the application is not there, the client is told so, and the tape too.
func TestGone(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.tape")
	r, err := record.Open(t.Context(), record.Options{Path: path, App: "http://127.0.0.1:1"})
	if err != nil {
		t.Fatal(err)
	}
	if got := send(t, "GET", r.URL()+"/", ""); !strings.Contains(got, "the application does not answer at http://127.0.0.1:1") {
		t.Errorf("the client got %s", got)
	}
	if got := end(t, r, path); got.Requests[0].Unusable != "it was not answered" || got.Database != "" {
		t.Errorf("%+v", got.Requests[0])
	}
}

func TestLargeAndBinary(t *testing.T) {
	r, _, path := start(t)
	send(t, "POST", r.URL()+"/login", strings.Repeat("x", 70<<10))
	send(t, "POST", r.URL()+"/login", "\xff\x00")
	got := end(t, r, path)
	if u := got.Requests[0].Unusable; u != "its body has more than 64 KiB" || got.Requests[0].Body != "" {
		t.Errorf("large: %s", u)
	}
	if u := got.Requests[1].Unusable; u != "its body is not text" {
		t.Errorf("binary: %s", u)
	}
}
