package wire_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/ccheck/ccheck/probes/wire"
)

// porter is a gate that writes down what it is told. hold, when set, decides.
type porter struct {
	mu   sync.Mutex
	said []string
	hold func(ctx context.Context, c *wire.Conn, b wire.Batch) error
}

func (p *porter) say(format string, args ...any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.said = append(p.said, fmt.Sprintf(format, args...))
}

func (p *porter) Opened(c *wire.Conn) error {
	if c.BackendPID == 0 || c.Database == "" {
		return errors.New("the connection is not known")
	}
	p.say("%d opened %s %s", c.ID, c.User, c.Application)
	return nil
}

func (p *porter) Arrive(ctx context.Context, c *wire.Conn, b wire.Batch) error {
	var parts []string
	for _, s := range b.Statements {
		parts = append(parts, fmt.Sprintf("%d:%.60s%v", s.Kind, s.SQL, s.Args))
	}
	p.say("%d arrive %c %s sync=%v partial=%v", c.ID, b.Tx, strings.Join(parts, "; "), b.Sync, b.Partial)
	if p.hold == nil {
		return nil
	}
	return p.hold(ctx, c, b)
}

func (p *porter) Answered(c *wire.Conn, r wire.Result) {
	var parts []string
	for _, a := range r.Answers {
		parts = append(parts, fmt.Sprintf("%s%v%s", a.Tag, a.Rows, a.SQLState))
	}
	tx := "?"
	if r.Tx != 0 {
		tx = string(r.Tx)
	}
	p.say("%d answered %s %s lost=%v", c.ID, strings.Join(parts, "; "), tx, r.Lost)
}

func (p *porter) Closed(c *wire.Conn) { p.say("%d closed", c.ID) }

func (p *porter) all() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return append([]string(nil), p.said...)
}

func gated(p *porter) func(*wire.Config) {
	return func(cfg *wire.Config) { cfg.Gate = p }
}

func TestGateSeesBatchesAndAnswers(t *testing.T) {
	p := &porter{}
	b := start(t, gated(p))
	ctx := t.Context()
	conn := b.connect(pgx.QueryExecModeCacheStatement)
	_, err := conn.Exec(ctx, "create table t (id int primary key); insert into t values (1)")
	must(t, err)
	_, err = conn.Exec(ctx, "insert into t values ($1)", 2)
	must(t, err)
	_, err = conn.Exec(ctx, "insert into t values ($1)", 2)
	if err == nil {
		t.Error("the duplicate was taken")
	}
	batch := &pgx.Batch{}
	batch.Queue("select id from t where id = $1", 1)
	batch.Queue("select id from t where id > $1 order by id", 0)
	must(t, conn.SendBatch(ctx, batch).Close())
	must(t, conn.Close(ctx))
	must(t, b.Close())
	want := []string{
		"0 opened ccheck ",
		"0 arrive I 1:create table t (id int primary key); insert into t values (1[] sync=true partial=false",
		"0 answered CREATE TABLE[]; INSERT 0 1[] I lost=false",
		"0 arrive I 4:insert into t values ($1)[] sync=true partial=false",
		"0 answered  I lost=false",
		"0 arrive I 2:insert into t values ($1)[2] sync=true partial=false",
		"0 answered INSERT 0 1[] I lost=false",
		"0 arrive I 2:insert into t values ($1)[2] sync=true partial=false",
		"0 answered []23505 I lost=false",
		"0 arrive I  sync=true partial=false", // pgx closes the statement that failed
		"0 answered  I lost=false",
		"0 arrive I 4:select id from t where id = $1[]; 4:select id from t where id > $1 order by id[] sync=true partial=false",
		"0 answered  I lost=false",
		"0 arrive I 2:select id from t where id = $1[1]; 2:select id from t where id > $1 order by id[0] sync=true partial=false",
		"0 answered SELECT 1[[1]]; SELECT 2[[1] [2]] I lost=false",
		"0 closed",
	}
	if diff := cmp.Diff(want, p.all()); diff != "" {
		t.Error(diff)
	}
}

