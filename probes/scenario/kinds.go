package scenario

import (
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"time"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/token"
)

// The kinds of value in a manifest. Each reads itself from a node, keeps where
// it stood, and (in schema.go) says its JSON Schema.

// bounded is a kind whose values can be narrowed by the tags of its field.
type bounded interface {
	check(d *decoder, tag reflect.StructTag)
}

// expected reports a node of another kind than the one that is wanted.
func (d *decoder) expected(want string, at node) {
	want = d.about() + "expected " + want
	switch at.Node.(type) {
	case *ast.NullNode:
		d.fail(at.pos, "", "%s, and nothing is here", want)
	case *ast.IntegerNode, *ast.FloatNode, *ast.BoolNode:
		hint := ""
		if strings.HasSuffix(want, "text") {
			hint = `put it in quotes: "` + at.GetToken().Value + `"`
		}
		d.fail(at.pos, hint, "%s, not %s", want, kindOf(at.Node))
	default:
		d.fail(at.pos, "", "%s, not %s", want, kindOf(at.Node))
	}
}

// word is text.
type word struct {
	pos
	text  string
	start pos // of the first character of the text, behind a quote or a |
}

func (w *word) decode(d *decoder, at node) {
	switch n := at.Node.(type) {
	case *ast.StringNode:
		*w = word{at.pos, n.Value, at.pos}
		if n.Token.Type == token.DoubleQuoteType || n.Token.Type == token.SingleQuoteType {
			w.start.column++
		}
	case *ast.LiteralNode:
		*w = word{at.pos, n.Value.Value, pos{at.line + 1, 1 + d.indent(at.line+1)}}
	default:
		d.expected("text", at)
	}
}

func (w *word) check(d *decoder, tag reflect.StructTag) {
	if enum, ok := tag.Lookup("enum"); ok && !known(w.text, enum) {
		words := strings.Split(enum, ",")
		hint := ""
		if near := nearest(w.text, words); near != "" {
			hint = fmt.Sprintf("did you mean %q?", near)
		}
		d.fail(w.pos, hint, "%s%q is not one of %s", d.about(), w.text, strings.Join(words, ", "))
	}
}

// number is a whole number.
type number struct {
	pos
	n int
}

func (v *number) decode(d *decoder, at node) {
	i, ok := at.Node.(*ast.IntegerNode)
	if !ok {
		d.expected("a whole number", at)
		return
	}
	n, err := integer(i)
	if err != nil || n > 1<<31 || n < -1<<31 {
		d.fail(at.pos, "", "%s%s is out of range", d.about(), i.Token.Value)
		return
	}
	*v = number{at.pos, int(n)}
}

func (v *number) check(d *decoder, tag reflect.StructTag) {
	for _, bound := range []struct {
		tag, word string
		sign      int
	}{{"min", "at least", 1}, {"max", "at most", -1}} {
		if b, err := strconv.Atoi(tag.Get(bound.tag)); err == nil && v.n*bound.sign < b*bound.sign {
			d.fail(v.pos, "", "%smust be %s %d, not %d", d.about(), bound.word, b, v.n)
		}
	}
}

// integer is the value of i, whichever base it is written in.
func integer(i *ast.IntegerNode) (int64, error) {
	switch n := i.Value.(type) {
	case int64:
		return n, nil
	case uint64:
		if n <= 1<<63-1 {
			return int64(n), nil
		}
	}
	return 0, strconv.ErrRange
}

// value is the value of a parameter: an integer or text.
type value struct {
	pos
	text   string
	quoted bool
}

func (v *value) decode(d *decoder, at node) {
	switch n := at.Node.(type) {
	case *ast.IntegerNode:
		i, err := integer(n)
		if err != nil {
			d.fail(at.pos, "", "%s%s is out of range", d.about(), n.Token.Value)
			return
		}
		*v = value{at.pos, strconv.FormatInt(i, 10), false}
	case *ast.StringNode:
		*v = value{at.pos, n.Value, true}
	case *ast.LiteralNode:
		*v = value{at.pos, n.Value.Value, true}
	default:
		d.expected("an integer or text", at)
	}
}

