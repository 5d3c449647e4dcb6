package ledger

import (
	"math/big"
	"testing"

	"pgregory.net/rapid"
)

func TestAmountIsExact(t *testing.T) {
	number := rapid.OneOf(
		rapid.Custom(func(t *rapid.T) string { return big.NewInt(rapid.Int64().Draw(t, "n")).String() }),
		rapid.StringMatching(`-?[0-9]{1,25}(\.[0-9]{1,12})?`),
	)
	rapid.Check(t, func(t *rapid.T) {
		var sum amount
		want := new(big.Rat)
		for _, s := range rapid.SliceOf(number).Draw(t, "numbers") {
			a, ok := parse(s)
			r, ok2 := new(big.Rat).SetString(s)
			if !ok || !ok2 {
				t.Fatalf("%q is no number", s)
			}
			sum = sum.plus(a)
			want.Add(want, r)
		}
		if sum.big().Cmp(want) != 0 {
			t.Fatalf("sum %s, want %s", sum, want.RatString())
		}
		if back, ok := parse(sum.String()); !ok || back.minus(sum).sign() != 0 {
			t.Fatalf("%s does not read back", sum)
		}
	})
}

func TestParseRefuses(t *testing.T) {
	for _, s := range []string{"", "NaN", "Infinity", "1/3", "0x10", "1e999999999", "1_000", "abc"} {
		if a, ok := parse(s); ok {
			t.Errorf("parse(%q) = %s", s, a)
		}
	}
}
