// Package value writes values of PostgreSQL's binary format as the server
// writes them in its text format, for the types that applications bind and read
// most. It is not a type mapping: nothing comes out but text, and a type that it
// does not know comes out as the bytes, in the form of bytea.
//
// The proxy in probes/wire uses it. Times are written in ISO style and UTC, as
// with DateStyle ISO and TimeZone UTC.
package value

import (
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// The types by their number in pg_type, which never change.
const (
	boolean     = 16
	bytea       = 17
	char        = 18
	name        = 19
	int8        = 20
	int2        = 21
	int4        = 23
	text        = 25
	oid         = 26
	json        = 114
	xml         = 142
	float4      = 700
	float8      = 701
	unknown     = 705
	bpchar      = 1042
	varchar     = 1043
	date        = 1082
	timeOfDay   = 1083
	timestamp   = 1114
	timestamptz = 1184
	interval    = 1186
	numeric     = 1700
	uuid        = 2950
	jsonb       = 3802
)

// element is the type of the elements of an array type.
func element(typ uint32) (uint32, bool) {
	switch typ {
	case 1000:
		return boolean, true
	case 1001:
		return bytea, true
	case 1005:
		return int2, true
	case 1007:
		return int4, true
	case 1009:
		return text, true
	case 1015:
		return varchar, true
	case 1016:
		return int8, true
	case 1021:
		return float4, true
	case 1022:
		return float8, true
	case 1115:
		return timestamp, true
	case 1182:
		return date, true
	case 1185:
		return timestamptz, true
	case 1231:
		return numeric, true
	case 2951:
		return uuid, true
	case 3807:
		return jsonb, true
	}
	return 0, false
}

// Text writes a value that is not NULL. Format is 0 for text, which comes back
// as it is, and 1 for binary.
func Text(typ uint32, format int, b []byte) string {
	if format == 0 {
		return string(b)
	}
	if s, ok := scalar(typ, b); ok {
		return s
	}
	if elem, ok := element(typ); ok {
		if s, ok := array(elem, b); ok {
			return s
		}
	}
	return `\x` + hex.EncodeToString(b)
}

// scalar writes a value of a known type, ok false when the type is unknown or
// the bytes are none of it.
func scalar(typ uint32, b []byte) (string, bool) {
	switch typ {
	case text, varchar, bpchar, name, json, xml, unknown, char:
		return string(b), true
	case jsonb:
		if len(b) > 0 && b[0] == 1 {
			return string(b[1:]), true
		}
	case uuid:
		if len(b) == 16 {
			return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:]), true
		}
	case numeric:
		return decimal(b)
	case interval:
		return span(b)
	}
	switch len(b) {
	case 1:
		return flag(typ, b[0])
	case 2:
		if typ == int2 {
			return strconv.Itoa(int(int16(binary.BigEndian.Uint16(b)))), true
		}
	case 4:
		return four(typ, binary.BigEndian.Uint32(b))
	case 8:
		return eight(typ, binary.BigEndian.Uint64(b))
	}
	return "", false
}

func flag(typ uint32, b byte) (string, bool) {
	if typ != boolean {
		return "", false
	}
	if b == 0 {
		return "f", true
	}
	return "t", true
}

func four(typ, n uint32) (string, bool) {
	switch typ {
	case int4:
		return strconv.Itoa(int(int32(n))), true
	case oid:
		return strconv.FormatUint(uint64(n), 10), true
	case float4:
		return float(float64(math.Float32frombits(n)), 32), true
	case date:
		return day(int32(n)), true
	}
	return "", false
}

func eight(typ uint32, n uint64) (string, bool) {
	switch typ {
	case int8:
		return strconv.FormatInt(int64(n), 10), true
	case float8:
		return float(math.Float64frombits(n), 64), true
	case timestamp:
		return moment(int64(n), ""), true
	case timestamptz:
		return moment(int64(n), "+00"), true
	case timeOfDay:
		return clock(int64(n)), true
	}
	return "", false
}

// float writes the shortest digits that give the number back, as PostgreSQL 12
// and newer do.
func float(f float64, bits int) string {
	switch {
	case math.IsNaN(f):
		return "NaN"
	case math.IsInf(f, 1):
		return "Infinity"
	case math.IsInf(f, -1):
		return "-Infinity"
	}
	digits := 15 // an exponent from -4 up to here is written without one
	if bits == 32 {
		digits = 6
	}
	s := strconv.FormatFloat(f, 'e', -1, bits)
	_, exponent, _ := strings.Cut(s, "e")
	if exp, err := strconv.Atoi(exponent); err == nil && exp >= -4 && exp < digits {
		return strconv.FormatFloat(f, 'f', -1, bits)
	}
	return s
}
