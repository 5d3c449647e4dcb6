// Package history is the record of what a probe saw: one header, then one line
// per event, in the order in which the events happened. It is the interface
// between the rooms: probes write it, the judges in analyzers/history read it,
// and nothing else passes between them.
//
// It is not a log for people and not a metrics store. It imports the standard
// library only, so that anything may import it.
package history

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Schema names the format and its version; it is the first key of every file.
// A reader refuses a major version it does not know.
const Schema = "ccheck-history/1"

// Header is the first line of a history: what was run, against what, and what
// must hold. It never holds a password: Target.Address is host:port/database.
type Header struct {
	Schema   string      `json:"schema"`
	Run      string      `json:"run"`      // run id, also the suffix of the sandbox schema
	Probe    string      `json:"probe"`    // "stress", "explore", …
	Version  string      `json:"version"`  // of ccheck
	Scenario string      `json:"scenario"` // name, with "/variant" when there is one
	Title    string      `json:"title,omitempty"`
	Target   Target      `json:"target"`
	Seed     uint64      `json:"seed"`
	Start    time.Time   `json:"start"` // wall clock; Op.Time counts from here on the monotonic clock
	Claims   []Claim     `json:"claims"`
	Actors   []Actor     `json:"actors"`
	Tables   []Table     `json:"tables,omitempty"`
	Params   []Parameter `json:"params,omitempty"` // clients, duration, think time … as given
}

// Target is the system under test.
type Target struct {
	Kind      string `json:"kind"`    // "postgresql"
	Version   string `json:"version"` // "15.18"
	Address   string `json:"address"` // host:port/database, never a credential
	Schema    string `json:"schema"`  // the sandbox schema
	Isolation string `json:"isolation"`
	Throwaway bool   `json:"throwaway,omitempty"` // a server that ccheck started itself
}

// Claim is something that must hold.
type Claim struct {
	Name string    `json:"name"`
	Kind ClaimKind `json:"kind"`
	// SQL is the query of an invariant: every row that comes back is a violation.
	SQL string `json:"sql,omitempty"`
	// When is "running" (checked in snapshots and at the end) or "end".
	When string `json:"when,omitempty"`
	// Where it was written: file:line of the scenario.
	Where string `json:"where,omitempty"`
	// Fixes are the scenario author's own words on the mend, best first.
	Fixes []string `json:"fixes,omitempty"`
}

// ClaimKind tells the judges what sort of rule a claim is.
type ClaimKind string

const (
	// Invariant is a query that must return no row.
	Invariant ClaimKind = "invariant"
	// Ledger says that initial value plus the effects of accepted calls is the
	// final value, for every key: nothing accepted was dropped, nothing refused
	// took effect.
	Ledger ClaimKind = "ledger"
	// Property is what a probe of its own shape says of the system that it
	// observes; its judge knows how to look at it.
	Property ClaimKind = "property"
)

// Actor is one kind of call in the run.
type Actor struct {
	Name   string `json:"name"`
	File   string `json:"file,omitempty"`
	Script string `json:"script,omitempty"`
	// HTTP is the request of an actor that calls an application, "POST /orders".
	// The answer to a call of it is in Op.Vars of its end: status, and body with
	// its paths.
	HTTP    string   `json:"http,omitempty"`
	Retry   []string `json:"retry,omitempty"`  // SQLSTATEs after which the application starts over
	Refuse  []string `json:"refuse,omitempty"` // SQLSTATEs the application answers with a clean refusal
	Effects []Effect `json:"effects,omitempty"`
}

// Effect is what one accepted call must have done, exactly once: the column of
// the row with that key has changed by the sum of Add. A call that was not
// accepted must have done none of it. Key and Add are variables of the call,
// evaluated when it ended; the values are in Op.Vars under Effect.KeyVar and
// Effect.AddVar.
type Effect struct {
	Table  string `json:"table"`
	Key    string `json:"key"`    // key column
	Column string `json:"column"` // the column that is kept by the ledger
	KeyVar string `json:"key_var"`
	AddVar string `json:"add_var"`
}

// Table describes a table of the sandbox, so that a fix can be written for it.
type Table struct {
	Name        string   `json:"name"`
	Columns     []string `json:"columns"`
	Types       []string `json:"types"`
	Key         []string `json:"key,omitempty"`    // primary key
	Unique      []string `json:"unique,omitempty"` // definitions of the other unique indexes
	Constraints []string `json:"constraints,omitempty"`
}

// Parameter is one setting of the run, as text.
type Parameter struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// Scope says what an Op is about.
type Scope uint8

// The scopes.
const (
	ScopeCall  Scope = iota + 1 // one call of an actor: a request of the application, with its retries
	ScopeQuery                  // one SQL statement
	ScopeCheck                  // one claim looked at, in a consistent snapshot
	ScopeState                  // the contents of one table, before or after
	ScopeWait                   // a lane seen waiting for a lock, by sampling
	ScopeNote                   // a mark: phase, fault, reset between rounds
)

// Kind says where in its life an Op is.
type Kind uint8

