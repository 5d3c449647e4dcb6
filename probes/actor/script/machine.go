package script

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/ccheck/ccheck/probes/history"
	"github.com/ccheck/ccheck/probes/pg"
)

var _ DB = (*pg.Conn)(nil)

// DB is a connection that statements run on. *pg.Conn is one. An answer of the
// server that is an error is a *pg.Error; any other error means that the
// connection is of no use any more. args are valid during the call only.
type DB interface {
	// Exec runs a statement with parameters, in the extended protocol. In a
	// pipeline it only queues the statement and returns nil, nil.
	Exec(ctx context.Context, st *pg.Stmt, args []history.Value) (*pg.Result, error)
	// ExecText sends text, which may be several statements, in the simple
	// protocol. args are the values that stand in it, for the record.
	ExecText(ctx context.Context, st *pg.Stmt, text string, args []history.Value) ([]pg.Result, error)
	StartPipeline(ctx context.Context) error
	SyncPipeline(ctx context.Context) error
	// EndPipeline waits for the answers of all that was queued. The error is
	// that of the first statement that failed.
	EndPipeline(ctx context.Context) ([]pg.Result, error)
	// Status is I idle, T in a transaction, E in a failed one.
	Status() byte
}

// Env is where a script runs.
type Env struct {
	DB      DB
	Outside DB // for statements after "-- @outside": another connection, on autocommit
	Replica DB // for statements after "-- @on replica"

	// Sleep waits, or returns the context's error when that ends first. Nil
	// waits in real time.
	Sleep func(ctx context.Context, d time.Duration) error
	// Think is called before each statement but the first of a try, outside
	// pipelines: the time that the application takes between them. May be nil.
	Think func(ctx context.Context) error
}

// Result is how a call ended.
type Result struct {
	Outcome  history.Outcome
	Tries    int
	Err      error  // why the outcome is failed or unknown
	SQLState string // of the server's error that decided the outcome, "" for none
	Line     int    // of the script, where Err came from; 0 at its end and for none
}

// Options are the settings of a machine. The names are pgbench's.
type Options struct {
	Client   int         // :client_id, from 0
	Clients  int         // how many there are (pgbench -c); 0 means Client+1
	Seed     uint64      // --random-seed
	Scale    int         // :scale; 0 means 1
	Protocol pg.Protocol // "" means simple, as in pgbench

	// Vars are variables from outside (-D). They win over :client_id, :scale,
	// :random_seed and :default_seed.
	Vars map[string]history.Value
	// Random is the stream of random numbers; nil takes that of pgbench's
	// client of the same number, seed and count of clients.
	Random *State
	// Output takes what debug() and \shell print; nil drops it.
	Output io.Writer
}

// Machine runs scripts for one lane: it holds the lane's variables and random
// numbers, which live on from one call to the next. It is not for use by several
// goroutines at once.
type Machine struct {
	vars     map[string]*stored
	random   State
	protocol pg.Protocol
	output   io.Writer

	// Of the run at hand.
	script   *Script
	env      *Env
	pc       int  // index of the command
	line     int  // of the command that failed, 0 while none has
	testing  bool // an \elif was reached because the condition before it is false
	pipeline bool
	queued   []*command // in the pipeline
	refused  bool       // a bare -- @decide was passed
	sent     bool       // a statement was sent in this try
	lasting  bool       // something has ended that a rollback does not undo

	args []history.Value // of the statement at hand
	text []byte
}

// NewMachine returns a machine. The error is that of a variable whose name is
// not allowed.
func NewMachine(o Options) (*Machine, error) {
	m := &Machine{vars: map[string]*stored{}, protocol: o.Protocol, output: o.Output}
	if m.protocol == "" {
		m.protocol = pg.Simple
	}
	clients := max(o.Clients, o.Client+1)
	for name, v := range map[string]history.Value{
		"client_id":    history.Int(int64(o.Client)),
		"scale":        history.Int(int64(max(o.Scale, 1))),
		"random_seed":  history.Int(int64(o.Seed)),
		"default_seed": history.Int(defaultSeed(o.Seed, clients)),
	} {
		m.vars[name] = &stored{text: v, hasText: true}
	}
	for name, v := range o.Vars {
		if err := m.Set(name, v); err != nil {
			return nil, err
		}
	}
	m.random = clientState(o.Seed, o.Client)
	if o.Random != nil {
		m.random = *o.Random
	}
	return m, nil
}

// Random returns the place that the stream of random numbers has reached.
func (m *Machine) Random() State { return m.random }

// debug prints a value and returns it in an expression.
func (m *Machine) debug(v value) {
	if m.output == nil {
		return
	}
	number, command := 0, 0
	if m.script != nil {
		number = m.script.Number
		if m.pc < len(m.script.commands) {
			command = m.script.commands[m.pc].number
		}
	}
	text := "null"
	if v.kind != kindNull {
		text = v.kind.String() + " " + v.text().Text
	}
	fmt.Fprintf(m.output, "debug(script=%d,command=%d): %s\n", number, command, text)
}
