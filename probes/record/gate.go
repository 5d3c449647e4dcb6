package record

import (
	"context"
	"slices"
	"strings"

	"github.com/ccheck/ccheck/probes/record/tape"
	"github.com/ccheck/ccheck/probes/wire"
)

var _ wire.Gate = (*gate)(nil)

// gate lets everything pass and writes down what it was. All of it is guarded by
// the Recorder's mutex.
type gate struct {
	r           *Recorder
	conns       map[*wire.Conn]*conn
	connections int
	txns        int64
	statements  int
	own         int            // statements of the application's own that were left out
	seen        map[string]int // those that were not, by text
}

// conn is a connection of the application.
type conn struct {
	id   int64
	txn  *txn
	sent [][]*tape.Statement // batches on their way
}

// txn is a transaction, or a statement on autocommit.
type txn struct {
	n    int64
	of   []int // requests that can have caused it
	by   string
	said bool // a comment has said it
	all  []*tape.Statement
}

func newGate(r *Recorder) *gate {
	return &gate{r: r, conns: map[*wire.Conn]*conn{}, seen: map[string]int{}}
}

// Opened notes a connection.
func (g *gate) Opened(c *wire.Conn) error {
	g.r.mu.Lock()
	defer g.r.mu.Unlock()
	g.connections++
	g.conns[c] = &conn{id: int64(g.connections)}
	return nil
}

// Closed writes down what was left.
func (g *gate) Closed(c *wire.Conn) {
	g.r.mu.Lock()
	defer g.r.mu.Unlock()
	if k := g.conns[c]; k != nil {
		g.finish(k)
	}
	delete(g.conns, c)
}

// Arrive notes the statements of a batch.
func (g *gate) Arrive(_ context.Context, c *wire.Conn, b wire.Batch) error {
	g.r.mu.Lock()
	defer g.r.mu.Unlock()
	k := g.conns[c]
	if k == nil {
		return nil
	}
	var list []*tape.Statement
	for _, s := range b.Statements {
		if s.Kind == wire.Prepare || s.Kind == wire.Fetch {
			list = append(list, nil)
			continue
		}
		list = append(list, g.arrive(k, s))
	}
	k.sent = append(k.sent, list)
	return nil
}

func (g *gate) arrive(k *conn, s wire.Statement) *tape.Statement {
	if k.txn == nil {
		g.txns++
		k.txn = &txn{n: g.txns}
	}
	text, comments := uncomment(s.SQL)
	g.narrow(k.txn, comments)
	args := s.Args
	if s.Kind == wire.Query {
		text, args = wire.Constants(text)
	}
	var columns []string
	if g.r.Columns != nil && len(args) > 0 {
		columns = g.r.Columns(text)
	}
	t := &tape.Statement{Conn: k.id, Txn: k.txn.n, Start: g.r.now(), SQL: plain(g.r.masker.scrub(text)), Args: g.r.masker.args(args, columns)}
	k.txn.all = append(k.txn.all, t)
	return t
}

// narrow leaves of the requests that can have caused a transaction those that
// are open, unless none of them is, or one has said that it was it.
func (g *gate) narrow(t *txn, comments string) {
	var now []int
	for n, o := range g.r.open {
		if slices.ContainsFunc(o.ids, func(id string) bool { return comments != "" && strings.Contains(comments, id) }) {
			t.of, t.by, t.said = []int{n}, tape.ByTrace, true
			return
		}
		now = append(now, n)
	}
	if t.said {
		return
	}
	slices.Sort(now)
	if len(t.all) == 0 {
		t.of, t.by = now, tape.ByTime
		return
	}
	both := slices.DeleteFunc(slices.Clone(t.of), func(n int) bool { return !slices.Contains(now, n) })
	if len(both) > 0 {
		t.of = both
	}
}

// Answered notes how they ended.
func (g *gate) Answered(c *wire.Conn, res wire.Result) {
	g.r.mu.Lock()
	defer g.r.mu.Unlock()
	k := g.conns[c]
	if k == nil || len(k.sent) == 0 {
		return
	}
	list := k.sent[0]
	k.sent = k.sent[1:]
	for i, s := range list {
		if s == nil {
			continue
		}
		s.End = g.r.now()
		if a := answerOf(res.Answers, i, len(list)); a != nil {
			s.Tag, s.State, s.Rows = a.Tag, a.SQLState, len(a.Rows)+a.More
		}
	}
	if res.Tx == 'I' && len(k.sent) == 0 || res.Lost {
		g.finish(k)
	}
}

// answerOf is the answer to statement i of n: the last one where several
// commands were in one text.
func answerOf(answers []wire.Answer, i, n int) *wire.Answer {
	switch {
	case len(answers) == 0:
		return nil
	case n == 1 || i >= len(answers):
		return &answers[len(answers)-1]
	}
	return &answers[i]
}

// often is how many times a statement that no request caused is written down.
const often = 5

// finish ends a transaction, and writes it down.
func (g *gate) finish(k *conn) {
	t := k.txn
	k.txn = nil
	if t == nil || g.r.closed {
		return
	}
	for _, s := range t.all {
		if len(t.of) == 0 {
			if g.seen[s.SQL] >= often || len(g.seen) > maxKnown {
				g.own++
				continue
			}
			g.seen[s.SQL]++
		}
		g.statements++
		s.N, s.Of, s.By = g.statements, t.of, t.by
		if len(t.of) == 0 {
			s.By = ""
		}
		g.r.tape.Statement(s)
	}
}