// The kinds. Info means that the outcome is unknown: the connection was lost
// before the answer came, so the call may or may not have happened.
const (
	Invoke Kind = iota + 1
	OK
	Fail
	Info
)

var (
	scopeNames = [...]string{ScopeCall: "call", ScopeQuery: "query", ScopeCheck: "check", ScopeState: "state", ScopeWait: "wait", ScopeNote: "note"}
	kindNames  = [...]string{Invoke: "invoke", OK: "ok", Fail: "fail", Info: "info"}
)

func (s Scope) String() string {
	if int(s) < len(scopeNames) && scopeNames[s] != "" {
		return scopeNames[s]
	}
	return fmt.Sprintf("Scope(%d)", uint8(s))
}

func (k Kind) String() string {
	if int(k) < len(kindNames) && kindNames[k] != "" {
		return kindNames[k]
	}
	return fmt.Sprintf("Kind(%d)", uint8(k))
}

// Outcome is how a call ended, as its caller sees it.
type Outcome string

// The outcomes. A refusal is a business answer (no money, sold out, taken) and
// never a failure; Failed is an error that the caller sees: an unhandled
// SQLSTATE, retries used up. Unknown is the outcome of an Info.
const (
	Accepted Outcome = "accepted"
	Refused  Outcome = "refused"
	Failed   Outcome = "failed"
	Unknown  Outcome = "unknown"
)

// Checker is the Process of Ops that no lane did: invariants, table contents,
// lock samples, notes.
const Checker = -1

// Op is one event. Which fields are set depends on Scope and Kind:
//
//	call    invoke: Actor                  end: Outcome, Tries, Vars, SQLState, Error
//	query   invoke: Stmt, Args, Txn        end: Columns, Rows, More, Tag, Affected, Status, SQLState, Error
//	check   (no invoke) ok: Text is the claim, Columns and Rows are its violations, Args its counters
//	                    fail: Error: the query itself failed
//	state   (no invoke) ok: Text is the table, Phase before|after, Columns, Rows, More
//	wait    (no invoke) ok: Process waits, Text is the wait event, Args are the processes it waits for
//	note    (no invoke) ok: Text
type Op struct {
	Index   int64 // position in the order of events, from 1, without gaps in a whole file
	Scope   Scope
	Kind    Kind
	Process int // lane, from 0; Checker otherwise

	Time  time.Duration // since Header.Start, monotonic
	Start time.Duration // on the end of a call or query: Time of its invoke (filled in by the reader)

	Call int64 // the call this belongs to, from 1; 0 outside any
	Txn  int64 // the transaction attempt, from 1; a statement on autocommit is a transaction of its own

	Stmt     *Stmt
	Args     []Value
	Columns  []string
	Rows     [][]Value
	More     int    // rows that were left out of Rows
	Tag      string // command tag: "UPDATE 1", "COMMIT", "ROLLBACK"
	Affected int64
	Status   byte // transaction status after the statement: 'I' idle, 'T' in a transaction, 'E' in a failed one; 0 unknown
	SQLState string
	Error    string

	Actor   string
	Outcome Outcome
	Tries   int
	Vars    []Var

	Text  string
	Phase string
}

// Ended reports whether the statement left no transaction open, so that the
// next one belongs to another transaction.
func (o *Op) Ended() bool { return o.Status == 'I' }

// Var is a variable of a call.
type Var struct {
	Name  string
	Value Value
}

// Stmt is a statement as an actor has it, written to the file once and shared
// by all Ops that run it.
type Stmt struct {
	ID      int    `json:"stmt"`
	Actor   string `json:"actor,omitempty"`
	File    string `json:"file,omitempty"`
	Line    int    `json:"line,omitempty"`
	SQL     string `json:"sql"` // $1, $2 … stand for Args
	Outside bool   `json:"outside,omitempty"`
	On      string `json:"on,omitempty"` // "" or "replica"
}

// Value is a value in PostgreSQL's text format, or NULL.
type Value struct {
	Text string
	Null bool
}

// Null is the NULL value.
var Null = Value{Null: true}

// Text returns the value with that text.
func Text(s string) Value { return Value{Text: s} }

// Int returns the value of an integer.
func Int(n int64) Value { return Value{Text: strconv.FormatInt(n, 10)} }

func (v Value) String() string {
	if v.Null {
		return "NULL"
	}
	return v.Text
}

// MarshalJSON writes a JSON string, or null.
func (v Value) MarshalJSON() ([]byte, error) {
	if v.Null {
		return []byte("null"), nil
	}
	return json.Marshal(v.Text)
}

// UnmarshalJSON reads a JSON string or null.
func (v *Value) UnmarshalJSON(b []byte) error {
	if string(b) == "null" {
		*v = Null
		return nil
	}
	v.Null = false
	return json.Unmarshal(b, &v.Text)
}

// AffectedOf returns the row count at the end of a command tag, 0 when it has none.
func AffectedOf(tag string) int64 {
	n, err := strconv.ParseInt(tag[strings.LastIndexByte(tag, ' ')+1:], 10, 64)
	if err != nil {
		return 0
	}
	return n
}
