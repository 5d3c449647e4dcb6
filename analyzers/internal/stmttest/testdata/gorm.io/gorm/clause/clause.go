// Package clause has the types that the analyzers look for.
package clause

type Expression interface{ Build() }

type Locking struct{ Strength, Options string }

func (Locking) Build() {}

type Column struct{ Name string }

type OnConflict struct {
	Columns   []Column
	DoNothing bool
	UpdateAll bool
}

func (OnConflict) Build() {}
