package sqlread

import (
	"math/big"
	"strings"
)

// sum is "$1 - 1": what an application reckons in the statement with values
// that it has. It needs no row, so it can be told without the server.
type sum struct {
	terms    []Value
	negative []bool
}

// sum reads the terms in [lo, hi); it is nil when one of them is more than a
// parameter or a literal, and for a single one.
func (p *parser) sum(lo, hi int) made {
	s := &sum{}
	for i, negative := lo, false; i < hi; {
		end := p.after(i)
		for end < hi && !p.toks[end].is("+") && !p.toks[end].is("-") {
			end = p.after(end)
		}
		if i == lo && end >= hi {
			return nil
		}
		v := p.value(i, min(end, hi))
		if v.Kind != Param && v.Kind != Literal || v.Func != "" || v.Array {
			return nil
		}
		s.terms, s.negative = append(s.terms, v), append(s.negative, negative)
		if end < hi {
			negative = p.toks[end].is("-")
		}
		i = end + 1
	}
	if len(s.terms) < 2 {
		return nil
	}
	return s
}

// resolve returns the total when every term is a decimal number.
func (s *sum) resolve(args Args) ([]string, bool) {
	total, digits := new(big.Rat), 0
	for i, v := range s.terms {
		texts, ok := v.Resolve(args)
		if !ok || len(texts) != 1 || strings.Trim(texts[0], "-0123456789.") != "" {
			return nil, false
		}
		x, ok := new(big.Rat).SetString(texts[0])
		if !ok {
			return nil, false
		}
		if s.negative[i] {
			x.Neg(x)
		}
		total.Add(total, x)
		_, fraction, _ := strings.Cut(texts[0], ".")
		digits = max(digits, len(fraction))
	}
	return []string{total.FloatString(digits)}, true
}
