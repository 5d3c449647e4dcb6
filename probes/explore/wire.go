package explore

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/ccheck/ccheck/probes/history"
	"github.com/ccheck/ccheck/probes/internal/sqltext"
	"github.com/ccheck/ccheck/probes/pg"
	"github.com/ccheck/ccheck/probes/wire"
)

var _ wire.Gate = (*Wire)(nil)

// Wire is the gate of the proxy that an application's statements come through.
// It knows nothing of the application: what arrives belongs to the lane that
// was let run, since all others are quiet. A connection in a transaction
// belongs to its lane until that ends. Two things keep one lane running at a
// time: an answer that comes while another lane runs, because that one has
// given up a lock, is withheld until it is quiet; and requests are started one
// after the other. What arrives while no lane runs (timers, health checks,
// migrations) passes.
type Wire struct {
	// Delay returns how long a step is delayed after it was let go; nil is not
	// at all.
	Delay func() time.Duration
	// Split makes a step of each answer, too: the moment at which the application
	// gets it. What it does with it in its own memory is then put in every order.
	Split bool

	mu      sync.Mutex
	links   map[*wire.Conn]*link
	pids    map[uint32]*link
	lanes   []*webLane // of the exploration at hand, nil while there is none
	running *webLane
	watched *Trace // of the call that is being observed
	words   tableWords
	by      bystanders
	// listening says that no request runs: what comes is the application's own.
	listening bool
	news      time.Time // when a connection was opened, or something new was overheard
	stmts     *definitions
	changed   chan struct{} // something has happened since it was last read
	most      int           // connections that were seen in use at one time
	full      int           // connections that the pool was seen to have; 0 unknown
	late      int           // lanes that went on by themselves after they had been parked
	seen      map[string]bool
}

// link is a connection of the application.
type link struct {
	conn  *wire.Conn
	lane  *webLane // whose transaction or statement is on it
	tx    byte     // status that the server told last
	txn   int64
	began bool // BEGIN has passed, and no statement after it
	other bool // its transaction is none of a request
	sent  []*sent
	wrote []edit // in the transaction that is open
}

// sent is a batch on its way to the server.
type sent struct {
	lane   *webLane
	held   *arrival      // what it was at the gate; nil for what passed
	ops    []*history.Op // invokes, one for each statement that runs
	texts  []string      // of the statements that run
	traced *Traced
}

// arrival is a batch at the gate.
type arrival struct {
	link  *link
	batch wire.Batch
	step  step
	let   chan struct{}
}

// NewWire returns a gate that lets everything pass until lanes run.
func NewWire() *Wire {
	return &Wire{
		links: map[*wire.Conn]*link{}, pids: map[uint32]*link{}, by: newBystanders(), seen: map[string]bool{},
		changed: make(chan struct{}, 1),
	}
}

// Know tells the gate the tables of the application.
func (w *Wire) Know(tables []history.Table) {
	names := make([]string, len(tables))
	for i, t := range tables {
		names[i] = t.Name
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.words = newTableWords(names)
}

// Connections is the number of those that are open.
func (w *Wire) Connections() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return len(w.links)
}

// Listen learns for a while what the application sends when nobody asks it for
// anything: that is never a step of a lane.
func (w *Wire) Listen(ctx context.Context, span time.Duration) {
	w.listen(true)
	defer w.listen(false)
	select {
	case <-time.After(span):
	case <-ctx.Done():
	}
}

// Settle listens until nothing new has come for the span, at most for the limit:
// no connection, and no statement that was not heard before. An application may
// answer while others of its processes are still starting, whose statements are no
// request's. It returns when the last news came, the zero time for none.
func (w *Wire) Settle(ctx context.Context, span, limit time.Duration) time.Time {
	w.listen(true)
	defer w.listen(false)
	begun := time.Now()
	for time.Since(begun) < limit && ctx.Err() == nil {
		quiet := min(time.Since(begun), time.Since(w.lastNews()))
		if quiet >= span && !w.active() {
			break
		}
		time.Sleep(min(max(span-quiet, time.Millisecond), 10*time.Millisecond))
	}
	return w.lastNews()
}

