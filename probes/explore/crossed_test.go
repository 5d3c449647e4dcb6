package explore

import (
	"testing"
	"time"

	"github.com/ccheck/ccheck/probes/history"
	"github.com/ccheck/ccheck/probes/internal/sqltext"
	"github.com/ccheck/ccheck/probes/wire"
)

// pair is a gate with two lanes of one request. The first of them runs, has made
// its steps and has nothing on its way; the second has the statements at the gate,
// each in a transaction of its own.
func pair(t *testing.T, alone *Trace, ended bool, held ...string) (w *Wire, slow, other *webLane) {
	t.Helper()
	w = NewWire()
	w.Know([]history.Table{{Name: "item"}, {Name: "tick"}})
	lane := func(n int) *webLane {
		l := w.Lane("buy", Request{Alone: alone}).web
		l.seat, l.at = &Seat{Lane: n}, 2
		w.lanes = append(w.lanes, l)
		return l
	}
	slow, other = lane(0), lane(1)
	w.running, other.ended = slow, ended
	for i, sql := range held {
		conn := &wire.Conn{BackendPID: uint32(i + 1)}
		must(t, w.Opened(conn))
		link := w.links[conn]
		link.lane, link.tx = other, 'T'
		other.queue = append(other.queue, &arrival{link: link, step: step{stmt: &history.Stmt{SQL: sql}, pid: conn.BackendPID}, let: make(chan struct{})})
	}
	return w, slow, other
}

const takes, ticks = "update item set stock = 1", "insert into tick values (1)"

func aloneOf(trails bool) *Trace {
	return &Trace{Trails: trails, Think: time.Millisecond, Sent: []*Traced{
		{SQL: "select stock from item", Step: true, print: sqltext.Fingerprint("select stock from item")},
		{SQL: takes, Step: true, print: sqltext.Fingerprint(takes)},
	}}
}

// A lane that was taken for another gets its steps back, and the schedule is run
// again. What may follow an answer, and what the lane does not send, stays.
func TestCrossed(t *testing.T) {
	for _, tt := range []struct {
		name  string
		trace *Trace
		ended bool
		held  []string
		moved int
	}{
		{"a step after the answer", aloneOf(false), true, []string{takes}, 1},
		{"it goes on after its answer alone, too", aloneOf(true), true, []string{takes}, 0},
		{"another statement", aloneOf(false), true, []string{ticks}, 0},
		{"no answer yet", aloneOf(false), false, []string{takes}, 0},
		{"one transaction more than alone", aloneOf(false), false, []string{takes, takes}, 1},
		{"nothing is known of it alone", nil, true, []string{takes}, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w, slow, other := pair(t, tt.trace, tt.ended, tt.held...)
			if state, _ := w.state(slow, 0); state != thinking {
				t.Fatalf("it is not waited for: %v", state)
			}
			state, _ := w.state(slow, w.usual(slow))
			if len(slow.queue) != tt.moved || len(other.queue) != len(tt.held)-tt.moved {
				t.Errorf("%d steps at the gate, and %d of the other", len(slow.queue), len(other.queue))
			}
			if (state == still) != (tt.moved > 0) || slow.owns() != tt.moved {
				t.Errorf("state %v, %d connections", state, slow.owns())
			}
			if c := w.take(); c.Disturbed() != (tt.moved > 0) {
				t.Errorf("told of as %+v", c)
			}
			if c := w.take(); c.Disturbed() {
				t.Errorf("told of twice: %+v", c)
			}
		})
	}
}

// A timer that nobody has heard yet is no step of a lane whose own steps are at the
// gate under another's name: it would be let go each time, and they never.
func TestTimerBesideCrossed(t *testing.T) {
	for _, within := range []bool{false, true} {
		w, slow, _ := pair(t, aloneOf(false), true, takes)
		conn := &wire.Conn{BackendPID: 9}
		must(t, w.Opened(conn))
		b := wire.Batch{Tx: 'I', Statements: []wire.Statement{{Kind: wire.Query, SQL: ticks}}}
		if within {
			b.Tx, w.links[conn].lane, w.links[conn].tx = 'T', slow, 'T'
		}
		if lane := w.laneOf(w.links[conn], b, &b.Statements[0]); lane != nil {
			t.Errorf("in a transaction %v: the timer is taken for lane %d", within, lane.seat.Lane)
		}
		if c := w.take(); !c.Crossed {
			t.Error("the schedule is judged all the same")
		}
		if lane := w.laneOf(w.links[conn], wire.Batch{Tx: 'I', Statements: []wire.Statement{{Kind: wire.Query, SQL: takes}}}, &wire.Statement{SQL: takes}); lane != slow && !within {
			t.Error("its own statement is not the lane's")
		}
	}
}

// A lane that goes on by itself was only slow: the schedule without its steps is run
// again with more patience. One that waits in the process for another goes on so each
// time; when the wait has been doubled often enough, its schedules are judged.
func TestSlowLaneIsWaitedForAgain(t *testing.T) {
	w, slow, _ := pair(t, aloneOf(false), false)
	for i := range latest + 1 {
		before := w.usual(slow)
		slow.parked, slow.used, slow.over = true, w.used(), w.overs()
		slow.unpark()
		if again := w.take().Disturbed(); again != (i < latest) || (w.usual(slow) == 2*before) != again {
			t.Errorf("time %d: again %v, %v after %v", i+1, again, w.usual(slow), before)
		}
	}
	slow.parked, slow.used = true, w.used()+1
	if slow.unpark(); w.take().Disturbed() {
		t.Error("a lane that had no connection was only slow")
	}
}
