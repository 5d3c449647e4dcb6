// Package sqlread says what an SQL statement reads, locks and writes: table by
// table, with the equality predicates that name its rows and the way in which
// every written column gets its value.
//
// It is a tolerant reader of PostgreSQL's DML and not a parser: it builds no
// syntax tree, checks nothing, and knows no schema. What it does not understand
// it widens (the predicate is left out, the statement is Opaque), so an answer
// may name too much and never too little. It imports the standard library only
// and holds no tables that are built at start, because `go vet` starts one
// process for every package it looks at.
package sqlread

// Access is what one statement does. The zero value does nothing.
type Access struct {
	Control Control
	// Level is the isolation level that a BEGIN or SET TRANSACTION names, in
	// lower case ("repeatable read"), or "".
	Level string
	// Tables are the accesses in the order of their appearance. A table that is
	// named twice is in it twice.
	Tables []Table
	// Outputs are the columns of the answer, as far as they can be told.
	Outputs []Output
	// Opaque means that the statement was not understood: it may read and write
	// all of the tables that are named, and others through functions.
	Opaque bool
	// Advisory means that the statement takes an advisory lock; MySQL calls it
	// GET_LOCK.
	Advisory bool
	// Params is the highest number of a $n.
	Params int
}

// Control says what a statement does to the transaction.
type Control uint8

// The controls. Other is a statement that is no DML: DDL, SET, VACUUM …
const (
	None Control = iota
	Begin
	Commit
	Rollback
	Savepoint
	RollbackTo
	Release
	SetTransaction
	Other
)

// Kind is what is done to a table.
type Kind uint8

// The kinds, weakest first. Lock is a SELECT … FOR, Select one without.
const (
	Select Kind = iota + 1
	Lock
	Insert
	Update
	Delete
)

func (k Kind) String() string {
	return [...]string{"", "read", "lock", "insert", "update", "delete"}[k]
}

// Writes reports whether rows are changed.
func (k Kind) Writes() bool { return k >= Insert }

// Strength is a row lock of PostgreSQL (manual, 13.3.2), weakest first.
type Strength uint8

// The strengths. NoLock is a plain read.
const (
	NoLock Strength = iota
	KeyShare
	Share
	NoKeyUpdate
	ForUpdate
)

func (s Strength) String() string {
	return [...]string{"", "FOR KEY SHARE", "FOR SHARE", "FOR NO KEY UPDATE", "FOR UPDATE"}[s]
}

// Conflicts reports whether two transactions cannot hold both locks on one row
// (manual, table 13.3).
func (s Strength) Conflicts(t Strength) bool {
	return s != NoLock && t != NoLock && s+t > 4
}

// Table is one access to one table.
type Table struct {
	Name   string // folded as PostgreSQL folds it, without the schema
	Schema string
	Alias  string // what the statement calls it
	Kind   Kind
	Lock   Strength
	// SkipLocked and NoWait belong to Lock.
	SkipLocked bool
	NoWait     bool

	// Preds are conditions that every touched row meets. Exact means that they
	// are all there are; otherwise fewer rows may be touched than they say.
	Preds []Pred
	Exact bool

	// Columns are those that are read, in any clause; "*" stands for all.
	Columns []string
	// Writes are the columns an UPDATE (or ON CONFLICT DO UPDATE) sets.
	Writes []Write
	// Into are the columns of an INSERT, nil when the statement does not name
	// them; Rows are the values as far as they are written in the statement.
	Into []string
	Rows [][]Value
	// OnConflict is "", "nothing" or "update"; Target are its columns.
	OnConflict string
	Target     []string

	// Sub means that the access is inside a subquery or a CTE.
	Sub bool
	// Aggregate means that the answer is made of rows that do not come back
	// (count, exists, max …), Limited that LIMIT picks among them.
	Aggregate bool
	Limited   bool
	// Tail is the byte offset at which a locking clause would go.
	Tail int
}

// Pred is one condition on a column.
type Pred struct {
	Column string
	Func   string // lower, upper or btrim around the column, or ""
	// Op is =, in, <>, <, <=, >, >=, between, null, notnull; or expr: a
	// condition on this column alone that only Text can tell.
	Op     string
	Values []Value
	Text   string // as it is written
}

// WriteKind says how a column gets its new value.
type WriteKind uint8

// Absolute does not look at the old row, Relative is the column itself plus or
// minus something, Computed depends on the old row in another way.
const (
	Absolute WriteKind = iota + 1
	Relative
	Computed
)

// Write is one assignment of an UPDATE.
type Write struct {
	Column string
	Kind   WriteKind
	Value  Value  // what is assigned, or added for Relative
	Sign   string // "+" or "-" for Relative
	Text   string // right-hand side as it is written
}

// Output is a column of the answer.
type Output struct {
	Name   string // "" when the server makes it up; "*" for all of Table
	Table  int    // index into Access.Tables, -1 for an expression
	Column string
	Func   string // lower, upper or btrim around the column, or ""
	Text   string // as it is written, without the alias
}

// Read says what the statement does. Several statements separated by
// semicolons are read as one. It never fails: see Access.Opaque.
func Read(sql string) Access {
	p := newParser(sql)
	p.script()
	return p.acc
}
