package wire

import (
	"sync"

	"github.com/ccheck/ccheck/probes/fault"
	"github.com/ccheck/ccheck/probes/history"
)

// session is what a connection remembers of the protocol, to know which text,
// values and columns an answer belongs to. Conn.mu guards it.
type session struct {
	opened     bool
	tx         byte // the status that the server told last
	rec        *history.Recorder
	process    int
	call       int64
	lent       bool // process is one of the proxy's numbers, to be given back
	prepared   map[string]*prepared
	portals    map[string]*portal
	next       *batch // what the client has sent of the batch that is not complete
	pending    queue  // what the server has not answered
	deferred   *op    // ran, and ends with the Sync that follows
	deferredOf *batch
	idle       *sync.Cond // signalled when the client has got what came
	behind     bool       // the client has not got all that came
	skipping   bool       // the server drops everything up to the next Sync
	copyIn     bool       // the server reads copy data and drops Sync
	unsynced   bool       // something ran, and its Sync has not been sent
	fatal      string     // the server's last words
	txn        tracker
	action     fault.Action // what has to happen before the answer goes on
	done       []*batch     // answered, and the gate has not been told

	unheard *batch // without a gate, what all batches are parts of
	taken   *batch // one that was sent, to be used again
	spare   []*op  // that have ended, to be used again
	scan    constantScan
}

// prepared is a statement that was parsed.
type prepared struct {
	sql    string
	text   *text    // in the history, once it ran
	params []uint32 // types, as the client or the server named them
	shape  *shape   // of its result, as the server described it
}

// portal is a statement with its values.
type portal struct {
	stmt    *prepared
	args    []history.Value
	formats []int // of the result columns, as Bind has them
	ran     bool  // once, so that the next Execute fetches more
}

// format is how column i is written.
func (p *portal) format(i int) int {
	switch {
	case len(p.formats) == 1:
		return p.formats[0]
	case i < len(p.formats):
		return p.formats[i]
	}
	return 0
}

// step is a message of the client that the server answers.
type step struct {
	kind   byte // the message's type; 'c' is CopyDone and CopyFail
	batch  *batch
	stmt   *prepared // of P, and of D for a statement
	name   string    // of P
	before *prepared // of P: what had the name
	portal *portal   // of B, and of D for a portal
	op     *op       // of Q, E and F
}

// ends reports whether ReadyForQuery answers it.
func (s *step) ends() bool { return s.kind == 'S' || s.kind == 'Q' || s.kind == 'F' }

// batch is a Batch with what is needed to answer it.
type batch struct {
	root    *batch // the part of it that the gate was asked about; nil when this is it
	steps   []step
	left    int // steps that the server has not answered, and one when more of the batch is to come
	hidden  bool
	sync    bool
	copies  bool // copy data has come: it belongs to the statement that runs
	answers []Answer
	tx      byte
	lost    bool
}

// owner is the batch that the gate knows.
func (b *batch) owner() *batch {
	if b.root != nil {
		return b.root
	}
	return b
}

// shown is the batch as the gate sees it. A statement that is parsed or
// described and run is one statement.
func (c *Conn) shown(b *batch, partial bool) Batch {
	out := Batch{Tx: c.tx, Sync: b.sync, Commits: b.sync && c.unsynced, Partial: partial}
	run := map[*prepared]bool{}
	for _, s := range b.steps {
		if s.op != nil && s.op.portal != nil {
			run[s.op.portal.stmt] = true
		}
	}
	for _, s := range b.steps {
		switch {
		case s.op != nil:
			out.Statements = append(out.Statements, s.op.shown())
		case partial && s.kind == 'B':
			out.Statements = append(out.Statements, Statement{Kind: Execute, SQL: s.portal.stmt.sql, Args: s.portal.args})
		case s.stmt != nil && !run[s.stmt]:
			run[s.stmt] = true
			out.Statements = append(out.Statements, Statement{Kind: Prepare, SQL: s.stmt.sql})
		}
	}
	return out
}

// queue holds steps in order.
type queue struct {
	steps []step
	head  int
}

func (q *queue) len() int { return len(q.steps) - q.head }

func (q *queue) push(s step) { q.steps = append(q.steps, s) }

// first returns the oldest step, nil when there is none.
func (q *queue) first() *step {
	if q.len() == 0 {
		return nil
	}
	return &q.steps[q.head]
}

// second returns the step behind the oldest.
func (q *queue) second() *step {
	if q.len() < 2 {
		return nil
	}
	return &q.steps[q.head+1]
}

func (q *queue) pop() step {
	s := q.steps[q.head]
	q.steps[q.head] = step{}
	q.head++
	if q.head == len(q.steps) {
		q.steps, q.head = q.steps[:0], 0
	} else if q.head > 256 && q.head > len(q.steps)/2 {
		q.steps = append(q.steps[:0], q.steps[q.head:]...)
		q.head = 0
	}
	return s
}

// begin makes the session ready; the server has said ReadyForQuery first.
func (c *Conn) begin() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.opened = true
	c.prepared, c.portals = map[string]*prepared{}, map[string]*portal{}
	if c.proxy.cfg.Gate == nil {
		c.unheard = &batch{hidden: true}
	}
	c.next = &batch{root: c.unheard}
	if c.rec == nil {
		c.process, c.lent = c.proxy.tape.lend(), true
		c.rec = c.proxy.tape.recorder(c.process)
	}
}

// reuse keeps what is of no use to anybody, where no gate may have a part of it:
// a proxy that collects garbage all the time is slower.
func (c *Conn) reuse(b *batch) {
	if c.unheard != nil && cap(b.steps) <= maxSpare {
		clear(b.steps)
		*b = batch{root: c.unheard, steps: b.steps[:0]}
		c.taken = b
	}
}

// giveBack frees the process number.
func (c *Conn) giveBack() {
	if c.lent {
		c.proxy.tape.giveBack(c.process)
		c.lent = false
	}
}

// Assign makes the connection's statements, from the batch that arrives on, part
// of a call of a lane in the history. A gate calls it in Opened or Arrive. Call 0
// is none. Several connections may have one process.
func (c *Conn) Assign(process int, call int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.call = call
	if c.rec != nil && c.process == process {
		return
	}
	c.flush()
	c.giveBack()
	c.process = process
	c.rec = c.proxy.tape.recorder(process)
}
