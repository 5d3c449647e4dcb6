// Package sketch writes a race that an analyzer told as a scenario, so that it
// can be proved on a server: the tables that its statements name, one row or
// some in them, and the call that two lanes make with the same parameters.
//
// A Sketch is plain data and can be kept with a finding. It is a guess: types
// come from the module's DDL where there is some, else from how a column is
// used and named; keys, defaults and triggers are left out. What must hold it
// leaves to serial equivalence. It imports the standard library only and is
// for the analyzers of SQL and the driver.
package sketch

// Sketch is one race.
type Sketch struct {
	Name   string // of the call, in lower case with hyphens
	Title  string // what is wrong, one line
	From   string // where the statements stand
	Tx     bool   // all steps run in one transaction
	Params []Param
	Tables []Table
	Steps  []Step // the check first
}

// Param is an argument of the call, the same in both lanes. Its value is Text,
// or what the type of the column it is compared with or stored in suggests.
type Param struct {
	Name          string
	Table, Column string
	Text          string
}

// Table is a table with what the calls find in it.
type Table struct {
	Name    string
	Columns []Column
	Rows    int
}

// Column is a column with its value before the calls: that of the parameter
// Param, or the literal Text, or what its type suggests. Type is what its use
// proves, "" for nothing.
type Column struct {
	Name  string
	Type  string
	Param string
	Text  string
	Null  bool
}

// Step is a statement, with variables as pgbench has them.
type Step struct {
	SQL string
	// Going is the condition over the columns of the alias q under which the
	// call goes on after a check: "" when a row is enough. Absent turns that
	// around: it goes on when no row was found.
	Check  bool
	Going  string
	Absent bool
	// Names are the columns of the answer, where some have no name of their own.
	Names []string
	// Sets are variables that the application computes before the statement.
	Sets []Set
}

// Set is a computed variable: the expression Expr, or, when nobody knows how,
// something other than the variable From, which was read from the column.
type Set struct {
	Name          string
	Expr          string
	From          string
	Table, Column string
}

// File is a file of the scenario's folder.
type File struct{ Name, Text string }

// Types are the types of columns by table, as the module's DDL has them; all
// names are in lower case.
type Types map[string]map[string]string
