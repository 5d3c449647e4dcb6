package isolation

import "strings"

// near says whether two names differ in case alone, or by one letter that is
// missing or another. Step names are short: with two letters of play "r1" would
// be near "w2".
func near(a, b string) bool {
	if strings.EqualFold(a, b) {
		return true
	}
	if len(a) > len(b) {
		a, b = b, a
	}
	if len(b) < 3 || len(b)-len(a) > 1 {
		return false
	}
	i := 0
	for i < len(a) && a[i] == b[i] {
		i++
	}
	if len(a) < len(b) {
		return a[i:] == b[i+1:]
	}
	return i == len(a) || a[i+1:] == b[i+1:]
}
