package script

import "math"

// The functions of this file give the double nearest to the true result. The C
// library that pgbench uses does so in all but a few cases in a thousand, while
// package math is off by up to hundreds of units in the last place (Pow); where
// a distribution rounds down to an integer, that would make another number.
//
// They compute with the sum of two doubles, about 106 bits (Dekker, "A
// Floating-Point Technique for Extending the Available Precision", 1971).
// Arguments at the edges (zero, infinite, results near overflow) go to package
// math.

// double2 is the sum hi+lo, where lo is less than half a unit of hi.
type double2 struct{ hi, lo float64 }

// sum2 adds exactly, provided that a is the larger in magnitude.
func sum2(a, b float64) double2 {
	s := a + b
	return double2{s, b - (s - a)}
}

func (a double2) plus(b double2) double2 {
	s := a.hi + b.hi
	v := s - a.hi
	e := (a.hi - (s - v)) + (b.hi - v)
	return sum2(s, e+a.lo+b.lo)
}

func (a double2) times(b double2) double2 {
	p := a.hi * b.hi
	e := math.FMA(a.hi, b.hi, -p)
	e = math.FMA(a.hi, b.lo, e)
	return sum2(p, math.FMA(a.lo, b.hi, e))
}

// scaled multiplies by a power of two.
func (a double2) scaled(f float64) double2 { return double2{a.hi * f, a.lo * f} }

func (a double2) over(n float64) double2 {
	q := a.hi / n
	return sum2(q, (math.FMA(-q, n, a.hi)+a.lo)/n)
}

func (a double2) float() float64 { return a.hi + a.lo }

var (
	ln2    = double2{0x1.62e42fefa39efp-1, 0x1.abc9e3b39803fp-56}
	halfPi = double2{0x1.921fb54442d18p+0, 0x1.1a62633145c07p-54}
)

// exp2 returns exp(x) as (1+p)*2^k with p = exp(r)-1: p keeps its precision when
// x is near zero.
func exp2(x double2) (p double2, k float64) {
	k = math.Round(x.hi / ln2.hi)
	// Halve eight times, sum the series, and undo: exp(2r)-1 = 2p + p*p.
	r := x.plus(ln2.times(double2{-k, 0})).scaled(0x1p-8)
	term := r
	p = r
	for n := 2.0; n <= 10; n++ {
		term = term.times(r).over(n)
		p = p.plus(term)
	}
	for range 8 {
		p = p.scaled(2).plus(p.times(p))
	}
	return p, k
}

// log2d returns the natural logarithm of a positive normal x: one Newton step
// from the value of package math.
func log2d(x float64) double2 {
	y := math.Log(x)
	p, k := exp2(double2{-y, 0})
	z := math.Ldexp(x, int(k))
	// z is near 1, so z-1 is exact, and t is the small error of y.
	t := double2{z - 1, 0}.plus(p.times(double2{z, 0}))
	t = t.plus(double2{-t.hi * t.hi / 2, 0})
	return sum2(y, t.hi).plus(double2{t.lo, 0})
}

// edge is the magnitude of an exponent beyond which a result may be out of the
// normal range.
const edge = 708

func exp(x float64) float64 {
	if !(math.Abs(x) < edge) {
		return math.Exp(x)
	}
	return expOf(double2{x, 0})
}

func expOf(x double2) float64 {
	p, k := exp2(x)
	return math.Ldexp(double2{1, 0}.plus(p).float(), int(k))
}

func log(x float64) float64 {
	if !isPositiveNormal(x) || x == 1 {
		return math.Log(x)
	}
	return log2d(x).float()
}

func isPositiveNormal(x float64) bool { return x >= 0x1p-1022 && x <= math.MaxFloat64 }

func pow(x, y float64) float64 {
	a := math.Abs(x)
	if !isPositiveNormal(a) || a == 1 || y == 0 || x < 0 && y != math.Trunc(y) {
		return math.Pow(x, y)
	}
	e := log2d(a).times(double2{y, 0})
	if !(math.Abs(e.hi) < edge) {
		return math.Pow(x, y)
	}
	result := expOf(e)
	if x < 0 && math.Mod(y, 2) != 0 {
		return -result
	}
	return result
}

// sin is for angles of a few turns at most.
func sin(x float64) float64 {
	if !(math.Abs(x) < 100) || x == 0 {
		return math.Sin(x)
	}
	k := math.Round(x / halfPi.hi)
	r := double2{x, 0}.plus(halfPi.times(double2{-k, 0}))
	quarter := int(k) & 3
	// The series of the sine begins with r, that of the cosine with 1.
	term, n := r, 1.0
	if quarter&1 == 1 {
		term, n = double2{1, 0}, 0
	}
	square := r.times(r)
	total := term
	for ; n < 28; n += 2 {
		term = term.times(square).over(-(n + 1) * (n + 2))
		total = total.plus(term)
	}
	if quarter >= 2 {
		return -total.float()
	}
	return total.float()
}