// A batch that is held must not have reached the server, and must reach it when
// it is let go.
func TestGateHolds(t *testing.T) {
	arrived, release := make(chan struct{}), make(chan struct{})
	p := &porter{hold: func(ctx context.Context, _ *wire.Conn, b wire.Batch) error {
		if strings.HasPrefix(b.Statements[0].SQL, "insert") {
			arrived <- struct{}{}
			<-release
		}
		return nil
	}}
	b := start(t, gated(p))
	ctx := t.Context()
	direct, err := pgconn.ConnectConfig(ctx, b.direct)
	must(t, err)
	defer direct.Close(ctx)
	count := func() string {
		r := direct.ExecParams(ctx, "select count(*) from t", nil, nil, nil, nil).Read()
		must(t, r.Err)
		return string(r.Rows[0][0])
	}
	for _, mode := range []pgx.QueryExecMode{pgx.QueryExecModeExec, pgx.QueryExecModeSimpleProtocol} {
		conn := b.connect(mode)
		_, err = conn.Exec(ctx, "drop table if exists t")
		must(t, err)
		_, err = conn.Exec(ctx, "create table t (id int)")
		must(t, err)
		done := make(chan error, 1)
		go func() {
			_, err := conn.Exec(ctx, "insert into t values ($1)", 7)
			done <- err
		}()
		<-arrived
		if n := count(); n != "0" {
			t.Errorf("%v: a held insert made %s rows", mode, n)
		}
		release <- struct{}{}
		must(t, <-done)
		if n := count(); n != "1" {
			t.Errorf("%v: a released insert made %s rows", mode, n)
		}
	}
}

type stateError struct{ error }

func (stateError) SQLState() string { return "55P03" }

// A refused batch is an error for the client and nothing for the server; the
// connection goes on, with prepared statements as the server has them.
func TestGateRefuses(t *testing.T) {
	no := false
	p := &porter{hold: func(context.Context, *wire.Conn, wire.Batch) error {
		if no {
			no = false
			return stateError{errors.New("not now")}
		}
		return nil
	}}
	b := start(t, gated(p))
	ctx := t.Context()
	for _, mode := range []pgx.QueryExecMode{pgx.QueryExecModeCacheStatement, pgx.QueryExecModeExec, pgx.QueryExecModeSimpleProtocol} {
		conn := b.connect(mode)
		no = true
		_, err := conn.Exec(ctx, "select $1::int", 1)
		var e *pgconn.PgError
		if !errors.As(err, &e) || e.Code != "55P03" || e.Message != "not now" {
			t.Errorf("%v: error %v", mode, err)
		}
		for range 2 {
			var n int
			if err := conn.QueryRow(ctx, "select $1::int", 1).Scan(&n); err != nil || n != 1 {
				t.Errorf("%v: after the refusal: %d, %v", mode, n, err)
			}
		}
		_, err = conn.Exec(ctx, "begin")
		must(t, err)
		no = true
		if _, err := conn.Exec(ctx, "select 1"); err == nil {
			t.Errorf("%v: not refused in a transaction", mode)
		}
		if s := conn.PgConn().TxStatus(); s != 'T' {
			t.Errorf("%v: the transaction's status is %c", mode, s)
		}
		_, err = conn.Exec(ctx, "commit")
		must(t, err)
	}
}

