package wire

import (
	"sync"
	"sync/atomic"

	"github.com/ccheck/ccheck/probes/history"
)

const (
	// maxStatements bounds the different texts of a history. An application that
	// writes its values into the text in ways that constants does not know would
	// make the history mostly definitions.
	maxStatements = 1 << 16
	// maxSQL is the length to which a statement's text is kept.
	maxSQL = 64 << 10
)

// tape is the proxy's way into the history. Without a writer it does nothing.
type tape struct {
	w *history.Writer

	mu    sync.Mutex
	texts map[string]*text
	notes *history.Recorder
	first int
	used  []bool // process numbers from first on
}

// text is a statement of the history, and the result that it had last.
type text struct {
	stmt  history.Stmt
	shape atomic.Pointer[shape]
}

func newTape(w *history.Writer, first int) *tape {
	t := &tape{w: w, first: first, texts: map[string]*text{}}
	if w != nil {
		t.notes = w.Recorder(history.Checker)
	}
	return t
}

// recorder returns a way in for a process, nil when nothing is recorded.
func (t *tape) recorder(process int) *history.Recorder {
	if t.w == nil {
		return nil
	}
	return t.w.Recorder(process)
}

// lend returns the lowest process number that no connection has.
func (t *tape) lend() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	for i, used := range t.used {
		if !used {
			t.used[i] = true
			return t.first + i
		}
	}
	t.used = append(t.used, true)
	return t.first + len(t.used) - 1
}

func (t *tape) giveBack(process int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.used[process-t.first] = false
}

// text returns the history's statement of a text.
func (t *tape) text(sql []byte) *text {
	t.mu.Lock()
	defer t.mu.Unlock()
	if s := t.texts[string(sql)]; s != nil {
		return s
	}
	return t.add(string(sql))
}

// add defines a statement.
func (t *tape) add(sql string) *text {
	if len(t.texts) >= maxStatements {
		sql = "/* one of more than 65536 different texts */ " + verbOf(sql)
		if s := t.texts[sql]; s != nil {
			return s
		}
	}
	s := &text{stmt: history.Stmt{SQL: sql}}
	_ = t.w.Define(&s.stmt) // a full disk shows in the writer's Err
	t.texts[sql] = s
	return s
}

// note records what happens beside the statements.
func (t *tape) note(text string) {
	if t.w == nil {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.notes.Record(&history.Op{Scope: history.ScopeNote, Kind: history.OK, Text: text})
	_ = t.notes.Flush()
}

// flush is the end of the tape.
func (t *tape) flush() error {
	if t.w == nil {
		return nil
	}
	return t.w.Sync()
}