func (w *Wire) lastNews() time.Time {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.news
}

func (w *Wire) listen(on bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.listening = on
}

func (w *Wire) signal() {
	select {
	case w.changed <- struct{}{}:
	default:
	}
}

// Opened notes a connection of the application.
func (w *Wire) Opened(c *wire.Conn) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	l := &link{conn: c, tx: 'I'}
	w.links[c], w.pids[c.BackendPID] = l, l
	w.news = time.Now()
	return nil
}

// Closed forgets it, and what was on its way.
func (w *Wire) Closed(c *wire.Conn) {
	w.mu.Lock()
	defer w.mu.Unlock()
	l := w.links[c]
	if l == nil {
		return
	}
	for _, s := range l.sent {
		w.lose(s)
	}
	l.sent, l.lane, l.tx = nil, nil, 'I'
	delete(w.links, c)
	delete(w.pids, c.BackendPID)
	w.signal()
}

// Arrive holds a step of a lane until the scheduler lets it go.
func (w *Wire) Arrive(ctx context.Context, c *wire.Conn, b wire.Batch) error {
	w.mu.Lock()
	l := w.links[c]
	if l == nil {
		w.mu.Unlock()
		return nil
	}
	st := w.words.step(b)
	watched := w.watched
	if w.foreign(l, b, st) {
		watched = nil // it comes without the request, too
	}
	if watched != nil {
		w.watch(l, b, st)
	}
	if len(w.lanes) == 0 {
		w.pass(l, b, nil)
		w.mu.Unlock()
		if watched != nil && st != nil {
			time.Sleep(watched.Stretch)
		}
		return nil
	}
	lane := w.laneOf(l, b, st)
	if lane == nil || st == nil {
		w.pass(l, b, lane)
		w.mu.Unlock()
		return nil
	}
	a := w.hold(l, b, lane, st)
	w.mu.Unlock()
	select {
	case <-a.let:
		w.delay()
		return ctx.Err()
	case <-ctx.Done():
		w.drop(a)
		return ctx.Err()
	}
}

func (w *Wire) delay() {
	if w.Delay != nil {
		time.Sleep(w.Delay())
	}
}

// laneOf says whose the batch is; nil is nobody's.
func (w *Wire) laneOf(l *link, b wire.Batch, st *wire.Statement) *webLane {
	switch within := b.Tx != 'I' || l.began; {
	case within && l.other:
		return nil
	case within && l.lane != nil:
		return l.lane
	}
	// Outside of a transaction a driver may send the statements of one caller
	// behind those of another.
	var could []*webLane
	if w.running != nil && !w.running.ended {
		could = append(could, w.running)
	}
	for _, p := range w.lanes {
		if p.parked && p != w.running && !p.ended {
			could = append(could, p)
		}
	}
	print := printOf(b, st)
	for _, likely := range []func(*webLane) bool{
		func(p *webLane) bool { return p.expects(print) },
		func(p *webLane) bool { return p.known[print] && p.coming() != nil },
		func(p *webLane) bool { return p.known[print] },
	} {
		if i := slices.IndexFunc(could, likely); i >= 0 {
			return could[i]
		}
	}
	for _, p := range w.lanes {
		if len(could) == 0 && len(p.queue) > 0 && p.beside(print) {
			return p
		}
	}
	switch {
	case l.lane != nil:
		return l.lane
	case len(could) == 0 || could[0] != w.running || w.by.idle[print]:
		return nil
	}
	return could[0]
}

// printOf is the fingerprint of a batch: that of its step, or of what is first.
func printOf(b wire.Batch, st *wire.Statement) string {
	switch {
	case st != nil:
		return sqltext.Fingerprint(st.SQL)
	case len(b.Statements) > 0:
		return sqltext.Fingerprint(b.Statements[0].SQL)
	}
	return ""
}