// A batch that follows on the heels of another must not be answered before it.
func TestRefusalComesInOrder(t *testing.T) {
	p := &porter{hold: func(_ context.Context, _ *wire.Conn, b wire.Batch) error {
		if strings.Contains(b.Statements[0].SQL, "second") {
			return errors.New("not now")
		}
		return nil
	}}
	b := start(t, gated(p))
	ctx := t.Context()
	conn := b.connect(pgx.QueryExecModeExec)
	pipe := conn.PgConn().StartPipeline(ctx)
	pipe.SendQueryParams("select 'first' from pg_sleep(0.1)", nil, nil, nil, nil)
	must(t, pipe.Sync())
	pipe.SendQueryParams("select 'second'", nil, nil, nil, nil)
	must(t, pipe.Sync())
	pipe.SendQueryParams("select 'third'", nil, nil, nil, nil)
	must(t, pipe.Sync())
	var got []string
	for len(got) < 6 {
		r, err := pipe.GetResults()
		switch r := r.(type) {
		case *pgconn.ResultReader:
			got = append(got, string(r.Read().Rows[0][0]))
		case *pgconn.PipelineSync:
			got = append(got, "sync")
		default:
			got = append(got, fmt.Sprint(err))
		}
	}
	want := []string{"first", "sync", "ERROR: not now (SQLSTATE 57014)", "sync", "third", "sync"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	must(t, pipe.Close())
}

func TestCancelOfAHeldBatch(t *testing.T) {
	arrived := make(chan struct{}, 1)
	p := &porter{hold: func(ctx context.Context, _ *wire.Conn, b wire.Batch) error {
		if strings.Contains(b.Statements[0].SQL, "held") {
			arrived <- struct{}{}
			<-ctx.Done()
			return ctx.Err()
		}
		return nil
	}}
	b := start(t, gated(p))
	ctx := t.Context()
	conn := b.connect(pgx.QueryExecModeSimpleProtocol)
	done := make(chan error, 1)
	go func() {
		_, err := conn.Exec(ctx, "select 'held'")
		done <- err
	}()
	<-arrived
	must(t, conn.PgConn().CancelRequest(ctx))
	var e *pgconn.PgError
	if err := <-done; !errors.As(err, &e) || e.Code != "57014" {
		t.Errorf("error %v", err)
	}
	if _, err := conn.Exec(ctx, "select 1"); err != nil {
		t.Errorf("after the cancel: %v", err)
	}
}

// The end of the proxy frees what is held.
func TestCloseFreesHeldBatches(t *testing.T) {
	arrived := make(chan struct{}, 1)
	p := &porter{hold: func(ctx context.Context, _ *wire.Conn, b wire.Batch) error {
		arrived <- struct{}{}
		<-ctx.Done()
		return ctx.Err()
	}}
	b := start(t, gated(p))
	conn := b.connect(pgx.QueryExecModeSimpleProtocol)
	done := make(chan error, 1)
	go func() {
		_, err := conn.Exec(context.Background(), "select 1")
		done <- err
	}()
	<-arrived
	must(t, b.Close())
	if err := <-done; err == nil {
		t.Error("the client got an answer from a closed proxy")
	}
	if said := p.all(); said[len(said)-1] != "0 closed" {
		t.Errorf("the gate was told %q", said)
	}
}

// What is bound in a batch too large to be held still passes whole, and its gate
// is asked once.
func TestPartialBatch(t *testing.T) {
	p := &porter{}
	b := start(t, gated(p))
	ctx := t.Context()
	conn := b.connect(pgx.QueryExecModeExec)
	big := strings.Repeat("x", 3<<20)
	var n int
	must(t, conn.QueryRow(ctx, "select length($1::text)", big).Scan(&n))
	must(t, conn.QueryRow(ctx, "select length($1::text)", "small").Scan(&n))
	must(t, conn.Close(ctx))
	must(t, b.Close())
	said := p.all()
	var short []string
	for _, s := range said {
		short = append(short, fmt.Sprintf("%.50s", s))
	}
	if len(said) != 6 || !strings.Contains(said[1], "partial=true") || !strings.HasPrefix(said[2], "0 answered SELECT 1[[3145728]] I") {
		t.Errorf("the gate was told %q", short)
	}
	if !strings.Contains(said[1], "… +3144744 bytes") {
		t.Errorf("the value is not cut: %.2000s", said[1])
	}
}

func TestAssignedConnectionsRecordAsTheirLane(t *testing.T) {
	p := &porter{}
	p.hold = func(_ context.Context, c *wire.Conn, b wire.Batch) error {
		if strings.Contains(b.Statements[0].SQL, "lane") {
			c.Assign(42, 7)
		} else {
			c.Assign(43, 0)
		}
		return nil
	}
	b := start(t, gated(p))
	ctx := t.Context()
	conn := b.connect(pgx.QueryExecModeSimpleProtocol)
	for _, sql := range []string{"select 'lane'", "select 'other'", "select 'lane'"} {
		_, err := conn.Exec(ctx, sql)
		must(t, err)
	}
	must(t, conn.Close(ctx))
	var got []string
	for _, o := range b.ops() {
		got = append(got, fmt.Sprintf("p%d c%d %v", o.Process, o.Call, o.Kind))
	}
	want := []string{"p42 c7 invoke", "p42 c7 ok", "p43 c0 invoke", "p43 c0 ok", "p42 c7 invoke", "p42 c7 ok"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
