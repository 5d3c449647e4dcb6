package history

import (
	"strconv"
	"unicode/utf8"
)

// appendOp appends the line of an Op. The keys are short and in a fixed order
// because a run writes tens of thousands of lines a second; docs/formats/history.md
// tells what they mean. The caller has set Index and Time.
func appendOp(b []byte, o *Op, columnsKnown bool) []byte {
	b = append(b, `{"i":`...)
	b = strconv.AppendInt(b, o.Index, 10)
	b = append(b, `,"t":`...)
	b = strconv.AppendInt(b, int64(o.Time), 10)
	b = append(b, `,"e":"`...)
	b = append(b, scopeNames[o.Scope]...)
	if o.Kind != Invoke {
		b = append(b, '.')
		b = append(b, kindNames[o.Kind]...)
	}
	b = append(b, `","p":`...)
	b = strconv.AppendInt(b, int64(o.Process), 10)
	b = appendInt(b, "c", o.Call)
	b = appendInt(b, "x", o.Txn)
	if o.Stmt != nil {
		b = appendInt(b, "q", int64(o.Stmt.ID))
	}
	if len(o.Args) > 0 {
		b = append(b, `,"a":`...)
		b = appendValues(b, o.Args)
	}
	b = appendText(b, "g", o.Tag)
	if o.Status != 0 {
		b = append(b, `,"s":"`...)
		b = append(b, o.Status, '"')
	}
	if len(o.Columns) > 0 && !columnsKnown {
		b = append(b, `,"h":[`...)
		for i, c := range o.Columns {
			if i > 0 {
				b = append(b, ',')
			}
			b = appendString(b, c)
		}
		b = append(b, ']')
	}
	if len(o.Rows) > 0 {
		b = append(b, `,"r":[`...)
		for i, row := range o.Rows {
			if i > 0 {
				b = append(b, ',')
			}
			b = appendValues(b, row)
		}
		b = append(b, ']')
	}
	b = appendInt(b, "m", int64(o.More))
	b = appendText(b, "z", o.SQLState)
	b = appendText(b, "w", o.Error)
	b = appendText(b, "n", o.Actor)
	b = appendText(b, "o", string(o.Outcome))
	b = appendInt(b, "y", int64(o.Tries))
	if len(o.Vars) > 0 {
		b = append(b, `,"v":{`...)
		for i, v := range o.Vars {
			if i > 0 {
				b = append(b, ',')
			}
			b = appendString(b, v.Name)
			b = append(b, ':')
			b = appendValue(b, v.Value)
		}
		b = append(b, '}')
	}
	b = appendText(b, "d", o.Text)
	b = appendText(b, "f", o.Phase)
	return append(b, '}', '\n')
}

func appendInt(b []byte, key string, n int64) []byte {
	if n == 0 {
		return b
	}
	b = append(b, ',', '"')
	b = append(b, key...)
	b = append(b, '"', ':')
	return strconv.AppendInt(b, n, 10)
}

func appendText(b []byte, key, s string) []byte {
	if s == "" {
		return b
	}
	b = append(b, ',', '"')
	b = append(b, key...)
	b = append(b, '"', ':')
	return appendString(b, s)
}

func appendValues(b []byte, vs []Value) []byte {
	b = append(b, '[')
	for i, v := range vs {
		if i > 0 {
			b = append(b, ',')
		}
		b = appendValue(b, v)
	}
	return append(b, ']')
}

func appendValue(b []byte, v Value) []byte {
	if v.Null {
		return append(b, "null"...)
	}
	if len(v.Text) > MaxValue {
		cut := MaxValue
		for cut > 0 && !utf8.RuneStart(v.Text[cut]) {
			cut--
		}
		return appendString(b, v.Text[:cut]+"… +"+strconv.Itoa(len(v.Text)-cut)+" bytes")
	}
	return appendString(b, v.Text)
}

const hexDigits = "0123456789abcdef"

// appendString appends a JSON string. Bytes that are not UTF-8 become U+FFFD,
// as encoding/json does.
func appendString(b []byte, s string) []byte {
	b = append(b, '"')
	start := 0
	for i := 0; i < len(s); {
		c := s[i]
		if c >= 0x20 && c < utf8.RuneSelf && c != '"' && c != '\\' {
			i++
			continue
		}
		if c < utf8.RuneSelf {
			b = append(b, s[start:i]...)
			switch c {
			case '"', '\\':
				b = append(b, '\\', c)
			case '\n':
				b = append(b, '\\', 'n')
			case '\t':
				b = append(b, '\\', 't')
			default:
				b = append(b, '\\', 'u', '0', '0', hexDigits[c>>4], hexDigits[c&15])
			}
			i++
			start = i
			continue
		}
		r, size := utf8.DecodeRuneInString(s[i:])
		if r == utf8.RuneError && size == 1 {
			b = append(b, s[start:i]...)
			b = append(b, "\ufffd"...)
			i++
			start = i
			continue
		}
		i += size
	}
	b = append(b, s[start:]...)
	return append(b, '"')
}
