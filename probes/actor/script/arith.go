package script

import (
	"errors"
	"math"
	"math/bits"
)

func arithDouble(o op, left, right value) (value, error) {
	l, err := left.toDouble()
	if err != nil {
		return value{}, err
	}
	r, err := right.toDouble()
	if err != nil {
		return value{}, err
	}
	switch o {
	case opAdd:
		return doubleValue(l + r), nil
	case opSub:
		return doubleValue(l - r), nil
	case opMul:
		return doubleValue(l * r), nil
	case opDiv:
		return doubleValue(l / r), nil
	case opLess:
		return boolValue(l < r), nil
	case opLessEqual:
		return boolValue(l <= r), nil
	case opEqual:
		return boolValue(l == r), nil
	}
	return boolValue(l != r), nil
}

func arithInt(o op, left, right value) (value, error) {
	l, err := left.toInt()
	if err != nil {
		return value{}, err
	}
	r, err := right.toInt()
	if err != nil {
		return value{}, err
	}
	switch o {
	case opAdd, opSub, opMul, opDiv, opMod:
		i, err := checked(o, l, r)
		return intValue(i), err
	case opLess:
		return boolValue(l < r), nil
	case opLessEqual:
		return boolValue(l <= r), nil
	case opEqual:
		return boolValue(l == r), nil
	case opNotEqual:
		return boolValue(l != r), nil
	}
	return intValue(bitwise(o, l, r)), nil
}

var (
	errAdd    = errors.New("bigint add out of range")
	errSub    = errors.New("bigint sub out of range")
	errMul    = errors.New("bigint mul out of range")
	errDiv    = errors.New("bigint div out of range")
	errByZero = errors.New("division by zero")
)

// checked computes with an error on overflow. Division cuts towards zero, and
// the remainder has the sign of the dividend.
func checked(o op, l, r int64) (int64, error) {
	switch {
	case o == opAdd:
		if sum := l + r; (sum > l) == (r > 0) {
			return sum, nil
		}
		return 0, errAdd
	case o == opSub:
		if d := l - r; (d < l) == (r > 0) {
			return d, nil
		}
		return 0, errSub
	case o == opMul:
		return multiply(l, r)
	case r == 0:
		return 0, errByZero
	case o == opMod:
		return l % r, nil
	case l == math.MinInt64 && r == -1:
		return 0, errDiv
	}
	return l / r, nil
}

func multiply(l, r int64) (int64, error) {
	high, low := bits.Mul64(magnitude(l), magnitude(r))
	negative := (l < 0) != (r < 0)
	limit := uint64(math.MaxInt64)
	if negative {
		limit++
	}
	if high != 0 || low > limit {
		return 0, errMul
	}
	return l * r, nil
}

func magnitude(i int64) uint64 {
	if i < 0 {
		return -uint64(i)
	}
	return uint64(i)
}

// bitwise computes &, |, #, << and >>. The distance of a shift is taken modulo
// 64, which is what processors do and so what pgbench does.
func bitwise(o op, l, r int64) int64 {
	switch o {
	case opAnd:
		return l & r
	case opOr:
		return l | r
	case opXor:
		return l ^ r
	case opShiftLeft:
		return l << (uint64(r) & 63)
	}
	return l >> (uint64(r) & 63)
}