// hold puts a step at the gate. The lane's next is the first that has come.
func (w *Wire) hold(l *link, b wire.Batch, lane *webLane, st *wire.Statement) *arrival {
	l.lane = lane
	if lane.parked {
		lane.unpark()
	}
	a := &arrival{link: l, batch: b, let: make(chan struct{})}
	first := b.Tx == 'I' || l.began
	a.step = step{pid: l.conn.BackendPID, stmt: w.define(lane, st.SQL), args: st.Args, snap: first, alone: b.Tx == 'I' && !l.began && len(b.Statements) == 1}
	lane.queue = append(lane.queue, a)
	w.count()
	w.signal()
	return a
}

// drop forgets a step that the application has given up.
func (w *Wire) drop(a *arrival) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if lane := a.link.lane; lane != nil {
		lane.forget(a)
		if a.link.tx == 'I' {
			a.link.lane = nil
		}
	}
	w.signal()
}

// used is the number of connections that lanes have in use.
func (w *Wire) used() (n int) {
	for _, l := range w.links {
		if l.lane != nil {
			n++
		}
	}
	return n
}

// count keeps the most connections that were in use at one time.
func (w *Wire) count() {
	used := w.used()
	if w.most = max(w.most, used); used > w.full {
		w.full = 0 // there are more than was thought
	}
}

// pass lets a batch go to the server and remembers it until its answer.
func (w *Wire) pass(l *link, b wire.Batch, lane *webLane) *sent {
	s := &sent{lane: lane}
	if w.listening || lane == nil && w.nobody() {
		w.overhear(b)
	}
	for i := range b.Statements {
		st := &b.Statements[i]
		if st.Kind == wire.Prepare {
			continue
		}
		s.texts = append(s.texts, st.SQL)
		if lane != nil {
			s.ops = append(s.ops, w.invoke(l, lane, b, st))
		}
		l.began = begins(st.SQL)
	}
	if w.watched != nil {
		s.traced = w.watched.on(l)
	}
	if lane != nil {
		l.lane = lane
		w.count()
	}
	l.sent = append(l.sent, s)
	return s
}

// invoke records that a statement is sent.
func (w *Wire) invoke(l *link, lane *webLane, b wire.Batch, st *wire.Statement) *history.Op {
	if b.Tx == 'I' && !l.began || l.txn == 0 {
		l.txn = lane.seat.rec.NextTxn()
	}
	o := &history.Op{Scope: history.ScopeQuery, Kind: history.Invoke, Stmt: w.define(lane, st.SQL), Txn: l.txn, Args: st.Args}
	lane.seat.rec.Record(o)
	w.seen[st.SQL] = true
	return o
}

func (w *Wire) define(lane *webLane, sql string) *history.Stmt {
	st, err := w.stmts.stmt(lane.seat, sql)
	if err != nil {
		return &history.Stmt{SQL: sql} // the writer keeps the error and tells it at the end
	}
	return st
}

// Answered records an answer, and withholds that of a lane which is not the one
// that runs: what it has waited for has just been given up by that one.
func (w *Wire) Answered(c *wire.Conn, r wire.Result) {
	w.mu.Lock()
	l := w.links[c]
	if l == nil || len(l.sent) == 0 {
		w.mu.Unlock()
		return
	}
	s := l.sent[0]
	l.sent = l.sent[1:]
	w.answer(l, s, r)
	if s.lane == nil || s.held == nil || s.lane == w.running && !w.Split {
		w.deliver(l, s)
		w.mu.Unlock()
		return
	}
	h := &withheld{link: l, sent: s, deliver: make(chan struct{})}
	s.lane.withheld = append(s.lane.withheld, h)
	w.signal()
	w.mu.Unlock()
	<-h.deliver
}

