package value

import (
	"encoding/binary"
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
