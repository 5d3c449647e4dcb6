package script

import (
	"errors"
	"fmt"
	"math"
)

func (n constant) eval(*Machine) (value, error) { return n.value, nil }

func (n variable) eval(m *Machine) (value, error) {
	v, ok := m.vars[n.name]
	if !ok {
		return value{}, fmt.Errorf("undefined variable %q", n.name)
	}
	return v.typed(n.name)
}

// eval evaluates all arguments in order, as pgbench does even when one of them
// is NULL already: the random numbers they take are taken.
func (n call) eval(m *Machine) (value, error) {
	var args [3]value
	null := false
	for i, a := range n.args {
		v, err := a.eval(m)
		if err != nil {
			return value{}, err
		}
		args[i] = v
		null = null || v.kind == kindNull
	}
	if null && n.op != opIs && n.op != opIsNot && n.op != opDebug {
		return value{}, nil
	}
	return m.apply(n.op, args)
}

func (n logic) eval(m *Machine) (value, error) {
	left, err := n.left.eval(m)
	if err != nil || left.kind == kindNull {
		// NULL and FALSE is NULL in pgbench; in SQL it would be FALSE.
		return value{}, err
	}
	b, err := left.toBool()
	if err != nil || b == n.or {
		return boolValue(b), err
	}
	right, err := n.right.eval(m)
	if err != nil || right.kind == kindNull {
		return value{}, err
	}
	b, err = right.toBool()
	return boolValue(b), err
}

func (n choice) eval(m *Machine) (value, error) {
	last := len(n.parts) - 1
	for i := 0; i < last; i += 2 {
		v, err := n.parts[i].eval(m)
		if err != nil {
			return value{}, err
		}
		if v.truth() {
			return n.parts[i+1].eval(m)
		}
	}
	return n.parts[last].eval(m)
}

func (n extremum) eval(m *Machine) (value, error) {
	var args [maxArgs]value
	double, null := false, false
	for i, a := range n.args {
		v, err := a.eval(m)
		if err != nil {
			return value{}, err
		}
		args[i] = v
		null = null || v.kind == kindNull
		double = double || v.kind == kindDouble
	}
	switch {
	case null:
		return value{}, nil
	case double:
		return extremeDouble(args[:len(n.args)], n.op == opLeast)
	}
	return extremeInt(args[:len(n.args)], n.op == opLeast)
}

func extremeInt(args []value, least bool) (value, error) {
	best, err := args[0].toInt()
	for _, a := range args[1:] {
		i, e := a.toInt()
		if err = errors.Join(err, e); err != nil {
			break
		}
		if (i < best) == least {
			best = i
		}
	}
	return intValue(best), err
}

func extremeDouble(args []value, least bool) (value, error) {
	best, err := args[0].toDouble()
	for _, a := range args[1:] {
		d, e := a.toDouble()
		if err = errors.Join(err, e); err != nil {
			break
		}
		// Written as pgbench does, so that NaN is taken or left alike.
		if least && !(best < d) || !least && !(best > d) {
			best = d
		}
	}
	return doubleValue(best), err
}

// apply computes an operator or a function; no argument is NULL, but for is and
// debug.
func (m *Machine) apply(o op, a [3]value) (value, error) {
	switch o {
	case opAdd, opSub, opMul, opDiv, opLess, opLessEqual, opEqual, opNotEqual:
		if a[0].kind == kindDouble || a[1].kind == kindDouble {
			return arithDouble(o, a[0], a[1])
		}
		return arithInt(o, a[0], a[1])
	case opMod, opAnd, opOr, opXor, opShiftLeft, opShiftRight:
		return arithInt(o, a[0], a[1])
	case opNegate:
		return m.apply(opSub, [3]value{intValue(0), a[0]})
	case opComplement:
		return arithInt(opXor, intValue(-1), a[0])
	case opNot:
		b, err := a[0].toBool()
		return boolValue(!b), err
	case opIs, opIsNot:
		same := a[0].kind == a[1].kind && a[0].i == a[1].i
		return boolValue(same == (o == opIs)), nil
	case opDebug:
		m.debug(a[0])
		return a[0], nil
	case opRandom, opExponential, opGaussian, opZipfian:
		return m.draw(o, a)
	}
	return pure(o, a)
}

// pure computes the functions that depend on their arguments alone.
func pure(o op, a [3]value) (value, error) {
	switch o {
	case opPi:
		return doubleValue(math.Pi), nil
	case opAbs:
		return absolute(a[0])
	case opInt:
		i, err := a[0].toInt()
		return intValue(i), err
	case opMurmur, opFNV, opPermute:
		return scramble(o, a)
	}
	x, err := a[0].toDouble()
	if err != nil {
		return value{}, err
	}
	switch o {
	case opSqrt:
		x = math.Sqrt(x)
	case opLn:
		x = log(x)
	case opExp:
		x = exp(x)
	case opPow:
		var y float64
		y, err = a[1].toDouble()
		x = pow(x, y)
	}
	return doubleValue(x), err
}

func absolute(v value) (value, error) {
	switch {
	case v.kind == kindBool:
		return value{}, errors.New("cannot coerce boolean to int")
	case v.i < 0:
		v.i = -v.i
	case v.d < 0:
		v.d = -v.d
	}
	return v, nil
}

func scramble(o op, a [3]value) (value, error) {
	var n [3]int64
	for i := range n {
		if i == 2 && o != opPermute {
			break
		}
		var err error
		if n[i], err = a[i].toInt(); err != nil {
			return value{}, err
		}
	}
	switch {
	case o == opMurmur:
		return intValue(murmur2(n[0], n[1])), nil
	case o == opFNV:
		return intValue(fnv1a(n[0], n[1])), nil
	case n[1] <= 0:
		return value{}, errors.New("permute size parameter must be greater than zero")
	}
	return intValue(permute(n[0], n[1], n[2])), nil
}

// Limits of the parameters of the distributions (pgbench manual).
const (
	minGaussian = 2.0
	minZipfian  = 1.001
	maxZipfian  = 1000.0
)

// draw takes a random number.
func (m *Machine) draw(o op, a [3]value) (value, error) {
	low, err := a[0].toInt()
	if err != nil {
		return value{}, err
	}
	high, err := a[1].toInt()
	switch {
	case err != nil:
		return value{}, err
	case low > high:
		return value{}, errors.New("empty range given to random")
	case high-low < 0 || high-low == math.MaxInt64:
		return value{}, errors.New("random range is too large")
	case o == opRandom:
		return intValue(m.random.Uniform(low, high)), nil
	}
	p, err := a[2].toDouble()
	if err != nil {
		return value{}, err
	}
	switch {
	case o == opGaussian && p < minGaussian:
		return value{}, fmt.Errorf("gaussian parameter must be at least %f (not %f)", minGaussian, p)
	case o == opZipfian && (p < minZipfian || p > maxZipfian):
		return value{}, fmt.Errorf("zipfian parameter must be in range [%.3f, %.0f] (not %f)", minZipfian, maxZipfian, p)
	case o == opExponential && p <= 0:
		return value{}, fmt.Errorf("exponential parameter must be greater than zero (not %f)", p)
	case o == opGaussian:
		return intValue(m.random.gaussian(low, high, p)), nil
	case o == opZipfian:
		return intValue(m.random.zipfian(low, high, p)), nil
	}
	return intValue(m.random.exponential(low, high, p)), nil
}
