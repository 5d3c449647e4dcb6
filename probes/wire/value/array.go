package value

import (
	"encoding/binary"
	"encoding/hex"
	"strings"
)

// array writes an array of one or more dimensions as array_out does.
func array(elem uint32, b []byte) (string, bool) {
	a := arrayReader{b: b, elem: elem}
	dims, _, of := a.int(), a.int(), a.int()
	if a.bad || dims < 0 || dims > 6 || uint32(of) != elem {
		return "", false
	}
	if dims == 0 {
		return "{}", true
	}
	sizes := make([]int, dims)
	plain := true
	for i := range sizes {
		sizes[i] = a.int()
		plain = plain && a.int() == 1
	}
	// A lower bound other than 1 is written in front; that is rare enough to
	// leave it to the bytes.
	if a.bad || !plain {
		return "", false
	}
	a.dimension(sizes)
	return a.out.String(), !a.bad && len(a.b) == 0
}

type arrayReader struct {
	b    []byte
	elem uint32
	out  strings.Builder
	bad  bool
}

func (a *arrayReader) int() int {
	if len(a.b) < 4 {
		a.bad = true
		return 0
	}
	n := int(int32(binary.BigEndian.Uint32(a.b)))
	a.b = a.b[4:]
	return n
}

// maxArray bounds the text of an array: sizes without elements and numbers with
// many zeros make much of a few bytes.
const maxArray = 1 << 20

func (a *arrayReader) dimension(sizes []int) {
	a.out.WriteByte('{')
	for i := 0; i < sizes[0] && !a.bad; i++ {
		a.bad = a.out.Len() > maxArray
		if i > 0 {
			a.out.WriteByte(',')
		}
		if len(sizes) > 1 {
			a.dimension(sizes[1:])
		} else {
			a.element()
		}
	}
	a.out.WriteByte('}')
}

func (a *arrayReader) element() {
	size := a.int()
	switch {
	case a.bad:
	case size < 0:
		a.out.WriteString("NULL")
	case size > len(a.b):
		a.bad = true
	default:
		b := a.b[:size]
		a.b = a.b[size:]
		s, ok := scalar(a.elem, b)
		if !ok {
			s = `\x` + hex.EncodeToString(b)
		}
		a.out.WriteString(quote(s))
	}
}

// quote puts an element into quotes when it could be read as something else.
func quote(s string) string {
	if s != "" && !strings.EqualFold(s, "null") && !strings.ContainsAny(s, "{},\"\\ \t\n\r\v\f") {
		return s
	}
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(s) + `"`
}
