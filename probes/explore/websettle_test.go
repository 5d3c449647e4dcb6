package explore

import (
	"testing"

	"github.com/ccheck/ccheck/probes/history"
	"github.com/ccheck/ccheck/probes/wire"
)

// A lane that waits for a lock of its own is no deadlock while what gives the
// lock up is at the gate.
func TestLaneThatWaitsForItself(t *testing.T) {
	for _, tt := range []struct {
		blockers []int
		queued   bool
		want     phase
	}{
		{[]int{0}, true, held},
		{[]int{0}, false, waiting},
		{[]int{1}, true, waiting},
		{[]int{0, 1}, true, waiting},
		{nil, true, waiting},
	} {
		w := NewWire()
		step := func(sql string) *arrival {
			return &arrival{link: &link{conn: &wire.Conn{}}, step: step{stmt: &history.Stmt{SQL: sql}}}
		}
		l := &webLane{wire: w, flight: []*arrival{step("select for update")}}
		if tt.queued {
			l.queue = []*arrival{step("commit")}
		}
		s := &Seat{lane: &Lane{web: l}, blockers: tt.blockers}
		l.seat = s
		e := &execution{x: &explorer{Options: Options{Wire: w}}}
		if e.place(s); s.phase != tt.want {
			t.Errorf("blocked by %v, at the gate %v: %v", tt.blockers, tt.queued, s.phase)
		}
		if tt.want == held && s.next.stmt.SQL != "commit" {
			t.Errorf("its next step is %s", s.next.stmt.SQL)
		}
	}
}
