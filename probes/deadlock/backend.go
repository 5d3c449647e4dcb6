package deadlock

import (
	"strings"

	"github.com/ccheck/ccheck/probes/history"
)

// activity is what pg_stat_activity says of a session.
type activity struct {
	user, app, state, query string
	queryStart, xactStart   string
}

// backend is a session that waits, or that somebody waits for. It becomes a
// lane of the history, with the statements that were seen.
type backend struct {
	lane int
	rec  *history.Recorder
	at   activity
	stmt *history.Stmt // that is shown as running; nil when none is
	txn  int64
	call bool
}

// seen notes what the session runs. A statement that is shown while the session
// is idle in its transaction has ended.
func (b *backend) seen(x *watcher, a activity) error {
	defer func() { b.at = a }()
	if b.call && a.xactStart != b.at.xactStart {
		b.close()
	}
	if !b.call {
		b.rec.BeginCall(name(a))
		b.call, b.txn = true, b.rec.NextTxn()
	} else if a.queryStart == b.at.queryStart {
		if a.state != "active" {
			b.answer('T')
		}
		return b.rec.Flush()
	}
	b.answer('T')
	st, err := x.define(strings.TrimSpace(a.query))
	if err != nil {
		return err
	}
	b.stmt = st
	b.rec.Record(&history.Op{Scope: history.ScopeQuery, Kind: history.Invoke, Stmt: st, Txn: b.txn})
	if a.state != "active" {
		b.answer('T')
	}
	return b.rec.Flush()
}

// name tells sessions of one program from those of another.
func name(a activity) string {
	if a.app != "" {
		return a.app
	}
	return a.user
}

// answer notes that the statement has ended; how is not known.
func (b *backend) answer(status byte) {
	if b.stmt == nil {
		return
	}
	b.rec.Record(&history.Op{Scope: history.ScopeQuery, Kind: history.OK, Stmt: b.stmt, Txn: b.txn, Status: status})
	b.stmt = nil
}

// waits notes for whom the session waits.
func (b *backend) waits(x *watcher, pids []string) {
	o := history.Op{Scope: history.ScopeWait, Kind: history.OK, Text: "lock"}
	for _, pid := range pids {
		if other := x.known[pid]; other != nil && other != b {
			o.Args = append(o.Args, history.Int(int64(other.lane)))
		}
	}
	b.rec.Record(&o)
	_ = b.rec.Flush() // the writer keeps the error and tells it at the end
}

// close ends what was seen of the session: nobody waits for it any more.
func (b *backend) close() {
	if !b.call {
		return
	}
	b.answer('I')
	b.rec.EndCall(history.Unknown, 1, nil, nil)
	b.call, b.at = false, activity{}
}
