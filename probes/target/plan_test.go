package target_test

import (
	"encoding/binary"
	"io"
	"net"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgproto3"

	"github.com/ccheck/ccheck/probes/server/postgres/pgtest"
	"github.com/ccheck/ccheck/probes/target"
)

// recorder is a proxy that keeps the text of every statement sent through it.
type recorder struct {
	address string
	server  string

	mu   sync.Mutex
	sent []string
	odd  []string // messages that are neither statements nor part of their protocol
}

func record(t *testing.T, server string) *recorder {
	t.Helper()
	r := &recorder{server: server}
	r.address = serve(t, r.pass).String()
	return r
}

func (r *recorder) pass(client net.Conn) {
	defer client.Close()
	server, err := net.Dial("tcp", r.server)
	if err != nil {
		return
	}
	defer server.Close()
	go io.Copy(client, server)
	frames := io.TeeReader(client, server)
	if _, err := frame(frames); err != nil { // the start-up message has no type
		return
	}
	for {
		kind := make([]byte, 1)
		if _, err := io.ReadFull(frames, kind); err != nil {
			return
		}
		body, err := frame(frames)
		if err != nil {
			return
		}
		r.note(kind[0], body)
	}
}

// frame reads the length of a message and the rest of it.
func frame(r io.Reader) ([]byte, error) {
	size := make([]byte, 4)
	if _, err := io.ReadFull(r, size); err != nil {
		return nil, err
	}
	body := make([]byte, binary.BigEndian.Uint32(size)-4)
	_, err := io.ReadFull(r, body)
	return body, err
}

func (r *recorder) note(kind byte, body []byte) {
	r.mu.Lock()
	defer r.mu.Unlock()
	var query pgproto3.Query
	var parse pgproto3.Parse
	switch {
	case kind == 'Q' && query.Decode(body) == nil:
		r.sent = append(r.sent, query.String)
	case kind == 'P' && parse.Decode(body) == nil:
		r.sent = append(r.sent, parse.Query)
	case !strings.ContainsRune("pBDESCHX", rune(kind)):
		r.odd = append(r.odd, string(kind))
	}
}

func (r *recorder) statements() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.sent)
}

// through is a connection string that goes through the recorder.
func (r *recorder) through(t *testing.T, dsn string) string {
	return change(t, dsn, func(u *url.URL) { u.Host, u.RawQuery = r.address, "sslmode=disable" })
}

var (
	reads = regexp.MustCompile(`^(begin read only|rollback|select)\b`)
	// A select can write through a function, or take a lock that others see.
	writes = regexp.MustCompile(`(?i)\b(into|for (no key )?update|for (key )?share|nextval|setval|lo_\w+|pg_\w*advisory\w*|pg_cancel_backend|pg_terminate_backend|dblink\w*)\b`)
)

// TestPlanWritesNothing is the promise of --plan.
func TestPlanWritesNothing(t *testing.T) {
	_, dsn := fresh(t)
	admin := plain(t, dsn)
	query(t, admin, "create table account (id int); create schema ccheck_left; comment on schema ccheck_left is 'ccheck run=left host=h pid=1 started=2026-01-02T03:04:05Z'")
	rec := record(t, pgtest.Start(t).Address())
	tg := parse(t, rec.through(t, dsn))
	r := run()
	conn := connect(t, tg, r)
	in := target.Intent{Scenario: "wallet", Clients: 500, Duration: 10 * time.Second, Setup: []string{"create table wallet (id int)"}, Work: []string{"update wallet set id = 1"}}
	p, err := tg.Plan(t.Context(), conn, r, settings, in)
	if err != nil {
		t.Fatal(err)
	}
	sent := rec.statements()
	if len(sent) < 5 || len(rec.odd) > 0 {
		t.Fatalf("the recorder saw %d statements and the messages %q", len(sent), rec.odd)
	}
	for _, s := range sent {
		if !reads.MatchString(s) || writes.MatchString(s) {
			t.Errorf("--plan sent: %s", s)
		}
	}
	if got := query(t, admin, "select count(*) from pg_class where relname = 'wallet'")[0][0]; got != "0" {
		t.Error("the plan was carried out")
	}
	want := []string{"create schema " + r.Schema(), "comment on schema " + r.Schema(), "create table wallet (id int)", "update wallet set id = 1", "drop schema if exists " + r.Schema() + " cascade"}
	if len(p.Statements) != len(want) {
		t.Fatalf("statements %q", p.Statements)
	}
	for i, w := range want {
		if !strings.HasPrefix(p.Statements[i], w) {
			t.Errorf("statement %d is %q, want %q", i, p.Statements[i], w)
		}
	}
	if p.Schema != r.Schema() || len(p.Leftovers) != 1 || p.Cap == "" || p.Facts.Tables != 1 || len(p.Limits) < 4 || p.Target != tg.String() {
		t.Errorf("plan %+v", p)
	}
	silent(t, p, tg.Config(r, settings).Password)
}

// TestRecorderSeesWrites is the positive control of TestPlanWritesNothing, and
// holds the plan to what a run then sends.
func TestRecorderSeesWrites(t *testing.T) {
	_, dsn := fresh(t)
	rec := record(t, pgtest.Start(t).Address())
	tg := parse(t, rec.through(t, dsn))
	r := run()
	conn := connect(t, tg, r)
	p, err := tg.Plan(t.Context(), conn, r, settings, target.Intent{})
	if err != nil {
		t.Fatal(err)
	}
	before := len(rec.statements())
	s, err := tg.CreateSandbox(t.Context(), conn, r)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Drop(t.Context()); err != nil {
		t.Fatal(err)
	}
	sent := rec.statements()[before:]
	if !slices.ContainsFunc(sent, func(s string) bool { return !reads.MatchString(s) }) {
		t.Error("the recorder saw no write")
	}
	all := strings.Join(sent, "\n")
	for _, planned := range p.Statements {
		if !strings.Contains(all, planned) {
			t.Errorf("planned but not sent: %s", planned)
		}
	}
}
