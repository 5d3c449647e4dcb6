package fault

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Parse reads a fault as a person writes it:
//
//	delay 0-5ms                       between all statements
//	delay 20ms at answer of COMMIT
//	cut at answer of COMMIT number 3
//	reset at send of UPDATE
//	throttle 100000                   bytes a second
//
// The point is send when none is named.
func Parse(text string) (Fault, error) {
	words := strings.Fields(text)
	if len(words) == 0 {
		return Fault{}, fmt.Errorf("fault %q: say what goes wrong, such as %q", text, "cut at answer of COMMIT")
	}
	f := Fault{Kind: Kind(words[0]), Point: Send}
	rest, err := f.amount(words[1:])
	if err != nil {
		return Fault{}, fmt.Errorf("fault %q: %w", text, err)
	}
	if err := f.clauses(rest); err != nil {
		return Fault{}, fmt.Errorf("fault %q: %w", text, err)
	}
	return f, f.check()
}

// amount reads what follows the kind and returns the other words.
func (f *Fault) amount(words []string) ([]string, error) {
	if f.Kind != Delay && f.Kind != Throttle {
		return words, nil
	}
	if len(words) == 0 {
		return nil, fmt.Errorf("%s needs an amount", f.Kind)
	}
	if f.Kind == Throttle {
		rate, err := strconv.Atoi(words[0])
		if err != nil {
			return nil, fmt.Errorf("%q is no number of bytes a second", words[0])
		}
		f.Rate = rate
		return words[1:], nil
	}
	var err error
	f.Min, f.Max, err = ParseRange(words[0])
	return words[1:], err
}

// ParseRange reads "20ms" or "0-5ms". A bound without a unit has that of the other.
func ParseRange(text string) (shortest, longest time.Duration, err error) {
	low, high, both := strings.Cut(text, "-")
	if !both {
		high = low
	}
	if longest, err = time.ParseDuration(high); err != nil {
		return 0, 0, fmt.Errorf("%q is no time, such as 20ms or 0-5ms", text)
	}
	if _, plain := strconv.ParseFloat(low, 64); plain == nil {
		low += strings.TrimLeft(high, "0123456789.")
	}
	if shortest, err = time.ParseDuration(low); err != nil {
		return 0, 0, fmt.Errorf("%q is no time, such as 20ms or 0-5ms", text)
	}
	return shortest, longest, nil
}

// clauses reads pairs of words: at POINT, of VERB, number N.
func (f *Fault) clauses(words []string) error {
	for ; len(words) > 0; words = words[2:] {
		if len(words) == 1 {
			return fmt.Errorf("nothing follows %q", words[0])
		}
		switch words[0] {
		case "at":
			f.Point = Point(words[1])
		case "of":
			f.Verb = strings.ToUpper(words[1])
		case "number":
			n, err := strconv.Atoi(words[1])
			if err != nil || n < 1 {
				return fmt.Errorf("%q is no number of a statement, from 1", words[1])
			}
			f.Nth = n
		default:
			return fmt.Errorf("%q is not understood: write at POINT, of VERB or number N", words[0])
		}
	}
	return nil
}
