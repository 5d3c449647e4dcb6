package script

import (
	"fmt"

	"github.com/ccheck/ccheck/probes/history"
)

// stored is the value of a variable. \set gives it a typed value, \gset and -D a
// text; the other form is made when it is first asked for.
type stored struct {
	text    history.Value
	value   value
	hasText bool
	isTyped bool
}

func (v *stored) setValue(x value) {
	*v = stored{value: x, isTyped: true}
}

func (v *stored) setText(x history.Value) {
	*v = stored{text: x, hasText: true}
}

// typed returns the value for an expression.
func (v *stored) typed(name string) (value, error) {
	if v.isTyped {
		return v.value, nil
	}
	if !v.text.Null {
		x, err := parseValue(name, v.text.Text)
		if err != nil {
			return value{}, err
		}
		v.value = x
	}
	v.isTyped = true
	return v.value, nil
}

// sql returns the value for a statement.
func (v *stored) sql() history.Value {
	if !v.hasText {
		v.text, v.hasText = v.value.text(), true
	}
	return v.text
}

// Var returns the value of a variable; ok is false when there is none of that
// name.
func (m *Machine) Var(name string) (v history.Value, ok bool) {
	s, ok := m.vars[name]
	if !ok {
		return history.Value{}, false
	}
	return s.sql(), true
}

// Set gives a variable a value, as pgbench -D does. A name that no variable can
// have is an error.
func (m *Machine) Set(name string, v history.Value) error {
	s, err := m.slot(name)
	if err == nil {
		s.setText(v)
	}
	return err
}

// slot returns the variable of that name and makes it when there is none.
func (m *Machine) slot(name string) (*stored, error) {
	if s, ok := m.vars[name]; ok {
		return s, nil
	}
	if !validName(name) {
		return nil, fmt.Errorf("invalid variable name: %q", name)
	}
	s := new(stored)
	m.vars[name] = s
	return s, nil
}

// Eval computes an expression with the variables as they are. Errors are in
// pgbench's words: undefined variable "x", division by zero.
func (m *Machine) Eval(e *Expr) (history.Value, error) {
	v, err := e.root.eval(m)
	if err != nil {
		return history.Value{}, fmt.Errorf("evaluating %s: %w", e.Text(), err)
	}
	return v.text(), nil
}
