// Package place names what an SSA value stands for, so that two values, also
// in two functions, can be compared: "the first parameter's field mu", "the
// global seen", "filepath.Join of the second parameter and a constant".
//
// A Place is plain data and can travel as part of a fact. It is a name, not an
// alias analysis: equal names mean the same thing as long as nobody assigned
// in between, and different names may still be the same memory.
//
// It imports x/tools only.
package place

import (
	"strconv"
	"strings"
)

// Kind says what sort of name a Place is.
type Kind string

// The kinds of places.
const (
	Param  Kind = "param"  // Index-th parameter, the receiver first
	Free   Kind = "free"   // Index-th captured variable of a closure
	Global Kind = "global" // Name is "import/path.name"
	Const  Kind = "const"  // Name is the value as Go writes it
	Field  Kind = "field"  // Name is the field, Args[0] what has it
	Elem   Kind = "elem"   // Args[0] indexed by Args[1]
	Call   Kind = "call"   // Name is the function, Args its arguments
	Opaque Kind = "opaque" // Name is unique to the value
)

// Place is the name of a value. Pointers and what they point at share a name.
type Place struct {
	Kind  Kind
	Name  string
	Index int
	Args  []Place
}

// String is the canonical text of the place; equal texts are equal places.
func (p Place) String() string {
	switch p.Kind {
	case Param, Free:
		return string(p.Kind) + strconv.Itoa(p.Index)
	case Field:
		return p.Args[0].String() + "." + p.Name
	case Elem:
		return p.Args[0].String() + "[" + p.Args[1].String() + "]"
	case Call:
		words := make([]string, len(p.Args))
		for i, a := range p.Args {
			words[i] = a.String()
		}
		return p.Name + "(" + strings.Join(words, ", ") + ")"
	}
	return p.Name
}

// Equal tells whether two places have the same name.
func (p Place) Equal(q Place) bool { return p.String() == q.String() }

// Root is the place that fields and elements were taken from.
func (p Place) Root() Place {
	for p.Kind == Field || p.Kind == Elem {
		p = p.Args[0]
	}
	return p
}

// Shared tells whether two activations of the function can mean the same
// memory by it: a global, or something that a parameter or capture leads to.
func (p Place) Shared() bool {
	switch p.Root().Kind {
	case Global, Param, Free:
		return true
	}
	return false
}
