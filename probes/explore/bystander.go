package explore

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/ccheck/ccheck/probes/internal/sqltext"
	"github.com/ccheck/ccheck/probes/wire"
)

// What an application sends by itself, in timers and workers, is no part of a
// request. It is told apart by its fingerprint: it comes while nobody asks for
// anything. What it writes would otherwise look like an outcome that no serial
// order gives.

// bystanders are what is known of it; the Wire's mutex guards them.
type bystanders struct {
	idle   map[string]bool      // fingerprints of what came while nobody asked
	own    map[string]bool      // of what requests send
	uses   map[string]bool      // tables that those name
	seen   map[string]time.Time // when a fingerprint wrote last that is neither
	writes []edit               // of the round at hand
	before []edit               // of the round before it
}

// edit is a statement that has changed rows.
type edit struct {
	print, sql string
	nobodys    bool // lanes were there, and it came on a connection of none
}

func newBystanders() bystanders {
	return bystanders{idle: map[string]bool{}, own: map[string]bool{}, uses: map[string]bool{}, seen: map[string]time.Time{}}
}

// Own notes that a request sends what is in the trace.
func (w *Wire) Own(t *Trace) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, s := range t.Sent {
		w.claim(s.print, s.SQL)
	}
}

func (w *Wire) claim(print, sql string) {
	w.by.own[print] = true
	for _, name := range w.words.names(sql) {
		w.by.uses[name] = true
	}
}

// Begin forgets what was written before.
func (w *Wire) Begin() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.by.writes, w.by.before = nil, nil
}

// The bounds on how long is listened for a statement of which it is not known
// who sends it. Two that came within recent are compared.
const (
	recent   = 1500 * time.Millisecond
	listened = 50 * time.Millisecond
)

// Doubt finds out who sends the statements that are odd. One that comes twice
// from the same requests would come again by itself within twice that time, if it
// came by itself. What came once is waited for in another round.
func (w *Wire) Doubt(ctx context.Context, odd map[string]string) {
	now := time.Now()
	for print, sql := range odd {
		since := now.Sub(w.sighted(print, now))
		if since > recent || w.heard(ctx, 2*since+listened, print) {
			continue
		}
		w.mu.Lock()
		w.claim(print, sql)
		w.mu.Unlock()
	}
}

// sighted notes that a statement of an unknown sender came, and returns when it
// did before.
func (w *Wire) sighted(print string, now time.Time) time.Time {
	w.mu.Lock()
	defer w.mu.Unlock()
	before := w.by.seen[print]
	w.by.seen[print] = now
	return before
}

// heard listens until the statement has come by itself.
func (w *Wire) heard(ctx context.Context, span time.Duration, print string) bool {
	for end := time.Now().Add(span); !w.comesAlone(print) && time.Now().Before(end) && ctx.Err() == nil; {
		w.Listen(ctx, 5*time.Millisecond)
	}
	return w.comesAlone(print)
}

func (w *Wire) comesAlone(print string) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.by.idle[print]
}

// Part takes from a trace what another one of the same request does not have and
// the application is heard to send by itself.
func (w *Wire) Part(ctx context.Context, t, other *Trace) {
	prints := other.Prints()
	for _, print := range t.Prints() {
		if !slices.Contains(prints, print) && w.heard(ctx, recent, print) {
			t.Sent = slices.DeleteFunc(t.Sent, func(s *Traced) bool { return s.print == print })
		}
	}
}

// ByItself are the tables that the application has written by itself since
// Begin, and that the statements of the trace do not name.
func (w *Wire) ByItself(t *Trace) (names []string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, s := range w.by.writes {
		if w.by.idle[s.print] {
			names = append(names, w.words.names(s.sql)...)
		}
	}
	return slices.DeleteFunc(names, func(name string) bool {
		return slices.ContainsFunc(t.Sent, func(s *Traced) bool { return slices.Contains(w.words.names(s.SQL), name) })
	})
}

// foreign reports whether a batch is none of a request though one runs. A
// transaction is known by the first statement in it; that it began was not seen
// to be nobody's.
func (w *Wire) foreign(l *link, b wire.Batch, st *wire.Statement) bool {
	within := b.Tx != 'I' || l.began
	if within && l.other {
		return true
	}
	print := printOf(b, st)
	if st == nil || !w.by.idle[print] || w.by.own[print] || w.expected(print) || within && !l.began {
		return false
	}
	if l.other = within; within {
		l.lane = nil
		w.watched.disown(l)
	}
	return true
}

// disown takes what came last on a connection from the trace.
func (t *Trace) disown(l *link) {
	if t == nil {
		return
	}
	for i, s := range slices.Backward(t.Sent) {
		if s.link == l {
			t.Sent = slices.Delete(t.Sent, i, i+1)
			return
		}
	}
}

// expected reports whether a lane would send the statement next.
func (w *Wire) expected(print string) bool {
	return slices.ContainsFunc(w.lanes, func(l *webLane) bool { return l.expects(print) })
}

// nobody reports whether lanes are there, and no request of them runs.
func (w *Wire) nobody() bool {
	return len(w.lanes) > 0 && w.running == nil && !slices.ContainsFunc(w.lanes, func(l *webLane) bool { return !l.ended && !l.started.IsZero() })
}

// overhear notes what arrives while nobody asks for anything. What ends a
// transaction comes from everybody.
func (w *Wire) overhear(b wire.Batch) {
	for i := range b.Statements {
		st := &b.Statements[i]
		if verb := sqltext.Verb(st.SQL); st.Kind != wire.Prepare && verb != "commit" && verb != "end" && w.words.step(b) != nil {
			print := sqltext.Fingerprint(st.SQL)
			if !w.by.idle[print] {
				w.news = time.Now()
			}
			w.by.idle[print] = true
		}
	}
}

// wrote notes the statements of a batch that have changed rows, when others see it.
func (w *Wire) wrote(l *link, s *sent, r wire.Result) {
	for i, sql := range s.texts {
		if a := AnswerOf(r, i, len(s.texts)); a != nil && changes(a.Tag, sql) {
			l.wrote = append(l.wrote, w.edit(s, sql))
		}
	}
	if l.tx == 'I' {
		w.by.writes, l.wrote = append(w.by.writes, l.wrote...), nil
	}
}

// changes reports whether a statement with that command tag has changed rows.
func changes(tag, sql string) bool {
	verb, _, _ := strings.Cut(tag, " ")
	switch verb {
	case "INSERT", "UPDATE", "DELETE", "MERGE", "COPY":
		return !strings.HasSuffix(tag, " 0")
	case "SELECT":
		return sqltext.Writes(sql)
	case "TRUNCATE":
		return true
	}
	return false
}
