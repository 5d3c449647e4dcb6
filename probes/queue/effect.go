package queue

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/ccheck/ccheck/probes/actor/script"
	"github.com/ccheck/ccheck/probes/history"
	"github.com/ccheck/ccheck/probes/pg"
)

var _ script.DB = (*effector)(nil)

// errKilled is the end of a worker that was killed.
var errKilled = errors.New("the worker was killed")

// effector does what a job does: it calls the service that counts. To a script
// it is the connection of the statements after -- @outside.
type effector struct {
	l      *lane
	rec    *history.Recorder
	client *http.Client
}

func newEffector(l *lane) *effector {
	return &effector{l: l, rec: l.rec, client: &http.Client{Timeout: 10 * time.Second}}
}

// do does the job with that key, unless the worker is killed before it; it may
// be killed after it as well.
func (e *effector) do(ctx context.Context, st *history.Stmt, key string, args []history.Value) error {
	fate := e.l.d.fate()
	if fate == KilledBefore {
		return e.die(fate, key)
	}
	txn := e.rec.NextTxn()
	e.rec.Record(&history.Op{Scope: history.ScopeQuery, Kind: history.Invoke, Stmt: st, Txn: txn, Args: args})
	if err := e.rec.Flush(); err != nil {
		return err
	}
	if err := e.call(ctx, key); err != nil {
		return err
	}
	e.rec.Record(&history.Op{Scope: history.ScopeQuery, Kind: history.OK, Stmt: st, Txn: txn, Tag: "SELECT 1", Status: 'I'})
	e.l.d.noteDone(key)
	if fate == KilledAfter {
		return e.die(fate, key)
	}
	return nil
}

// die notes that the worker ends here.
func (e *effector) die(fate, key string) error {
	e.rec.Record(&history.Op{Scope: history.ScopeNote, Kind: history.OK, Phase: fate, Text: key})
	return &pg.LostError{Err: errKilled}
}

// call calls the service.
func (e *effector) call(ctx context.Context, key string) error {
	body, err := json.Marshal(map[string]string{"job": key})
	if err != nil {
		return err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, e.l.d.stub.URL()+"/effects", bytes.NewReader(body))
	if err != nil {
		return err
	}
	res, err := e.client.Do(req)
	if err != nil {
		return fmt.Errorf("calling the service that counts: %w", err)
	}
	return res.Body.Close()
}

// noteDone counts an effect.
func (d *driver) noteDone(key string) {
	d.done.Add(1)
	d.last.Store(int64(d.w.Elapsed()))
	d.mu.Lock()
	defer d.mu.Unlock()
	d.seen[key] = true
}

// fate says what becomes of the worker that is about to do a job. Kills are
// spread over the first half of the jobs, before and after the effect in turn.
func (d *driver) fate() string {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.begun++
	if d.planned == d.Kills || d.begun < (d.planned+1)*max(d.Jobs/(2*d.Kills), 1) {
		return ""
	}
	d.planned++
	if d.planned%2 == 1 {
		return KilledBefore
	}
	return KilledAfter
}

// Exec does a job: the first value is its key.
func (e *effector) Exec(ctx context.Context, st *pg.Stmt, args []history.Value) (*pg.Result, error) {
	if len(args) == 0 {
		return nil, fmt.Errorf("%s:%d: the statement after -- @outside has no value, and its first one is the key of the job", st.File, st.Line)
	}
	if err := e.do(ctx, &st.Stmt, args[0].Text, args); err != nil {
		return nil, err
	}
	return &pg.Result{Tag: "SELECT 1", Affected: 1}, nil
}

// ExecText is not used: lanes run in the prepared protocol.
func (e *effector) ExecText(context.Context, *pg.Stmt, string, []history.Value) ([]pg.Result, error) {
	return nil, errors.New("a queue runs scripts in the prepared protocol")
}

// Status says that no transaction is open: what was done is done.
func (e *effector) Status() byte { return 'I' }

// StartPipeline, SyncPipeline and EndPipeline are those of a connection that is
// never put into a pipeline.
func (e *effector) StartPipeline(context.Context) error { return nil }

func (e *effector) SyncPipeline(context.Context) error { return nil }

func (e *effector) EndPipeline(context.Context) ([]pg.Result, error) { return nil, nil }
