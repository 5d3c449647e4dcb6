package ledger

import (
	"math/big"
	"strconv"
	"strings"
)

// amount is an exact number. Nearly all of them fit into an int64, and a
// history has millions; the others are rationals.
type amount struct {
	n   int64
	rat *big.Rat // when set, the value; n is not used then
}

// parse reads a number as PostgreSQL writes it. ok is false for NaN, Infinity
// and anything that is no number.
func parse(s string) (a amount, ok bool) {
	if n, err := strconv.ParseInt(s, 10, 64); err == nil {
		return amount{n: n}, true
	}
	if strings.ContainsAny(s, "/_xXpP") {
		return amount{}, false
	}
	if i := strings.IndexAny(s, "eE"); i >= 0 {
		// A huge exponent would make a huge number out of few bytes.
		if e, err := strconv.Atoi(s[i+1:]); err != nil || e > 400 || e < -400 {
			return amount{}, false
		}
	}
	r, ok := new(big.Rat).SetString(s)
	return amount{rat: r}, ok
}

func (a amount) big() *big.Rat {
	if a.rat != nil {
		return a.rat
	}
	return new(big.Rat).SetInt64(a.n)
}

func (a amount) plus(b amount) amount {
	if a.rat == nil && b.rat == nil {
		if sum := a.n + b.n; (sum > a.n) == (b.n > 0) {
			return amount{n: sum}
		}
	}
	return amount{rat: new(big.Rat).Add(a.big(), b.big())}
}

func (a amount) minus(b amount) amount {
	return amount{rat: new(big.Rat).Sub(a.big(), b.big())}
}

func (a amount) sign() int {
	if a.rat != nil {
		return a.rat.Sign()
	}
	return big.NewInt(a.n).Sign()
}

func (a amount) less(b amount) bool { return a.minus(b).sign() < 0 }

// String writes the number without a needless fraction.
func (a amount) String() string {
	if a.rat == nil {
		return strconv.FormatInt(a.n, 10)
	}
	if a.rat.IsInt() {
		return a.rat.Num().String()
	}
	digits, _ := a.rat.FloatPrec()
	return a.rat.FloatString(min(digits, 20))
}

// signed writes the number with its sign.
func (a amount) signed() string {
	if a.sign() > 0 {
		return "+" + a.String()
	}
	return a.String()
}
