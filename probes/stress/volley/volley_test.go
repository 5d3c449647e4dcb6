package volley_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/ccheck/ccheck/probes/actor/web"
	"github.com/ccheck/ccheck/probes/explore"
	"github.com/ccheck/ccheck/probes/explore/service"
	"github.com/ccheck/ccheck/probes/history"
	"github.com/ccheck/ccheck/probes/server/postgres/pgtest"
	"github.com/ccheck/ccheck/probes/stress/volley"
	"github.com/ccheck/ccheck/probes/wire"
)

// clients of a round. Each request has a connection to the database of its own.
const clients = 4

// seats is an application in this process: a request takes one of the seats. It
// looks first and then takes what it has seen, once all requests of a round have
// looked; or it does both in one statement.
type seats struct {
	naive bool
	dsn   string

	mu     sync.Mutex
	looked int
	all    chan struct{} // closed when all of a round have looked
}

func (s *seats) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path != "/take" {
		return // whether it is there
	}
	ok, err := s.take(r)
	switch {
	case err != nil:
		http.Error(w, err.Error(), http.StatusInternalServerError)
	case !ok:
		http.Error(w, "nothing left", http.StatusConflict)
	}
}

func (s *seats) take(r *http.Request) (bool, error) {
	ctx := r.Context()
	conn, err := pgx.Connect(ctx, s.dsn)
	if err != nil {
		return false, err
	}
	defer conn.Close(context.WithoutCancel(ctx))
	if !s.naive {
		tag, err := conn.Exec(ctx, "UPDATE seat SET free = free - 1 WHERE id = 1 AND free > 0")
		return tag.RowsAffected() == 1, err
	}
	var free int
	if err := conn.QueryRow(ctx, "SELECT free FROM seat WHERE id = 1").Scan(&free); err != nil || free == 0 {
		return false, err
	}
	if r.Header.Get("X-Round") != "" {
		s.meet()
	}
	_, err = conn.Exec(ctx, "UPDATE seat SET free = $1 WHERE id = 1", free-1)
	return err == nil, err
}

// meet waits for the other requests, but not for those that run alone.
func (s *seats) meet() {
	s.mu.Lock()
	if s.looked++; s.looked%clients == 1 {
		s.all = make(chan struct{})
	}
	all := s.all
	if s.looked%clients == 0 {
		close(all)
	}
	s.mu.Unlock()
	select {
	case <-all:
	case <-time.After(400 * time.Millisecond): // it runs alone
		s.mu.Lock()
		s.looked = 0
		s.mu.Unlock()
	}
}

