package sqlread

import "strings"

// ValueKind says what an expression is.
type ValueKind uint8

// The kinds of value. Expr is everything that is none of the others.
const (
	Param ValueKind = iota + 1
	Literal
	Null
	Column
	Default
	Expr
)

// Value is an expression as far as it can be told without the server.
type Value struct {
	Kind  ValueKind
	N     int    // of $n
	Text  string // of the literal, of the column's name, of the parameter's name, of the expression
	Table string // qualifier of a column
	Func  string // lower, upper or btrim around it, or ""
	Array bool   // the value is an array of which one element is meant: = ANY ($1)

	made made // how an expression of parameters and literals is reckoned; nil when it needs the server
}

// Args gives the text of $n; ok is false when it is unknown. NULL equals
// nothing and must not be given as a text.
type Args func(n int) (text string, ok bool)

// Known reports whether Resolve can tell the value when it has the arguments.
func (v Value) Known() bool { return v.Kind == Param || v.Kind == Literal || v.made != nil }

// Resolve returns the texts that the value can have. ok is false when that
// cannot be told.
func (v Value) Resolve(args Args) (texts []string, ok bool) {
	text := v.Text
	switch v.Kind {
	case Literal:
	case Null:
		return nil, true
	case Param:
		if args == nil || v.N == 0 {
			return nil, false
		}
		if text, ok = args(v.N); !ok {
			return nil, false
		}
	default:
		return v.reckon(args)
	}
	if v.Array {
		return elements(text)
	}
	return []string{Apply(v.Func, text)}, true
}

func (v Value) reckon(args Args) (texts []string, ok bool) {
	if v.made == nil {
		return nil, false
	}
	texts, ok = v.made.resolve(args)
	return applyAll(v.Func, texts), ok
}

// Apply does what the function would do with the text.
func Apply(f, text string) string {
	switch f {
	case "lower":
		return strings.ToLower(text)
	case "upper":
		return strings.ToUpper(text)
	case "btrim":
		return strings.Trim(text, " ")
	}
	return text
}

// elements cuts an array literal of simple values.
func elements(text string) ([]string, bool) {
	body, ok := strings.CutPrefix(text, "{")
	if body, ok2 := strings.CutSuffix(body, "}"); ok && ok2 && !strings.ContainsAny(body, `{}"\`) {
		if body == "" {
			return nil, true
		}
		return strings.Split(body, ","), true
	}
	return nil, false
}

// value classifies the expression in [lo, hi).
func (p *parser) value(lo, hi int) Value {
	for p.at(lo, hi, "(") && p.match[lo] == hi-1 && hi-lo > 2 {
		lo, hi = lo+1, hi-1
	}
	if lo >= hi {
		return Value{}
	}
	if cast := p.trailingCast(lo, hi); cast < hi {
		if v := p.value(lo, cast); v.Kind != Column || keepsValue(p.toks[cast+1].text) {
			return v
		}
		return Value{Kind: Expr, Text: p.text(lo, hi)}
	}
	if v, ok := p.atom(lo, hi); ok {
		return v
	}
	if v, ok := p.wrapped(lo, hi); ok {
		return v
	}
	v := Value{Kind: Expr, Text: p.text(lo, hi), made: p.join(lo, hi)}
	if v.made == nil {
		v.made = p.sum(lo, hi)
	}
	return v
}

// keepsValue reports whether a column cast to the type still names the same
// rows: created::date does not.
func keepsValue(typ string) bool {
	switch typ {
	case "text", "varchar", "int", "integer", "int4", "int8", "bigint", "uuid", "numeric":
		return true
	}
	return false
}

// trailingCast returns where "::type" begins when it ends the expression.
func (p *parser) trailingCast(lo, hi int) int {
	for i := lo + 1; i < hi; i = p.after(i) {
		if i+1 < hi && p.toks[i].is("::") && p.typeName(i+1, hi) >= hi {
			if i == lo+1 || p.after(lo) == i || p.columnEnd(lo, hi) == i || p.at(lo+1, hi, "(") && p.after(lo+1) == i {
				return i
			}
			return hi
		}
	}
	return hi
}

func (p *parser) columnEnd(lo, hi int) int {
	if !p.isName(lo, hi) {
		return lo
	}
	_, _, end := p.column(lo, hi)
	return end
}

// atom reads a literal, a parameter or a column.
func (p *parser) atom(lo, hi int) (Value, bool) {
	t := p.toks[lo]
	switch {
	case hi-lo == 2 && t.is("-") && p.toks[lo+1].class == number:
		return Value{Kind: Literal, Text: "-" + p.toks[lo+1].text}, true
	case hi-lo == 2 && t.class == word && t.text != "interval" && p.toks[lo+1].class == str:
		return Value{Kind: Literal, Text: p.toks[lo+1].text}, true
	case p.isName(lo, hi):
		q, name, end := p.column(lo, hi)
		return Value{Kind: Column, Text: name, Table: q}, end == hi
	case hi-lo != 1:
		return Value{}, false
	}
	switch {
	case t.class == number, t.class == str:
		return Value{Kind: Literal, Text: t.text}, true
	case t.class == param:
		return Value{Kind: Param, N: t.n, Text: t.text}, true
	case t.is("true"), t.is("false"):
		return Value{Kind: Literal, Text: t.text[:1]}, true
	case t.is("null"):
		return Value{Kind: Null}, true
	case t.is("default"):
		return Value{Kind: Default}, true
	}
	return Value{}, false
}

// wrapped reads lower(x), CAST(x AS type) and their like.
func (p *parser) wrapped(lo, hi int) (Value, bool) {
	if hi-lo < 4 || !p.at(lo+1, hi, "(") || p.match[lo+1] != hi-1 {
		return Value{}, false
	}
	name, end := p.toks[lo].text, hi-1
	switch name {
	case "trim":
		name = "btrim"
	case "cast":
		name, end = "", p.find(lo+2, hi-1, "as")
	case "lower", "upper", "btrim":
	default:
		return Value{}, false
	}
	v := p.value(lo+2, end)
	if v.Func != "" && name != "" || v.Kind == 0 || v.Kind == Expr && v.made == nil {
		return Value{}, false
	}
	if name != "" {
		v.Func = name
	}
	return v, true
}

// Place is where a parameter stands in a statement.
type Place struct {
	N      int // of $n
	Lo, Hi int // bytes
}

// Params returns the places of $1, $2 … in the order of the text. Those inside
// of strings and comments are none.
func Params(sql string) []Place {
	var places []Place
	for _, t := range lex(sql) {
		if t.class == param && t.n > 0 {
			places = append(places, Place{t.n, t.lo, t.hi})
		}
	}
	return places
}

// Shape is the statement without its values: numbers and strings are "?", and
// blanks and case do not count. It is the same for the same statement of an
// application with other values.
func Shape(sql string) string {
	var b strings.Builder
	for i, t := range lex(sql) {
		if i > 0 {
			b.WriteByte(' ')
		}
		switch t.class {
		case number, str, param:
			b.WriteByte('?')
		case quoted:
			b.WriteString(`"` + t.text + `"`)
		default:
			b.WriteString(t.text)
		}
	}
	return b.String()
}
