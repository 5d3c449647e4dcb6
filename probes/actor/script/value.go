package script

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/ccheck/ccheck/probes/history"
)

// kind is the type of a value in an expression. The names are those that
// pgbench uses in its messages.
type kind uint8

const (
	kindNull kind = iota
	kindBool
	kindInt
	kindDouble
)

func (k kind) String() string {
	return [...]string{kindNull: "null", kindBool: "boolean", kindInt: "int", kindDouble: "double"}[k]
}

// value is a value of an expression: NULL, a boolean (i is 0 or 1), a 64-bit
// integer or a double. The zero value is NULL.
type value struct {
	kind kind
	i    int64
	d    float64
}

func intValue(i int64) value      { return value{kind: kindInt, i: i} }
func doubleValue(d float64) value { return value{kind: kindDouble, d: d} }

func boolValue(b bool) value {
	if b {
		return value{kind: kindBool, i: 1}
	}
	return value{kind: kindBool}
}

// truth is what \if makes of a value: numbers other than zero are true, NULL is
// false.
func (v value) truth() bool {
	if v.kind == kindDouble {
		return v.d != 0
	}
	return v.i != 0
}

func (v value) toBool() (bool, error) {
	if v.kind != kindBool {
		return false, fmt.Errorf("cannot coerce %s to boolean", v.kind)
	}
	return v.i != 0, nil
}

func (v value) toInt() (int64, error) {
	switch v.kind {
	case kindInt:
		return v.i, nil
	case kindDouble:
		d := math.RoundToEven(v.d)
		if math.IsNaN(d) || d < math.MinInt64 || d >= -math.MinInt64 {
			return 0, fmt.Errorf("double to int overflow for %f", d)
		}
		return int64(d), nil
	}
	return 0, fmt.Errorf("cannot coerce %s to int", v.kind)
}

func (v value) toDouble() (float64, error) {
	switch v.kind {
	case kindInt:
		return float64(v.i), nil
	case kindDouble:
		return v.d, nil
	}
	return 0, fmt.Errorf("cannot coerce %s to double", v.kind)
}

// text is the value as it stands in SQL.
func (v value) text() history.Value {
	switch v.kind {
	case kindBool:
		return history.Text(strconv.FormatBool(v.i != 0))
	case kindInt:
		return history.Int(v.i)
	case kindDouble:
		return history.Text(formatDouble(v.d))
	}
	return history.Null
}

// formatDouble writes 15 digits (DBL_DIG), as "%.15g" does in C, and the names
// that PostgreSQL gives to what is not finite.
func formatDouble(d float64) string {
	switch {
	case math.IsNaN(d):
		return "NaN"
	case math.IsInf(d, 1):
		return "Infinity"
	case math.IsInf(d, -1):
		return "-Infinity"
	}
	return strconv.FormatFloat(d, 'g', 15, 64)
}

// parseValue reads the text of a variable as pgbench does when an expression
// asks for it: null, a boolean (also shortened: t, y, of), an integer, a double.
func parseValue(name, s string) (value, error) {
	switch {
	case strings.EqualFold(s, "null"):
		return value{}, nil
	case s == "":
		return value{}, malformed(name, s)
	case shortens(s, "true"), shortens(s, "yes"), strings.EqualFold(s, "on"):
		return boolValue(true), nil
	case shortens(s, "false"), shortens(s, "no"), strings.EqualFold(s, "off"), strings.EqualFold(s, "of"):
		return boolValue(false), nil
	case looksInt(s):
		return parseInt(s)
	}
	d, ok := parseDouble(strings.TrimLeft(s, cSpace))
	if !ok {
		return value{}, malformed(name, s)
	}
	return doubleValue(d), nil
}

func malformed(name, s string) error {
	return fmt.Errorf("malformed variable %q value: %q", name, s)
}

const cSpace = " \t\n\v\f\r"

func shortens(s, word string) bool {
	return len(s) <= len(word) && strings.EqualFold(s, word[:len(s)])
}

// looksInt reports whether s is digits with an optional sign, leading blanks
// allowed: then it must be an integer, and overflow is an error.
func looksInt(s string) bool {
	s = strings.TrimLeft(s, cSpace)
	if s != "" && (s[0] == '+' || s[0] == '-') {
		s = s[1:]
	}
	return strings.Trim(s, "0123456789") == ""
}

func parseInt(s string) (value, error) {
	i, err := strconv.ParseInt(strings.TrimLeft(s, cSpace), 10, 64)
	if err == nil {
		return intValue(i), nil
	}
	if strings.ContainsAny(s, "0123456789") {
		return value{}, fmt.Errorf("value %q is out of range for type bigint", s)
	}
	return value{}, fmt.Errorf("invalid input syntax for type bigint: %q", s)
}

// parseDouble reads what C's strtod reads. A result too large, or so small that
// digits are lost, is not ok: strtod calls both out of range.
func parseDouble(s string) (float64, bool) {
	if strings.ContainsAny(s, "xX") && !strings.ContainsAny(s, "pP") {
		s += "p0" // Go wants the exponent of a hexadecimal double
	}
	d, err := strconv.ParseFloat(s, 64)
	if err != nil || strings.Contains(s, "_") {
		return 0, false
	}
	const smallestNormal = 0x1p-1022
	if math.Abs(d) < smallestNormal {
		mantissa, _, _ := strings.Cut(strings.ToLower(s), "e")
		return d, d == 0 && !strings.ContainsAny(mantissa, "123456789")
	}
	return d, true
}