// answer records what the server said.
func (w *Wire) answer(l *link, s *sent, r wire.Result) {
	if r.Tx != 0 {
		l.tx = r.Tx
	}
	if l.tx == 'I' && !l.began {
		l.other = false
	}
	w.wrote(l, s, r)
	if s.traced != nil {
		s.traced.alive = false
		if w.watched != nil {
			w.watched.quiet = time.Now()
		}
	}
	if s.lane == nil {
		return
	}
	for i, o := range s.ops {
		end := history.Op{Scope: history.ScopeQuery, Kind: history.OK, Stmt: o.Stmt, Txn: o.Txn, Status: l.tx}
		a := AnswerOf(r, i, len(s.ops))
		switch {
		case a == nil:
			end.Kind, end.Error = history.Info, lostAnswer
		case a.SQLState != "":
			end.Kind, end.SQLState, end.Error = history.Fail, a.SQLState, a.Message
			s.lane.failed(a)
		default:
			s.lane.refused = forget(s.lane.refused, a.Tag)
			end.Tag, end.Columns, end.Rows, end.More, end.Affected = a.Tag, a.Columns, a.Rows, a.More, history.AffectedOf(a.Tag)
		}
		s.lane.seat.rec.Record(&end)
	}
}

// failed notes an error of a lane's statement.
func (l *webLane) failed(a *wire.Answer) {
	if a.SQLState == deadlocked {
		l.seat.killed.Store(true)
	}
	l.refused = &pg.Error{Code: a.SQLState, Severity: "ERROR", Message: a.Message}
}

// forget returns what is left of an error when a statement has gone through:
// nothing, unless it only ended the transaction.
func forget(err error, tag string) error {
	if tag == "ROLLBACK" {
		return err
	}
	return nil
}

const lostAnswer = "the connection was lost before the answer"

// AnswerOf is the answer to statement i of n. Commands joined in one text are
// answered one by one and told by the last; what follows an error in a batch
// has the same end. Nil means that nobody knows.
func AnswerOf(r wire.Result, i, n int) *wire.Answer {
	last := len(r.Answers) - 1
	if last < 0 {
		return nil
	}
	if n == 1 || i > last {
		i = last
		if r.Lost || n > 1 && r.Answers[last].SQLState == "" {
			return nil
		}
	}
	return &r.Answers[i]
}

// deliver is the moment at which the application gets the answer.
func (w *Wire) deliver(l *link, s *sent) {
	if s.lane != nil {
		s.lane.landed(s)
	}
	if l.tx == 'I' && len(l.sent) == 0 && !l.queued() {
		l.lane, l.txn = nil, 0
	}
	w.signal()
}

// laneOfPID is the lane that a backend works for.
func (w *Wire) laneOfPID(pid uint32) (int, bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if l := w.pids[pid]; l != nil && l.lane != nil {
		return l.lane.seat.Lane, true
	}
	return 0, false
}

// left are the backends whose transaction is open though no lane runs.
func (w *Wire) left() []uint32 {
	w.mu.Lock()
	defer w.mu.Unlock()
	var pids []uint32
	for pid, l := range w.pids {
		if l.lane != nil && l.tx != 'I' {
			pids = append(pids, pid)
		}
	}
	return pids
}

// queued reports whether the link's lane has a batch of it at the gate.
func (l *link) queued() bool {
	if l.lane == nil {
		return false
	}
	for _, a := range l.lane.queue {
		if a.link == l {
			return true
		}
	}
	return false
}

// lose ends a batch whose connection is gone.
func (w *Wire) lose(s *sent) {
	if s.lane == nil {
		return
	}
	for _, o := range s.ops {
		s.lane.seat.rec.Record(&history.Op{
			Scope: history.ScopeQuery, Kind: history.Info, Stmt: o.Stmt, Txn: o.Txn, Error: lostAnswer,
		})
	}
	s.lane.landed(s)
}