// run makes a run of some rounds and returns its events.
func run(t *testing.T, app *seats, o volley.Options) (*volley.Result, []*history.Op) {
	t.Helper()
	server := httptest.NewServer(app)
	t.Cleanup(server.Close)
	cfg := pgtest.Config(t)
	config := func() *pgconn.Config {
		own := cfg.Copy()
		own.RuntimeParams["search_path"] = "public"
		return own
	}
	svc, err := service.Open(t.Context(), service.Options{
		Config: config, MaxRows: 100,
		Tables: func(context.Context) ([]history.Table, error) {
			return []history.Table{{Name: "seat", Columns: []string{"id", "free"}, Types: []string{"integer", "integer"}, Key: []string{"id"}}}, nil
		},
		Actors: []*web.Actor{{Name: "take", Requests: []*web.Request{{
			Method: "POST", URL: server.URL + "/take", Headers: []web.Field{{Name: "X-Round", Value: "yes"}},
		}}}},
		Seed: []service.Script{{Name: "seed", Text: "CREATE TABLE seat (id int PRIMARY KEY, free int NOT NULL); INSERT INTO seat VALUES (1, 2)"}},
		Gate: func(w *explore.Wire) wire.Gate {
			o.Gate = volley.NewGate(w)
			return o.Gate
		},
		Say: func(text string) {
			if dsn, is := strings.CutPrefix(text, "start the application with DATABASE_URL="); is {
				app.dsn = dsn
				hold(t, dsn)
			}
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(svc.Close)
	if err := svc.Learn(t.Context()); err != nil {
		t.Fatal(err)
	}
	o.Service, o.MaxRows, o.Path = svc, 100, filepath.Join(t.TempDir(), "run.jsonl")
	o.Teams = volley.DefaultTeams(svc.Learnt, clients, false)
	res, err := volley.Run(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
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
	return res, ops
}

// hold is a connection that says that the application is there.
func hold(t *testing.T, dsn string) {
	conn, err := pgx.Connect(t.Context(), dsn)
	if err != nil {
		t.Error(err)
		return
	}
	t.Cleanup(func() { conn.Close(context.Background()) })
}

// rounds are the notes that end a round, in order, each once in a row, and what
// calls of the rounds of all clients came to.
func rounds(ops []*history.Op) (phases []string, accepted []int) {
	n := 0
	for _, o := range ops {
		switch {
		case o.Scope == history.ScopeNote && o.Text == "reset":
			n = 0
		case o.Scope == history.ScopeCall && o.Outcome == history.Accepted:
			n++
		case o.Scope == history.ScopeNote && o.Phase != "":
			if len(phases) == 0 || phases[len(phases)-1] != o.Phase {
				phases = append(phases, o.Phase)
			}
			if o.Phase == explore.Explored {
				accepted = append(accepted, n)
			}
		}
	}
	return phases, accepted
}

func TestRun(t *testing.T) {
	for _, naive := range []bool{false, true} {
		t.Run(fmt.Sprint("naive ", naive), func(t *testing.T) {
			res, ops := run(t, &seats{naive: naive}, volley.Options{Rounds: 3, Seed: 7, Delay: [2]time.Duration{0, time.Millisecond}})
			phases, accepted := rounds(ops)
			if res.Rounds != 3 || len(accepted) != 3 {
				t.Fatalf("%d rounds, accepted %v", res.Rounds, accepted)
			}
			for _, n := range accepted {
				if (n > 1) != naive {
					t.Errorf("%d requests of a round were accepted", n)
				}
			}
			head := []string{volley.Staged, explore.Serial, explore.Repeated, volley.Rehearsed, explore.Explored}
			if diff := cmp.Diff(head, phases[:min(len(phases), len(head))]); diff != "" {
				t.Errorf("the phases: %s", diff)
			}
			if last := phases[len(phases)-1]; last != explore.Ended {
				t.Errorf("the last note is %s", last)
			}
			lanes(t, ops)
		})
	}
}

// lanes looks at whose the events are: calls of the clients, statements of the
// connections behind them, each answered and in a transaction.
func lanes(t *testing.T, ops []*history.Op) {
	t.Helper()
	open, statements, decided := 0, 0, 0
	for _, o := range ops {
		switch {
		case o.Scope == history.ScopeCall && (o.Process < 0 || o.Process >= clients):
			t.Errorf("a call of process %d", o.Process)
		case o.Scope == history.ScopeQuery && o.Process < clients:
			t.Errorf("a statement of client %d: %s", o.Process, o.Stmt.SQL)
		case o.Scope == history.ScopeQuery && o.Txn == 0:
			t.Errorf("a statement outside of any transaction: %s", o.Stmt.SQL)
		case o.Scope == history.ScopeQuery && o.Kind == history.Invoke:
			open++
			statements++
		case o.Scope == history.ScopeQuery:
			open--
		case o.Phase == volley.Decided:
			decided++
		}
	}
	if open != 0 || statements == 0 || decided != 3 {
		t.Errorf("%d statements, %d without an answer, %d rounds decided", statements, open, decided)
	}
}

func TestDefaultTeams(t *testing.T) {
	learnt := func(name string, changed ...string) *service.Learnt {
		return &service.Learnt{Request: explore.Request{Name: name}, Changed: changed}
	}
	tests := []struct {
		learnt []*service.Learnt
		want   [][]string
	}{
		{[]*service.Learnt{learnt("buy", "item")}, [][]string{{"buy", "buy", "buy"}}},
		{[]*service.Learnt{learnt("look")}, [][]string{{"look", "look", "look"}}},
		{[]*service.Learnt{learnt("buy", "item"), learnt("look")}, [][]string{{"buy", "buy", "buy"}, {"buy", "look", "buy"}}},
	}
	for _, tt := range tests {
		if diff := cmp.Diff(tt.want, volley.DefaultTeams(tt.learnt, 3, false)); diff != "" {
			t.Error(diff)
		}
	}
	own := learnt("add", "cart")
	own.Actor = &web.Actor{Requests: []*web.Request{{URL: "http://h/", Body: "{{lane}}"}}}
	want := [][]string{slices.Repeat([]string{"add"}, 20), slices.Repeat([]string{"add"}, 4)}
	if diff := cmp.Diff(want, volley.DefaultTeams([]*service.Learnt{own}, 20, false)); diff != "" {
		t.Error(diff)
	}
}
