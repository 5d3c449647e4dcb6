package script

import (
	"math"
	"math/bits"
)

// State is a stream of random numbers: xoroshiro128**, the generator that
// PostgreSQL has used since version 15, so that the same seed gives the same
// numbers as pgbench --random-seed. It is a plain value: assigning it keeps a
// point in the stream to come back to.
//
// The generator is Blackman and Vigna's, "Scrambled Linear Pseudorandom Number
// Generators" (2021), seeded by Steele, Lea and Flood's SplitMix64.
type State struct{ s0, s1 uint64 }

// NewState returns the stream with that seed.
func NewState(seed uint64) State {
	s := State{splitMix(seed + golden), splitMix(seed + golden + golden)}
	if s == (State{}) {
		// All zeroes is a fixed point; PostgreSQL takes Knuth's constants.
		s = State{0x5851F42D4C957F2D, 0x14057B7EF767814F}
	}
	return s
}

const golden = 0x9E3779B97F4A7C15 // 2^64 divided by the golden ratio: SplitMix64's step

func splitMix(z uint64) uint64 {
	z = (z ^ z>>30) * 0xBF58476D1CE4E5B9
	z = (z ^ z>>27) * 0x94D049BB133111EB
	return z ^ z>>31
}

// Uint64 returns the next number.
func (s *State) Uint64() uint64 {
	n := bits.RotateLeft64(s.s0*5, 7) * 9
	x := s.s0 ^ s.s1
	s.s0 = bits.RotateLeft64(s.s0, 24) ^ x ^ x<<16
	s.s1 = bits.RotateLeft64(x, 37)
	return n
}

// Float64 returns the next number in [0, 1), with 52 bits.
func (s *State) Float64() float64 {
	return float64(s.Uint64()>>12) * 0x1p-52
}

// upTo returns a number in [0, most]. It takes as many bits as most has and
// tries again when they make a larger number, so how far the stream moves
// depends on the numbers drawn.
func (s *State) upTo(most uint64) uint64 {
	if most == 0 {
		return 0
	}
	for {
		if n := s.Uint64() >> bits.LeadingZeros64(most); n <= most {
			return n
		}
	}
}

// Uniform returns a number in [low, high]. high-low must not overflow.
func (s *State) Uniform(low, high int64) int64 {
	return low + int64(s.upTo(uint64(high-low)))
}

// exponential returns a number in [low, high]; the density falls by the factor
// exp(-parameter) from one end to the other.
func (s *State) exponential(low, high int64, parameter float64) int64 {
	tail := exp(-parameter)
	uniform := 1 - s.Float64()
	x := -log(tail+float64((1-tail)*uniform)) / parameter
	return low + int64(float64(high-low+1)*x)
}

// gaussian returns a number in [low, high], normally distributed around the
// middle and cut at parameter standard deviations (Box and Muller 1958).
func (s *State) gaussian(low, high int64, parameter float64) int64 {
	for {
		u := 1 - s.Float64()
		v := 1 - s.Float64()
		deviation := math.Sqrt(-2*log(u)) * sin(2*math.Pi*v)
		if deviation >= -parameter && deviation < parameter {
			x := (deviation + parameter) / (parameter * 2)
			return low + int64(float64(high-low+1)*x)
		}
	}
}

// zipfian returns a number in [low, high]; the k-th has a weight of k^-s, s > 1.
// The method is rejection from a continuous envelope: Devroye, "Non-Uniform
// Random Variate Generation" (1986), X.6.1.
func (s *State) zipfian(low, high int64, exponent float64) int64 {
	n := high - low + 1
	if n <= 1 {
		return low
	}
	b := pow(2, exponent-1)
	for {
		u, v := s.Float64(), s.Float64()
		if math.Pow(u, -1/(exponent-1)) > 1.01*float64(n)+1 {
			continue // too large whatever the last digits are; most draws are
		}
		x := math.Floor(pow(u, -1/(exponent-1)))
		t := pow(1+1/x, exponent-1)
		if v*x*(t-1)/(b-1) <= t/b && x <= float64(n) {
			return low - 1 + int64(x)
		}
	}
}

// permute returns the place of v in a pseudorandom permutation of [0, size) that
// the seed chooses. Each of six rounds mixes the lower and then the upper
// 2^bits numbers, the largest power of two that fits (the two ranges overlap),
// and then turns the whole range by a random offset. Every step can be undone,
// so two numbers never meet.
func permute(v, size, seed int64) int64 {
	if size < 2 {
		return 0
	}
	n, s := uint64(size), NewState(uint64(seed))
	x := uint64(v) % n
	width := bits.Len64(n) - 1
	for range 6 {
		x = s.mix(x, width)
		x = n - 1 - s.mix(n-1-x, width)
		x = (x + s.upTo(n-1)) % n
	}
	return int64(x)
}

// mix multiplies by an odd number, flips bits and turns the number by one bit,
// all within width bits; larger numbers stay as they are. It draws two numbers
// either way.
func (s *State) mix(x uint64, width int) uint64 {
	mask := uint64(1)<<width - 1
	factor, flip := s.Uint64()&mask|1, s.Uint64()&mask
	if x > mask {
		return x
	}
	x = (x*factor ^ flip) & mask
	return x<<1&mask | x>>(width-1)
}

// fnv1a is the 64-bit FNV-1a hash (Fowler, Noll, Vo) of the eight bytes of v,
// lowest first; the seed goes into the offset basis.
func fnv1a(v, seed int64) int64 {
	h := 0xCBF29CE484222325 ^ uint64(seed)
	for range 8 {
		h = (h ^ uint64(v)&0xFF) * 0x100000001B3
		v >>= 8
	}
	return int64(h)
}

// murmur2 is Appleby's MurmurHash64A of the eight bytes of v.
func murmur2(v, seed int64) int64 {
	const m, r = 0xC6A4A7935BD1E995, 47
	k := uint64(v) * m
	k = (k ^ k>>r) * m
	var length uint64 = 8
	h := uint64(seed) ^ length*m
	h = (h ^ k) * m
	h = (h ^ h>>r) * m
	return int64(h ^ h>>r)
}
