package script

import (
	"math"
	"strconv"
)

// Precedences of the operators, lowest first (pgbench manual, "Built-in
// Operators"; the order is that of SQL).
const (
	precNone = iota
	precOr
	precAnd
	precNot
	precIs
	precCompare
	precBit
	precAdd
	precMul
	precSign
)

// binary says what an operator between two operands is.
type binary struct {
	prec int
	op   op
	swap bool // a > b is b < a, and b is evaluated first
}

var binaries = map[string]binary{
	"or": {prec: precOr}, "and": {prec: precAnd},
	"<": {precCompare, opLess, false}, "<=": {precCompare, opLessEqual, false},
	">": {precCompare, opLess, true}, ">=": {precCompare, opLessEqual, true},
	"=": {precCompare, opEqual, false}, "<>": {precCompare, opNotEqual, false},
	"|": {precBit, opOr, false}, "#": {precBit, opXor, false}, "&": {precBit, opAnd, false},
	"<<": {precBit, opShiftLeft, false}, ">>": {precBit, opShiftRight, false},
	"+": {precAdd, opAdd, false}, "-": {precAdd, opSub, false},
	"*": {precMul, opMul, false}, "/": {precMul, opDiv, false}, "%": {precMul, opMod, false},
}

// maxDepth is how deeply expressions and their parentheses may be nested.
const maxDepth = 2000

// parser reads an expression by precedence climbing.
type parser struct {
	lex   lexer
	tok   token
	depth int
}

// parseExpr reads the expression from where s stands up to the offset end.
func parseExpr(s *source, end int) (node, error) {
	return parseWith(&parser{lex: lexer{src: s, end: end}})
}

// parseCondition reads one that may compare text.
func parseCondition(s *source, end int) (node, error) {
	return parseWith(&parser{lex: lexer{src: s, end: end, texts: true}})
}

func parseWith(p *parser) (node, error) {
	if err := p.advance(); err != nil {
		return nil, err
	}
	n, err := p.expr(precNone)
	if err == nil && p.tok.kind != tokenEnd {
		err = p.syntaxError("an operator, or the end of the expression")
	}
	return n, err
}

func (p *parser) advance() (err error) {
	p.tok, err = p.lex.next()
	return err
}

// syntaxError complains of the token at hand and says what could stand there.
func (p *parser) syntaxError(expected string) error {
	e := p.lex.src.errorAt(p.tok.at, p.tok.text, "syntax error")
	e.Hint = "expected " + expected
	if p.tok.kind == tokenEnd {
		e.Msg = "syntax error: the expression is not complete"
	}
	if p.tok.kind == tokenVariable {
		e.Token = ":" + p.tok.text
	}
	return e
}

func (p *parser) is(text string) bool {
	return (p.tok.kind == tokenSymbol || p.tok.kind == tokenKeyword) && p.tok.text == text
}

func (p *parser) expect(text string) error {
	if !p.is(text) {
		return p.syntaxError(strconv.Quote(text))
	}
	return p.advance()
}

// expr reads operands and operators as long as the operators bind at least as
// closely as prec.
func (p *parser) expr(prec int) (node, error) {
	if p.depth++; p.depth > maxDepth {
		return nil, p.lex.src.errorAt(p.tok.at, p.tok.text, "expression is nested too deeply (maximum is %d)", maxDepth)
	}
	defer func() { p.depth-- }()
	left, err := p.prefix()
	compared := false
	for err == nil {
		if p.isTest() && prec <= precIs {
			left, err = p.test(left)
			compared = false
			continue
		}
		b, ok := binaries[p.tok.text]
		if !ok || !p.is(p.tok.text) || b.prec < prec {
			break
		}
		if compared && b.prec == precCompare {
			return nil, p.syntaxError("and, since comparisons do not chain: a < b and b < c")
		}
		compared = b.prec == precCompare
		left, err = p.operator(left, b)
	}
	return left, err
}

func (p *parser) operator(left node, b binary) (node, error) {
	if err := p.advance(); err != nil {
		return nil, err
	}
	right, err := p.expr(b.prec + 1)
	switch {
	case err != nil:
		return nil, err
	case b.prec <= precAnd:
		return logic{or: b.prec == precOr, left: left, right: right}, nil
	case b.swap:
		left, right = right, left
	}
	c := call{b.op, []node{left, right}}
	if p.lex.texts && b.prec == precCompare {
		return comparison{c}, nil
	}
	return c, nil
}

func (p *parser) isTest() bool { return p.is("is") || p.is("isnull") || p.is("notnull") }

// test reads what follows the operand of is, isnull and notnull.
func (p *parser) test(left node) (node, error) {
	does, with := opIs, node(constant{})
	if p.is("notnull") {
		does = opIsNot
	}
	if !p.is("is") {
		return p.presence(call{does, []node{left, with}}), p.advance()
	}
	if err := p.advance(); err != nil {
		return nil, err
	}
	if p.is("not") {
		does = opIsNot
		if err := p.advance(); err != nil {
			return nil, err
		}
	}
	switch {
	case p.is("true"), p.is("false"):
		with = constant{boolValue(p.is("true"))}
	case !p.is("null"):
		return nil, p.syntaxError("null, true or false after is")
	default:
		return p.presence(call{does, []node{left, with}}), p.advance()
	}
	return call{does, []node{left, with}}, p.advance()
}

// presence is a test for NULL, of text as well where text is known.
func (p *parser) presence(c call) node {
	if p.lex.texts {
		return presence{c}
	}
	return c
}

const operand = "a number, a :variable, a function or an opening parenthesis"

// prefix reads an operand with the operators before it.
func (p *parser) prefix() (node, error) {
	t := p.tok
	if t.kind == tokenEnd {
		return nil, p.syntaxError(operand)
	}
	if err := p.advance(); err != nil {
		return nil, err
	}
	switch t.kind {
	case tokenInt, tokenDouble:
		return constant{t.value}, nil
	case tokenVariable:
		return variable{t.text}, nil
	case tokenQuote:
		return quotation{t.text}, nil
	case tokenName:
		return p.function(t)
	}
	return p.operand(t)
}

// operand reads what begins with a symbol or a keyword.
func (p *parser) operand(t token) (node, error) {
	switch t.text {
	case "null":
		return constant{}, nil
	case "true", "false":
		return constant{boolValue(t.text == "true")}, nil
	case "case":
		return p.choice()
	case "(":
		n, err := p.expr(precNone)
		if err != nil {
			return nil, err
		}
		return n, p.expect(")")
	case "+":
		return p.expr(precSign)
	case "-":
		return p.negate()
	case "~":
		// The complement binds no closer than | and &: ~1+2 is ~(1+2).
		return p.unary(opComplement, precBit+1)
	case "not":
		return p.unary(opNot, precNot)
	}
	p.tok = t
	return nil, p.syntaxError(operand)
}

func (p *parser) negate() (node, error) {
	if p.tok.kind == tokenMinInt {
		return constant{intValue(math.MinInt64)}, p.advance()
	}
	return p.unary(opNegate, precSign)
}

func (p *parser) unary(does op, prec int) (node, error) {
	n, err := p.expr(prec)
	return call{does, []node{n}}, err
}
