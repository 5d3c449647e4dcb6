package history

import (
	"errors"
	"fmt"
	"time"
	"unicode/utf16"
	"unicode/utf8"
)

// decoder reads the lines of events. It accepts any JSON object of the known
// keys in any order and skips keys it does not know, so that a later minor
// version can add some; it exists beside encoding/json because judging a
// million statements must not take a minute.
type decoder struct {
	b       []byte
	pos     int
	scratch []Value
	names   [1 << 12]string // recently seen short strings, so that "UPDATE 1" is one allocation in all
}

var errSyntax = errors.New("not a JSON object of an event")

// op decodes one line into o. The statement number comes back for the caller,
// who knows the statements.
func (d *decoder) op(line []byte, o *Op) (stmt int, err error) {
	d.b, d.pos = line, 0
	defer func() {
		if r := recover(); r != nil {
			if r != errSyntax {
				panic(r)
			}
			err = fmt.Errorf("%w at byte %d", errSyntax, d.pos+1)
		}
	}()
	d.expect('{')
	if d.peek() == '}' {
		d.pos++
		d.end()
		return 0, nil
	}
	for {
		key := d.str()
		d.expect(':')
		if key == "q" {
			stmt = int(d.integer())
		} else {
			d.field(key, o)
		}
		if d.next() == '}' {
			break
		}
	}
	d.end()
	return stmt, nil
}

func (d *decoder) field(key string, o *Op) {
	switch key {
	case "i":
		o.Index = d.integer()
	case "t":
		o.Time = time.Duration(d.integer())
	case "e":
		d.event(o)
	case "p":
		o.Process = int(d.integer())
	case "c":
		o.Call = d.integer()
	case "x":
		o.Txn = d.integer()
	case "a":
		o.Args = d.values()
	case "g":
		o.Tag = d.str()
		o.Affected = AffectedOf(o.Tag)
	case "s":
		if s := d.str(); s != "" {
			o.Status = s[0]
		}
	case "h":
		d.list(func() { o.Columns = append(o.Columns, d.str()) })
	case "r":
		d.list(func() { o.Rows = append(o.Rows, d.values()) })
	case "m":
		o.More = int(d.integer())
	case "z":
		o.SQLState = d.str()
	case "w":
		o.Error = d.str()
	case "n":
		o.Actor = d.str()
	case "o":
		o.Outcome = Outcome(d.str())
	case "y":
		o.Tries = int(d.integer())
	case "v":
		d.vars(o)
	case "d":
		o.Text = d.str()
	case "f":
		o.Phase = d.str()
	default:
		d.skip(0)
	}
}

func (d *decoder) event(o *Op) {
	name := d.str()
	kind := "invoke"
	for i := range len(name) {
		if name[i] == '.' {
			name, kind = name[:i], name[i+1:]
			break
		}
	}
	for s, n := range scopeNames {
		if n != "" && n == name {
			o.Scope = Scope(s)
		}
	}
	for k, n := range kindNames {
		if n != "" && n == kind {
			o.Kind = Kind(k)
		}
	}
	if o.Scope == 0 || o.Kind == 0 {
		panic(errSyntax)
	}
}

func (d *decoder) vars(o *Op) {
	d.expect('{')
	if d.peek() == '}' {
		d.pos++
		return
	}
	for {
		name := d.str()
		d.expect(':')
		o.Vars = append(o.Vars, Var{Name: name, Value: d.value()})
		if d.next() == '}' {
			return
		}
	}
}

// values reads an array without the closure of list, since every statement has
// some.
func (d *decoder) values() []Value {
	d.expect('[')
	if d.peek() == ']' {
		d.pos++
		return nil
	}
	d.scratch = d.scratch[:0]
	for {
		d.scratch = append(d.scratch, d.value())
		if d.next() == ']' {
			return append([]Value(nil), d.scratch...)
		}
	}
}

func (d *decoder) value() Value {
	if d.peek() == 'n' {
		d.word("null")
		return Null
	}
	return Value{Text: d.str()}
}

// list calls elem at each element of an array.
func (d *decoder) list(elem func()) {
	d.expect('[')
	if d.peek() == ']' {
		d.pos++
		return
	}
	for {
		elem()
		if d.next() == ']' {
			return
		}
	}
}

// maxDepth bounds the nesting of values that are skipped.
const maxDepth = 100

func (d *decoder) skip(depth int) {
	if depth > maxDepth {
		panic(errSyntax)
	}
	switch c := d.peek(); {
	case c == '"':
		d.str()
	case c == '[':
		d.list(func() { d.skip(depth + 1) })
	case c == '{':
		d.pos++
		if d.peek() == '}' {
			d.pos++
			return
		}
		for {
			d.str()
			d.expect(':')
			d.skip(depth + 1)
			if d.next() == '}' {
				return
			}
		}
	case c == 't':
		d.word("true")
	case c == 'f':
		d.word("false")
	case c == 'n':
		d.word("null")
	default:
		d.number()
	}
}

