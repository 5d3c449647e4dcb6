package script

import (
	"errors"
	"strings"

	"github.com/ccheck/ccheck/probes/history"
)

// Conditions of "-- @decide" know what pgbench's expressions do not: text. A
// string in single quotes may be compared, and so may variables that are no
// numbers; "is null" asks whether a variable has a value, whatever it is.
// pgbench does not read these comments, so no script means something else there.

// quotation is a string in single quotes.
type quotation struct{ text string }

func (n quotation) eval(*Machine) (value, error) {
	return value{}, errors.New("a string can only be compared")
}

func (n quotation) print(b *strings.Builder) {
	b.WriteString("'" + strings.ReplaceAll(n.text, "'", "''") + "'")
}

// comparison compares numbers as numbers, and text as text.
type comparison struct{ call }

func (n comparison) eval(m *Machine) (value, error) {
	left, right := n.args[0], n.args[1]
	if !quoted(left) && !quoted(right) {
		v, err := n.call.eval(m)
		if err == nil || !worded(m, left) && !worded(m, right) {
			return v, err
		}
	}
	a, err := textOf(m, left)
	if err != nil {
		return value{}, err
	}
	b, err := textOf(m, right)
	if err != nil || a.Null || b.Null {
		return value{}, err
	}
	switch n.op {
	case opEqual:
		return boolValue(a.Text == b.Text), nil
	case opNotEqual:
		return boolValue(a.Text != b.Text), nil
	case opLess:
		return boolValue(a.Text < b.Text), nil
	}
	return boolValue(a.Text <= b.Text), nil
}

func quoted(n node) bool { _, is := n.(quotation); return is }

// worded reports whether the node is a variable with a text that is no number.
func worded(m *Machine, n node) bool {
	v, is := n.(variable)
	if !is || m.vars[v.name] == nil {
		return false
	}
	_, err := m.vars[v.name].typed(v.name)
	return err != nil
}

func textOf(m *Machine, n node) (history.Value, error) {
	if q, is := n.(quotation); is {
		return history.Text(q.text), nil
	}
	if v, is := n.(variable); is && m.vars[v.name] != nil {
		return m.vars[v.name].sql(), nil
	}
	v, err := n.eval(m)
	return v.text(), err
}

// presence is "is null" and its like for any variable.
type presence struct{ call }

func (n presence) eval(m *Machine) (value, error) {
	if worded(m, n.args[0]) {
		return boolValue(n.op == opIsNot), nil
	}
	return n.call.eval(m)
}

// quote reads a string in single quotes; a quote inside is written twice.
func (l *lexer) quote() (token, error) {
	s := l.src
	start := s.pos
	var b strings.Builder
	for s.pos++; s.pos < l.end; s.pos++ {
		switch {
		case s.peek(0) != '\'':
			b.WriteByte(s.peek(0))
		case s.pos+1 < l.end && s.peek(1) == '\'':
			b.WriteByte('\'')
			s.pos++
		default:
			s.pos++
			return token{kind: tokenQuote, text: b.String(), at: start}, nil
		}
	}
	return token{}, s.errorAt(start, s.text[start:l.end], "quoted string is not closed")
}
