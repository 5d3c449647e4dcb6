package script

import (
	"slices"
	"strconv"
	"strings"
)

func (p *parser) choice() (node, error) {
	var parts []node
	if !p.is("when") {
		return nil, p.syntaxError("when after case")
	}
	for p.is("when") {
		for _, after := range []string{"when", "then"} {
			n, err := p.after(after)
			if err != nil {
				return nil, err
			}
			parts = append(parts, n)
		}
	}
	last := node(constant{})
	if p.is("else") {
		n, err := p.after("else")
		if err != nil {
			return nil, err
		}
		last = n
	}
	return choice{append(parts, last)}, p.expect("end")
}

// after reads a keyword and the expression that follows.
func (p *parser) after(keyword string) (node, error) {
	if err := p.expect(keyword); err != nil {
		return nil, err
	}
	return p.expr(precNone)
}

func (p *parser) function(name token) (node, error) {
	if !p.is("(") {
		return nil, p.syntaxError("an opening parenthesis after the name of a function; a variable is written :" + name.text)
	}
	f, ok := findFunction(name.text)
	if !ok {
		return nil, p.unknownFunction(name)
	}
	args, err := p.args()
	if err != nil {
		return nil, err
	}
	if err := p.countArgs(f, name, len(args)); err != nil {
		return nil, err
	}
	if f.seedIsLast && len(args) < f.most {
		args = append(args, variable{"default_seed"})
	}
	if f.op == opLeast || f.op == opGreatest {
		return extremum{f.op, args}, nil
	}
	return call{f.op, args}, nil
}

// args reads the arguments with their parentheses. pgbench's grammar lets the
// first one be missing before a comma, f(, 1), and so does this.
func (p *parser) args() ([]node, error) {
	if err := p.expect("("); err != nil {
		return nil, err
	}
	var args []node
	if !p.is(")") && !p.is(",") {
		n, err := p.expr(precNone)
		if err != nil {
			return nil, err
		}
		args = append(args, n)
	}
	for p.is(",") {
		n, err := p.after(",")
		if err != nil {
			return nil, err
		}
		args = append(args, n)
	}
	return args, p.expect(")")
}

func (p *parser) unknownFunction(name token) error {
	e := p.lex.src.errorAt(name.at, name.text, "unexpected function name")
	names := make([]string, len(functions))
	for i, f := range functions {
		names[i] = f.name
	}
	if n := nearest(strings.ToLower(name.text), names); n != "" {
		e.Hint = "did you mean " + n + "?"
	} else {
		e.Hint = "the functions are " + strings.Join(slices.Compact(names), ", ")
	}
	return e
}

func (p *parser) countArgs(f function, name token, n int) error {
	switch {
	case n >= f.least && n <= f.most:
		return nil
	case n > f.most && f.most == maxArgs:
		return p.lex.src.errorAt(name.at, name.text, "too many function arguments, maximum is %d", maxArgs)
	case n < f.least && f.most == maxArgs:
		return p.lex.src.errorAt(name.at, name.text, "at least one argument expected")
	}
	e := p.lex.src.errorAt(name.at, name.text, "unexpected number of arguments")
	e.Hint = countHint(f, n)
	return e
}

func countHint(f function, n int) string {
	want := strconv.Itoa(f.least)
	if f.most > f.least {
		want += " or " + strconv.Itoa(f.most)
	}
	return f.name + " takes " + want + ", not " + strconv.Itoa(n)
}