func (d *decoder) integer() int64 {
	d.space()
	neg := false
	if d.pos < len(d.b) && d.b[d.pos] == '-' {
		neg = true
		d.pos++
	}
	start := d.pos
	var n int64
	for d.pos < len(d.b) && d.b[d.pos]-'0' < 10 {
		if n > (1<<63-10)/10 {
			panic(errSyntax)
		}
		n = n*10 + int64(d.b[d.pos]-'0')
		d.pos++
	}
	if d.pos == start {
		panic(errSyntax)
	}
	if neg {
		return -n
	}
	return n
}

// number skips a number of any JSON form, without checking it further.
func (d *decoder) number() {
	start := d.pos
	for d.pos < len(d.b) {
		switch c := d.b[d.pos]; {
		case c-'0' < 10, c == '-', c == '+', c == '.', c == 'e', c == 'E':
			d.pos++
		default:
			if d.pos == start {
				panic(errSyntax)
			}
			return
		}
	}
}

func (d *decoder) str() string {
	d.expect('"')
	start := d.pos
	for d.pos < len(d.b) {
		switch c := d.b[d.pos]; {
		case c == '"':
			s := d.intern(d.b[start:d.pos])
			d.pos++
			return s
		case c == '\\':
			return d.escaped(start)
		case c < 0x20:
			panic(errSyntax)
		}
		d.pos++
	}
	panic(errSyntax)
}

func (d *decoder) escaped(start int) string {
	out := append([]byte(nil), d.b[start:d.pos]...)
	for d.pos < len(d.b) {
		c := d.b[d.pos]
		d.pos++
		switch {
		case c == '"':
			return string(out)
		case c < 0x20:
			panic(errSyntax)
		case c != '\\':
			out = append(out, c)
			continue
		}
		if d.pos >= len(d.b) {
			break
		}
		c = d.b[d.pos]
		d.pos++
		switch c {
		case '"', '\\', '/':
			out = append(out, c)
		case 'b':
			out = append(out, '\b')
		case 'f':
			out = append(out, '\f')
		case 'n':
			out = append(out, '\n')
		case 'r':
			out = append(out, '\r')
		case 't':
			out = append(out, '\t')
		case 'u':
			out = utf8.AppendRune(out, d.rune())
		default:
			panic(errSyntax)
		}
	}
	panic(errSyntax)
}

// rune reads the digits of \uXXXX, and of a second one when the first is half a pair.
func (d *decoder) rune() rune {
	r := d.hex4()
	if !utf16.IsSurrogate(r) {
		return r
	}
	if d.pos+6 <= len(d.b) && d.b[d.pos] == '\\' && d.b[d.pos+1] == 'u' {
		back := d.pos
		d.pos += 2
		if pair := utf16.DecodeRune(r, d.hex4()); pair != utf8.RuneError {
			return pair
		}
		d.pos = back
	}
	return utf8.RuneError
}

func (d *decoder) hex4() rune {
	if d.pos+4 > len(d.b) {
		panic(errSyntax)
	}
	var r rune
	for range 4 {
		c := d.b[d.pos]
		d.pos++
		switch {
		case c-'0' < 10:
			r = r<<4 | rune(c-'0')
		case c|0x20 >= 'a' && c|0x20 <= 'f':
			r = r<<4 | rune(c|0x20-'a'+10)
		default:
			panic(errSyntax)
		}
	}
	return r
}

// intern returns the string of b, from the cache when it was seen lately. The
// cache is direct-mapped: a collision only costs an allocation.
func (d *decoder) intern(b []byte) string {
	if len(b) > 24 {
		return string(b)
	}
	h := uint32(2166136261)
	for _, c := range b {
		h = (h ^ uint32(c)) * 16777619
	}
	slot := &d.names[h%uint32(len(d.names))]
	if *slot != string(b) {
		*slot = string(b)
	}
	return *slot
}

func (d *decoder) space() {
	for d.pos < len(d.b) && (d.b[d.pos] == ' ' || d.b[d.pos] == '\t' || d.b[d.pos] == '\r') {
		d.pos++
	}
}

func (d *decoder) peek() byte {
	d.space()
	if d.pos >= len(d.b) {
		panic(errSyntax)
	}
	return d.b[d.pos]
}

func (d *decoder) expect(c byte) {
	if d.peek() != c {
		panic(errSyntax)
	}
	d.pos++
}

// next reads what follows an element: a comma or the end of the list.
func (d *decoder) next() byte {
	c := d.peek()
	if c != ',' && c != ']' && c != '}' {
		panic(errSyntax)
	}
	d.pos++
	return c
}

func (d *decoder) word(w string) {
	if d.pos+len(w) > len(d.b) || string(d.b[d.pos:d.pos+len(w)]) != w {
		panic(errSyntax)
	}
	d.pos += len(w)
}

func (d *decoder) end() {
	d.space()
	if d.pos != len(d.b) {
		panic(errSyntax)
	}
}
