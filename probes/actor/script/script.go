// Package script is the actor that runs pgbench's script language: SQL with
// :variables, \set, \gset, \if and the rest of the backslash commands, so that
// a pgbench script runs unchanged and, with the same seed, does the same
// operations as under pgbench 15 to 18. What pgbench cannot say about an
// application (which errors it tries again, when it refuses) is said in
// comments that begin with "-- @", which pgbench ignores.
//
// It is not a driver: it neither connects, nor counts, nor keeps the time. A
// Script is parsed once and shared; a Machine belongs to one lane and runs
// scripts on the connections that it is given.
package script

import (
	"strings"

	"github.com/ccheck/ccheck/probes/history"
	"github.com/ccheck/ccheck/probes/pg"
)

// Script is a parsed script. It does not change and is shared by all lanes.
type Script struct {
	Name   string // of the actor
	File   string // as given to Parse, for messages
	Text   string // as given to Parse
	Number int    // place among the scripts of a run, from 0; debug() prints it. Set it before the first run

	// Stmts are the statements in the order of the text, and after them
	// Rollback. SQL has $1, $2 … in place of the variables, a new one for each
	// place, as pgbench does.
	Stmts []*pg.Stmt
	// Rollback ends a transaction that the application gives up.
	Rollback *pg.Stmt

	Retry  []string // SQLSTATEs after which the application starts over (-- @retry)
	Refuse []string // SQLSTATEs it answers with a refusal (-- @refuse)

	commands []command
}

// verb is what a command does.
type verb uint8

const (
	verbSQL verb = iota
	verbSet
	verbIf
	verbElif
	verbElse
	verbEndif
	verbSleep
	verbShell
	verbSetShell
	verbStartPipeline
	verbSyncPipeline
	verbEndPipeline
	verbDecide // -- @decide
)

// place is the connection that a statement runs on.
type place uint8

const (
	placeMain place = iota
	placeOutside
	placeReplica
)

// fetch says what becomes of the rows of a statement.
type fetch uint8

const (
	fetchNone fetch = iota
	fetchOne        // \gset
	fetchLast       // \aset
)

// command is one step of a script.
type command struct {
	verb   verb
	number int // as pgbench counts, from 1; comments have that of the command before
	line   int

	// A statement.
	stmt    *pg.Stmt
	source  string   // as written, for printing
	pieces  []string // text, variable, text, variable, … text
	place   place
	fetch   fetch
	prefix  string // of the variables that \gset and \aset set
	rows    string // variable for the number of rows, "" for none
	commits bool   // COMMIT or END

	name string   // variable of \set and \setshell
	expr *Expr    // of \set, \if, \elif, @decide (nil: refuse here)
	args []string // of \sleep, \shell, \setshell

	// Indexes of commands: where a false \if or \elif goes, and where \elif and
	// \else go when they end a branch that was taken.
	next, leave int
}

// String returns the script in a plain form that parses to the same script;
// comments and layout are lost.
func (s *Script) String() string {
	var b strings.Builder
	printCodes(&b, "@retry", s.Retry)
	printCodes(&b, "@refuse", s.Refuse)
	for i := range s.commands {
		s.commands[i].print(&b)
	}
	return b.String()
}

func printCodes(b *strings.Builder, word string, codes []string) {
	if len(codes) > 0 {
		b.WriteString("-- " + word + " " + strings.Join(codes, " ") + "\n")
	}
}

func (c *command) print(b *strings.Builder) {
	if c.verb == verbSQL {
		c.printSQL(b)
		return
	}
	b.WriteString(verbWords[c.verb])
	if c.name != "" {
		b.WriteString(" " + c.name)
	}
	if c.expr != nil {
		b.WriteString(" " + c.expr.String())
	}
	for _, a := range c.args {
		b.WriteString(" " + a)
	}
	endLine(b)
}

// endLine ends a line; a backslash at its end must not continue it.
func endLine(b *strings.Builder) {
	if strings.HasSuffix(b.String(), `\`) {
		b.WriteByte(' ')
	}
	b.WriteByte('\n')
}

var verbWords = [...]string{
	verbSet: `\set`, verbIf: `\if`, verbElif: `\elif`, verbElse: `\else`, verbEndif: `\endif`,
	verbSleep: `\sleep`, verbShell: `\shell`, verbSetShell: `\setshell`,
	verbStartPipeline: `\startpipeline`, verbSyncPipeline: `\syncpipeline`, verbEndPipeline: `\endpipeline`,
	verbDecide: "-- @decide",
}

func (c *command) printSQL(b *strings.Builder) {
	b.WriteString([...]string{"", "-- @outside\n", "-- @on replica\n"}[c.place])
	b.WriteString(c.source)
	if strings.Contains(c.source[strings.LastIndexByte(c.source, '\n')+1:], "--") {
		b.WriteByte('\n') // the end of the statement must not be part of a comment
	}
	if c.source == "" || c.fetch == fetchNone {
		b.WriteByte(';')
	}
	b.WriteString([...]string{"", ` \gset ` + c.prefix, ` \aset ` + c.prefix}[c.fetch])
	endLine(b)
	if c.rows != "" {
		b.WriteString("-- @rows " + c.rows + "\n")
	}
}

// newStmt makes the statement of a command from its pieces.
func (s *Script) newStmt(c *command, sql string, n int) *pg.Stmt {
	st := &pg.Stmt{Stmt: history.Stmt{Actor: s.Name, File: s.File, Line: c.line, SQL: sql}, NumParams: n}
	st.Outside = c.place == placeOutside
	if c.place == placeReplica {
		st.On = "replica"
	}
	return st
}
