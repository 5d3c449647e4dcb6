package lag

import (
	"strconv"
	"sync/atomic"
	"time"

	"github.com/ccheck/ccheck/probes/history"
)

// tape is the history of a run and what it counts.
type tape struct {
	*history.Writer
	writes, reads, failed atomic.Int64
}

// Counts are the state of a run.
type Counts struct {
	Phase                 string
	Writes, Reads, Failed int64
	Elapsed               time.Duration
	Recorded              int64
	Replicas              []Series
}

// Series is how far one replica was behind.
type Series struct {
	Name   string
	Values []time.Duration // one for each write that became visible, in their order
	Bytes  int64           // the most that was missing
}

func (t *tape) counts() Counts {
	return Counts{
		Writes: t.writes.Load(), Reads: t.reads.Load(), Failed: t.failed.Load(),
		Elapsed: t.Elapsed(), Recorded: t.Size(),
	}
}

// mark notes something about the run.
func (t *tape) mark(what string) error {
	r := t.Recorder(history.Checker)
	r.Record(&history.Op{Scope: history.ScopeNote, Kind: history.OK, Text: what})
	return r.Flush()
}

// lane is one session in the history.
type lane struct {
	tape *tape
	rec  *history.Recorder
	name string
}

func (t *tape) lane(number int, name string) lane {
	return lane{tape: t, rec: t.Recorder(number), name: name}
}

// call records a call and counts it. An error says that it has no answer, unless
// it is a refusal of ours.
func (l *lane) call(what string, do func() (vars, error)) error {
	l.rec.BeginCall(what)
	if err := l.rec.Flush(); err != nil {
		return err
	}
	v, err := do()
	outcome := history.Accepted
	switch {
	case isRefusal(err):
		outcome = history.Refused
	case err != nil:
		outcome = history.Unknown
		l.tape.failed.Add(1)
	}
	if what == "write" || what == "deposit" {
		l.tape.writes.Add(1)
	} else {
		l.tape.reads.Add(1)
	}
	l.rec.EndCall(outcome, 1, append(v, text("session", l.name)...), err)
	if flush := l.rec.Flush(); flush != nil {
		return flush
	}
	if isRefusal(err) {
		return nil
	}
	return err
}

// note records what took no time of its own.
func (l *lane) note(what string, v vars) error {
	l.rec.BeginCall(what)
	l.rec.EndCall(history.Accepted, 1, append(v, text("session", l.name)...), nil)
	return l.rec.Flush()
}

// vars are the variables of a call.
type vars []history.Var

func text(pairs ...string) vars {
	var v vars
	for i := 0; i < len(pairs); i += 2 {
		v = append(v, history.Var{Name: pairs[i], Value: history.Text(pairs[i+1])})
	}
	return v
}

func (v vars) number(name string, n int64) vars {
	return append(v, history.Var{Name: name, Value: history.Text(strconv.FormatInt(n, 10))})
}
