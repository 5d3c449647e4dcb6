package value

import (
	"encoding/binary"
	"encoding/hex"
	"strconv"
	"strings"
)

// The signs of numeric's binary format (numeric_send).
const (
	positive = 0x0000
	negative = 0x4000
	notANum  = 0xC000
	infinite = 0xD000
	lowest   = 0xF000
)

// decimal writes a numeric: digits in base 10000, the weight of the first, a
// sign, and the number of decimal digits to show.
func decimal(b []byte) (string, bool) {
	if len(b) < 8 {
		return "", false
	}
	n := int(binary.BigEndian.Uint16(b))
	weight := int(int16(binary.BigEndian.Uint16(b[2:])))
	sign := binary.BigEndian.Uint16(b[4:])
	scale := int(binary.BigEndian.Uint16(b[6:]))
	if len(b) != 8+2*n || scale > 0x3FFF {
		return "", false
	}
	switch sign {
	case notANum:
		return "NaN", true
	case infinite:
		return "Infinity", true
	case lowest:
		return "-Infinity", true
	case positive, negative:
	default:
		return "", false
	}
	digit := func(i int) int {
		if i < 0 || i >= n {
			return 0
		}
		return int(binary.BigEndian.Uint16(b[8+2*i:]))
	}
	var s strings.Builder
	if sign == negative {
		s.WriteByte('-')
	}
	writeWhole(&s, weight, digit)
	writeFraction(&s, weight, scale, digit)
	return s.String(), true
}

func writeWhole(s *strings.Builder, weight int, digit func(int) int) {
	if weight < 0 {
		s.WriteByte('0')
		return
	}
	s.WriteString(strconv.Itoa(digit(0)))
	for i := 1; i <= weight; i++ {
		s.WriteString(group(digit(i)))
	}
}

func writeFraction(s *strings.Builder, weight, scale int, digit func(int) int) {
	if scale == 0 {
		return
	}
	s.WriteByte('.')
	for i := weight + 1; scale > 0; i++ {
		four := group(digit(i))
		s.WriteString(four[:min(4, scale)])
		scale -= 4
	}
}

// group is a digit in base 10000, with its zeros.
func group(d int) string {
	s := strconv.Itoa(d % 10000)
	return "0000"[len(s):] + s
}

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

func (a *arrayReader) dimension(sizes []int) {
	a.out.WriteByte('{')
	for i := 0; i < sizes[0] && !a.bad; i++ {
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
