package script

import (
	"strconv"
	"strings"
)

// Expr is an expression of the script language, as \set takes it. It does not
// change and may be shared by machines.
type Expr struct {
	root   node
	origin string
}

// ParseExpr reads an expression that stands alone: the effect of an actor, say.
// Errors are *SyntaxError and say file:line:column, where the line is 1.
func ParseExpr(file, text string) (*Expr, error) {
	s := &source{file: file, text: text}
	root, err := parseExpr(s, len(text))
	if err != nil {
		return nil, hinted(err)
	}
	return &Expr{root: root, origin: strings.TrimSpace(text)}, nil
}

// String returns the expression with all its parentheses; it parses to the same
// expression.
func (e *Expr) String() string {
	var b strings.Builder
	e.root.print(&b)
	return b.String()
}

// Text returns the expression as it was written.
func (e *Expr) Text() string { return e.origin }

// node is a part of an expression.
type node interface {
	eval(m *Machine) (value, error)
	print(b *strings.Builder)
}

type (
	constant struct{ value value }
	variable struct{ name string }
	// call is a function or an operator with up to three arguments.
	call struct {
		op   op
		args []node
	}
	// extremum is least or greatest.
	extremum struct {
		op   op
		args []node
	}
	// logic is and, or: the right side is evaluated only when it matters.
	logic struct {
		or          bool
		left, right node
	}
	// choice is case: conditions and results in turn, at last the else part.
	choice struct{ parts []node }
)

// op is what a call does.
type op uint8

const (
	opAdd op = iota
	opSub
	opMul
	opDiv
	opMod
	opLess
	opLessEqual
	opEqual
	opNotEqual
	opAnd
	opOr
	opXor
	opShiftLeft
	opShiftRight
	opNegate
	opComplement
	opNot
	opIs
	opIsNot
	opAbs
	opDebug
	opDouble
	opExp
	opFNV
	opGreatest
	opInt
	opLeast
	opLn
	opMurmur
	opPermute
	opPi
	opPow
	opRandom
	opExponential
	opGaussian
	opZipfian
	opSqrt
)

// function is a function that a script can call.
type function struct {
	name       string
	op         op
	least      int // arguments
	most       int
	seedIsLast bool // an argument left out is :default_seed
}

// maxArgs is how many arguments pgbench passes to a function at most.
const maxArgs = 16

var functions = []function{
	{name: "abs", op: opAbs, least: 1, most: 1},
	{name: "debug", op: opDebug, least: 1, most: 1},
	{name: "double", op: opDouble, least: 1, most: 1},
	{name: "exp", op: opExp, least: 1, most: 1},
	{name: "greatest", op: opGreatest, least: 1, most: maxArgs},
	{name: "hash", op: opMurmur, least: 1, most: 2, seedIsLast: true},
	{name: "hash_fnv1a", op: opFNV, least: 1, most: 2, seedIsLast: true},
	{name: "hash_murmur2", op: opMurmur, least: 1, most: 2, seedIsLast: true},
	{name: "int", op: opInt, least: 1, most: 1},
	{name: "least", op: opLeast, least: 1, most: maxArgs},
	{name: "ln", op: opLn, least: 1, most: 1},
	{name: "mod", op: opMod, least: 2, most: 2},
	{name: "permute", op: opPermute, least: 2, most: 3, seedIsLast: true},
	{name: "pi", op: opPi},
	{name: "pow", op: opPow, least: 2, most: 2},
	{name: "power", op: opPow, least: 2, most: 2},
	{name: "random", op: opRandom, least: 2, most: 2},
	{name: "random_exponential", op: opExponential, least: 3, most: 3},
	{name: "random_gaussian", op: opGaussian, least: 3, most: 3},
	{name: "random_zipfian", op: opZipfian, least: 3, most: 3},
	{name: "sqrt", op: opSqrt, least: 1, most: 1},
}

// symbols are the operators as they are printed.
var symbols = map[op]string{
	opAdd: "+", opSub: "-", opMul: "*", opDiv: "/",
	opLess: "<", opLessEqual: "<=", opEqual: "=", opNotEqual: "<>",
	opAnd: "&", opOr: "|", opXor: "#", opShiftLeft: "<<", opShiftRight: ">>",
	opNegate: "-", opComplement: "~", opNot: "not", opIs: "is", opIsNot: "is not",
}

func findFunction(name string) (function, bool) {
	for _, f := range functions {
		if strings.EqualFold(f.name, name) {
			return f, true
		}
	}
	return function{}, false
}

func functionName(o op) string {
	for _, f := range functions {
		if f.op == o {
			return f.name
		}
	}
	return ""
}

func (n constant) print(b *strings.Builder) {
	switch v := n.value; v.kind {
	case kindNull:
		b.WriteString("null")
	case kindDouble:
		s := strconv.FormatFloat(v.d, 'g', -1, 64)
		if !strings.ContainsAny(s, ".e") {
			s += ".0" // without a point it would come back as an integer
		}
		b.WriteString(s)
	default:
		b.WriteString(v.text().Text)
	}
}

func (n variable) print(b *strings.Builder) { b.WriteString(":" + n.name) }

func (n call) print(b *strings.Builder) {
	symbol, isOperator := symbols[n.op]
	switch {
	case !isOperator:
		printCall(b, functionName(n.op), n.args)
	case len(n.args) == 1:
		b.WriteString("(" + symbol + " ")
		n.args[0].print(b)
		b.WriteByte(')')
	default:
		printBinary(b, n.args[0], symbol, n.args[1])
	}
}

func (n extremum) print(b *strings.Builder) { printCall(b, functionName(n.op), n.args) }

func (n logic) print(b *strings.Builder) {
	if n.or {
		printBinary(b, n.left, "or", n.right)
	} else {
		printBinary(b, n.left, "and", n.right)
	}
}

func (n choice) print(b *strings.Builder) {
	b.WriteString("case")
	last := len(n.parts) - 1
	for i := 0; i < last; i += 2 {
		b.WriteString(" when ")
		n.parts[i].print(b)
		b.WriteString(" then ")
		n.parts[i+1].print(b)
	}
	b.WriteString(" else ")
	n.parts[last].print(b)
	b.WriteString(" end")
}

func printCall(b *strings.Builder, name string, args []node) {
	b.WriteString(name + "(")
	for i, a := range args {
		if i > 0 {
			b.WriteString(", ")
		}
		a.print(b)
	}
	b.WriteByte(')')
}

func printBinary(b *strings.Builder, left node, symbol string, right node) {
	b.WriteByte('(')
	left.print(b)
	b.WriteString(" " + symbol + " ")
	right.print(b)
	b.WriteByte(')')
}
