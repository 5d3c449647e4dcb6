package explore

import (
	"maps"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ccheck/ccheck/probes/history"
	"github.com/ccheck/ccheck/probes/internal/sqltext"
	"github.com/ccheck/ccheck/probes/wire"
)

// office is a gate with two tables and one connection, and a request that uses
// one of them.
func office(t *testing.T) (*Wire, func(sql, tag string)) {
	t.Helper()
	w := NewWire()
	w.Know([]history.Table{{Name: "item"}, {Name: "tick"}})
	w.Own(&Trace{Sent: []*Traced{{SQL: "update item set stock = 1", print: sqltext.Fingerprint("update item set stock = 1")}}})
	conn := &wire.Conn{BackendPID: 1}
	must(t, w.Opened(conn))
	return w, func(sql, tag string) {
		must(t, w.Arrive(t.Context(), conn, wire.Batch{Tx: 'I', Statements: []wire.Statement{{Kind: wire.Query, SQL: sql}}}))
		w.Answered(conn, wire.Result{Tx: 'I', Answers: []wire.Answer{{Tag: tag}}})
	}
}

func TestCompany(t *testing.T) {
	for _, tt := range []struct {
		sql, tag     string
		alone        bool // it was heard while nobody asked
		aside, mixed []string
		odd          bool
	}{
		{sql: "update item set stock = 4", tag: "UPDATE 1"},
		{sql: "insert into tick values (1)", tag: "INSERT 0 1", odd: true},
		{sql: "insert into tick values (1)", tag: "INSERT 0 1", alone: true, aside: []string{"tick"}},
		{sql: "insert into tick values (1)", tag: "INSERT 0 0", alone: true},
		{sql: "select count(*) from tick", tag: "SELECT 1", alone: true},
		{sql: "update item set price = 4", tag: "UPDATE 1", alone: true, mixed: []string{"item"}},
		{sql: "with x as (delete from tick returning n) select * from x", tag: "SELECT 1", alone: true, aside: []string{"tick"}},
		{sql: "insert into tick select price from item", tag: "INSERT 0 2", alone: true, aside: []string{"tick"}, mixed: []string{"item"}},
		{sql: "copy elsewhere from stdin", tag: "COPY 3", alone: true, mixed: []string{someTable}},
	} {
		w, send := office(t)
		if tt.alone {
			w.listen(true)
			send(tt.sql, tt.tag)
			w.listen(false)
			w.Begin()
		}
		send(tt.sql, tt.tag)
		got := w.take()
		if !slices.Equal(got.Aside, tt.aside) || !slices.Equal(got.Mixed, tt.mixed) || (len(got.Odd) > 0) != tt.odd {
			t.Errorf("%s, alone %v: %+v", tt.sql, tt.alone, got)
		}
		// What came while the rows were looked at may show a round later.
		if again := w.take(); !slices.Equal(again.Aside, tt.aside) || len(again.Odd) > 0 {
			t.Errorf("%s a round later: %+v", tt.sql, again)
		}
		if end := w.take(); end.Disturbed() || len(end.Aside) > 0 {
			t.Errorf("%s two rounds later: %+v", tt.sql, end)
		}
	}
}

// A transaction of others that is open may be seen before its end is.
func TestCompanyUnderway(t *testing.T) {
	w, send := office(t)
	w.listen(true)
	send("insert into tick values (1)", "INSERT 0 1")
	w.listen(false)
	w.Begin()
	conn := slices.Collect(maps.Keys(w.links))[0]
	must(t, w.Arrive(t.Context(), conn, wire.Batch{Tx: 'I', Statements: []wire.Statement{{Kind: wire.Query, SQL: "insert into tick values (2)"}}}))
	if got := w.take(); !slices.Equal(got.Aside, []string{"tick"}) {
		t.Errorf("it is not told while its answer is on its way: %+v", got)
	}
}

// A slow statement of an unknown sender is in the way of two looks, and has come
// once.
func TestCompanyPassing(t *testing.T) {
	w, _ := office(t)
	conn := slices.Collect(maps.Keys(w.links))[0]
	must(t, w.Arrive(t.Context(), conn, wire.Batch{Tx: 'I', Statements: []wire.Statement{{Kind: wire.Query, SQL: "insert into tick values (2)"}}}))
	if got := w.take(); !got.Disturbed() || len(got.Odd) > 0 {
		t.Errorf("on its way: %+v", got)
	}
	w.Answered(conn, wire.Result{Tx: 'I', Answers: []wire.Answer{{Tag: "INSERT 0 1"}}})
	if got := w.take(); !got.Disturbed() || len(got.Odd) != 1 {
		t.Errorf("answered: %+v", got)
	}
}

// A statement of an unknown sender is a request's when it comes with requests and
// not without them.
func TestDoubt(t *testing.T) {
	const every = 40 * time.Millisecond
	for _, timer := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			w, send := office(t)
			round := func() Company {
				send("insert into tick values (1)", "INSERT 0 1")
				c := w.take()
				time.Sleep(every)
				return c
			}
			w.Doubt(t.Context(), round().Odd)
			second := round()
			if len(second.Odd) == 0 {
				t.Fatal("one sighting is taken for enough")
			}
			if timer {
				go func() {
					time.Sleep(every / 2)
					send("insert into tick values (1)", "INSERT 0 1")
				}()
			}
			w.Doubt(t.Context(), second.Odd)
			third := round()
			if len(third.Odd) > 0 || timer != slices.Equal(third.Aside, []string{"tick"}) {
				t.Errorf("timer %v: %+v", timer, third)
			}
		})
	}
}
