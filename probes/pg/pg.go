// Package pg is a lane's connection to PostgreSQL: one connection, statements
// one after the other or pipelined, every one recorded in the history before
// it is sent and when its answer has come.
//
// It speaks the protocol on pgx's pgproto3 frames after pgconn has done the
// start-up (TLS, authentication), because a probe must not be slower than
// pgbench. It is not a driver for applications: no type mapping, values are
// text as the server writes them.
package pg

import (
	"fmt"

	"github.com/ccheck/ccheck/probes/history"
)

// Protocol is how statements are sent; the names are pgbench's (-M).
type Protocol string

// The protocols of pgbench's -M.
const (
	Simple   Protocol = "simple"   // variables are written into the text
	Extended Protocol = "extended" // parse, bind, execute each time
	Prepared Protocol = "prepared" // parse once per connection, then bind and execute
)

// Stmt is a statement as an actor has it. It is shared by all lanes and must
// not be changed after its first use.
type Stmt struct {
	history.Stmt // ID is given by the recorder at first use
	// NumParams is the number of $n in SQL.
	NumParams int
}

// Result is the answer to one statement. The memory belongs to the connection
// and is valid until its next call.
type Result struct {
	Columns  []string
	Rows     [][]history.Value
	Tag      string
	Affected int64
}

// Error is an error that the server answered.
type Error struct {
	Code     string // SQLSTATE
	Severity string
	Message  string
	Detail   string
	Hint     string
	Position int // of the statement text, in characters from 1; 0 unknown
}

func (e *Error) Error() string { return fmt.Sprintf("ERROR %s %s", e.Code, e.Message) }

// SQLState returns the five-character code.
func (e *Error) SQLState() string { return e.Code }
