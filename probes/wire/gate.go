package wire

import (
	"context"
	"slices"

	"github.com/ccheck/ccheck/probes/history"
)

// Gate is told what the clients of a proxy do, and decides when it goes on.
// Calls for one connection come in order, Arrive from one goroutine and
// Answered from another; those of different connections come at the same time.
type Gate interface {
	// Opened is called when the server is ready for the first batch and the
	// client does not know yet. An error refuses the client.
	Opened(c *Conn) error
	// Arrive is called when a client has sent a batch and before the server sees
	// it; the batch goes on when it returns. An error is what the client gets
	// instead of an answer, with the SQLSTATE of its SQLState method (57014
	// without one); the server never sees the batch, and its transaction stays
	// as it was. The context ends when the client cancels the batch or the proxy
	// is closed.
	Arrive(ctx context.Context, c *Conn, b Batch) error
	// Answered is called when the end of a batch's answer has come, before the
	// client gets it: the connection's next Arrive always comes later. It is not
	// called for a batch that Arrive refused.
	Answered(c *Conn, r Result)
	// Closed is called once for every connection that was Opened.
	Closed(c *Conn)
}

// Kind is what a statement asks for.
type Kind byte

// The kinds.
const (
	Query   Kind = iota + 1 // simple protocol: the text, which may hold several commands
	Execute                 // extended protocol: a prepared statement with its values
	Fetch                   // extended protocol: more rows of a portal that was suspended
	Prepare                 // parsed or described and not run in the same batch
	Call                    // a function call by its number
)

// Statement is what a client asks for in a batch.
type Statement struct {
	Kind Kind
	SQL  string          // as sent; of a prepared statement the text it was parsed from
	Args []history.Value // bound values, of Execute
}

// Batch is what a client sends before it waits for an answer: up to Query, Sync,
// Flush or FunctionCall.
type Batch struct {
	Statements []Statement
	// Tx is the transaction status that the server told last: 'I' idle, 'T' in a
	// transaction, 'E' in a failed one. With batches on their way it is older
	// than this one's.
	Tx byte
	// Sync says that an implicit transaction ends with the batch (Query, Sync).
	// Without it more of the transaction follows.
	Sync bool
	// Commits says that the batch ends an implicit transaction in which an
	// earlier batch ran something.
	Commits bool
	// Partial says that the batch is too large to be held; what comes of it
	// later passes without asking.
	Partial bool
}

// Runs reports whether the batch runs anything, or commits what ran before.
func (b Batch) Runs() bool {
	runs := func(s Statement) bool { return s.Kind != Prepare }
	return b.Commits || slices.ContainsFunc(b.Statements, runs)
}

// Result is the answer to a batch.
type Result struct {
	Answers []Answer // one for each command that was answered, in order
	Tx      byte     // transaction status after it; 0 when the batch had no Sync
	Lost    bool     // the connection was lost and the outcome is unknown
}

// Answer is the answer to one command. Rows and values are cut as those of
// history.Op, by Config.Limits.
type Answer struct {
	SQL      string
	Columns  []string
	Rows     [][]history.Value
	More     int    // rows that were left out
	Tag      string // command tag; "" when it failed or was suspended
	SQLState string // of the error, "" without one
	Message  string // of the error
}
