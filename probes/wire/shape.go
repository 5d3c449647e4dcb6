package wire

import (
	"fmt"
	"slices"
)

// maxShape is the length of a RowDescription that is remembered for the next time.
const maxShape = 4 << 10

// shape is what a RowDescription says of a result. It does not change.
type shape struct {
	raw     string // the message's body
	columns []column
	names   []string
}

// column is a column of a result.
type column struct {
	name   string
	typ    uint32
	format int
}

// shapeOf reads the body of a RowDescription. A statement mostly has the same
// one each time.
func shapeOf(t *text, body []byte) *shape {
	if t == nil {
		return readShape(body)
	}
	if s := t.shape.Load(); s != nil && s.raw == string(body) {
		return s
	}
	s := readShape(body)
	if len(body) <= maxShape {
		s.raw = string(body)
		t.shape.Store(s)
	}
	return s
}

func readShape(body []byte) *shape {
	r := &fields{b: body}
	s := &shape{}
	for range r.int16() {
		col := column{name: string(r.text())}
		r.take(6) // table and attribute
		col.typ = uint32(r.int32())
		r.take(6) // size and modifier
		col.format = r.int16()
		if r.short {
			break
		}
		s.columns, s.names = append(s.columns, col), append(s.names, col.name)
	}
	s.names = slices.Clip(s.names)
	return s
}

// column returns column i, the zero value when nobody described it.
func (s *shape) column(i int) column {
	if s == nil || i >= len(s.columns) {
		return column{}
	}
	return s.columns[i]
}

// header names n columns. Those that were never described have numbers.
func (s *shape) header(n int) []string {
	if s != nil && n == len(s.names) {
		return s.names
	}
	names := make([]string, n)
	for i := range names {
		names[i] = fmt.Sprintf("column%d", i+1)
		if s != nil && i < len(s.names) {
			names[i] = s.names[i]
		}
	}
	return names
}