// expr is a pgbench expression; a bare integer is one, too.
type expr struct{ word }

func (e *expr) decode(d *decoder, at node) {
	if n, ok := at.Node.(*ast.IntegerNode); ok {
		e.word = word{at.pos, n.Token.Value, at.pos}
		return
	}
	e.word.decode(d, at)
}

// source is SQL: the name of a file, or {sql: …}.
type source struct {
	pos
	file word
	sql  word
}

// inlineNode is the long form of a source.
type inlineNode struct {
	SQL  word `yaml:"sql" doc:"The SQL itself."`
	File word `yaml:"file" doc:"File with the SQL."`
}

func (s *source) decode(d *decoder, at node) {
	s.pos = at.pos
	if _, ok := at.Node.(ast.MapNode); !ok {
		s.file.decode(d, at)
		return
	}
	var long inlineNode
	before := len(d.errs)
	d.object(at, &long)
	s.sql, s.file = long.SQL, long.File
	if s.sql.given() == s.file.given() && len(d.errs) == before {
		d.fail(at.pos, "", "%sexpected one of sql and file here", d.about())
	}
}

// think is a duration, or a range of them.
type think struct {
	pos
	Think
}

func (t *think) decode(d *decoder, at node) {
	t.pos = at.pos
	if n, ok := at.Node.(*ast.IntegerNode); ok && n.Token.Value == "0" {
		return
	}
	var w word
	if w.decode(d, at); !w.given() {
		return
	}
	var err error
	if t.Think, err = ParseThink(w.text); err != nil {
		d.fail(at.pos, "for example 5ms, or 0-5ms", "%s%q is not a duration or a range of durations", d.about(), w.text)
	}
}

// ParseThink reads a pause such as "5ms", or a range such as "0-5ms" or
// "500us-2ms", the form of --think.
func ParseThink(text string) (Think, error) {
	low, high, isRange := strings.Cut(strings.TrimSpace(text), "-")
	if !isRange {
		high = low
	}
	least, err := time.ParseDuration(strings.TrimSpace(low))
	if err != nil {
		return Think{}, err
	}
	most, err := time.ParseDuration(strings.TrimSpace(high))
	if err != nil {
		return Think{}, err
	}
	if least < 0 || most < least {
		return Think{}, strconv.ErrRange
	}
	return Think{least, most}, nil
}

// list is a sequence.
type list[T any] struct {
	pos
	items []T
}

func (l *list[T]) decode(d *decoder, at node) {
	s, ok := at.Node.(*ast.SequenceNode)
	if !ok {
		d.expected("a list", at)
		return
	}
	l.pos = at.pos
	for _, n := range s.Values {
		var item T
		d.into(n, func(at node) { any(&item).(decodable).decode(d, at) })
		l.items = append(l.items, item)
	}
}

// few is a list, or one item alone.
type few[T any] struct{ list[T] }

func (f *few[T]) decode(d *decoder, at node) {
	if _, ok := at.Node.(*ast.SequenceNode); ok {
		f.list.decode(d, at)
		return
	}
	var item T
	any(&item).(decodable).decode(d, at)
	f.pos, f.items = at.pos, []T{item}
}

// dict is a mapping with keys of the author's own, in the order of the file.
type dict[T any] struct {
	pos
	items []entry[T]
}

type entry[T any] struct {
	pos   // of the key
	key   string
	value T
}

func (m *dict[T]) decode(d *decoder, at node) {
	m.pos = at.pos
	d.pairs(at, func(key string, keyAt pos, n ast.Node) {
		e := entry[T]{pos: keyAt, key: key}
		d.under(key, func() {
			d.into(n, func(at node) { any(&e.value).(decodable).decode(d, at) })
		})
		m.items = append(m.items, e)
	})
}

func (m *dict[T]) check(d *decoder, tag reflect.StructTag) {
	for i := range m.items {
		if b, ok := any(&m.items[i].value).(bounded); ok {
			d.under(m.items[i].key, func() { b.check(d, tag) })
		}
	}
}
