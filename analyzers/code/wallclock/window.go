package wallclock

import (
	"go/token"
	"regexp"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/ccheck/ccheck/analyzers/internal/cfg"
	"github.com/ccheck/ccheck/analyzers/internal/place"
	"github.com/ccheck/ccheck/analyzers/internal/tell"
)

var (
	signedName = regexp.MustCompile(`(?i)webhook|signature|hmac|verify|signed|replay|freshness|callback`)
	stampName  = regexp.MustCompile(`(?i)time_?stamp|^ts$|sent_?at|issued`)
)

// window finds the time of a signed request tested on one side only.
func (j *judge) window(fn *ssa.Function) {
	signs := signed(fn)
	cfg.Each(fn, func(in ssa.Instruction) {
		if c, ok := j.comparison(in); ok && signs && parsed(c.other) {
			j.oneSided(c.at, "is compared to the local clock itself, without a tolerance")
			return
		}
		if d, ok := in.(ssa.Value); ok && j.age(d) && (signs || signedAt(j.agedBy(d))) && oneBound(d) {
			j.oneSided(d.Pos(), "is bounded on one side only: a time in the future has a negative age and always passes")
		}
	})
}

func (j *judge) oneSided(at token.Pos, what string) {
	j.Found(at, tell.Story(
		"the time of a signed request "+what,
		"  the sender's clock is ahead by 30 s, or the request was signed for tomorrow",
		"  the receiver refuses a good request, or takes a captured one again and again until its time has come",
		"fix: refuse when the distance is above the tolerance either way, now.Sub(t).Abs() > 5*time.Minute, and remember the ids seen within the window",
	), nil)
}

// signedAt tells whether a time was parsed from a header that says when a request was
// signed.
func signedAt(v ssa.Value) bool {
	name, response := header(v)
	return !response && signedHeader.MatchString(name)
}

// age tells whether d is the distance from a parsed time to now.
func (j *judge) age(d ssa.Value) bool {
	switch d := d.(type) {
	case *ssa.Call:
		name := place.CalleeName(d.Common())
		return name == "time.Since" && parsed(d.Call.Args[0]) ||
			name == "(time.Time).Sub" && j.clock.of(d.Call.Args[0]).ok && parsed(d.Call.Args[1])
	case *ssa.BinOp:
		return d.Op == token.SUB && j.clock.of(d.X).ok && parsed(d.Y)
	}
	return false
}

// oneBound tells whether a distance is compared once, upwards, and never made absolute.
func oneBound(d ssa.Value) bool {
	if clamped(d) {
		return false
	}
	n := 0
	for _, r := range *d.Referrers() {
		switch r := r.(type) {
		case *ssa.BinOp:
			if _, comparison := negated[r.Op]; !comparison {
				return false
			}
			n++
		case *ssa.UnOp:
			return false
		case *ssa.Call:
			if !oneBound(r) {
				return false
			}
			n++
		}
	}
	return n == 1
}

var negated = map[token.Token]bool{token.LSS: true, token.GTR: true, token.LEQ: true, token.GEQ: true}

// signed tells whether a function has to do with signed requests.
func signed(fn *ssa.Function) bool {
	if signedName.MatchString(fn.String()) {
		return true
	}
	found := false
	cfg.Each(fn, func(in ssa.Instruction) {
		if c, ok := in.(ssa.CallInstruction); ok {
			name := place.CalleeName(c.Common())
			found = found || strings.HasPrefix(name, "crypto/hmac.") || strings.HasPrefix(name, "crypto/subtle.")
		}
	})
	return found
}

// parsed tells whether a value was read out of a text, or carries the time in its name.
func parsed(v ssa.Value) bool {
	for range 8 {
		switch w := v.(type) {
		case *ssa.Extract:
			v = w.Tuple
		case *ssa.Convert:
			v = w.X
		case *ssa.UnOp:
			v = w.X
		case *ssa.Parameter:
			return stampName.MatchString(w.Name())
		case *ssa.FieldAddr:
			return stampName.MatchString(place.FieldOf(w.X.Type(), w.Field).Name())
		case *ssa.Field:
			return stampName.MatchString(place.FieldOf(w.X.Type(), w.Field).Name())
		case *ssa.Call:
			switch place.CalleeName(w.Common()) {
			case "strconv.ParseInt", "strconv.Atoi", "strconv.ParseUint", "strconv.ParseFloat", "time.Parse":
				return true
			case "time.Unix", "time.UnixMilli", "(time.Time).UTC", "(time.Time).Unix":
				v = w.Call.Args[0]
			default:
				return false
			}
		default:
			return false
		}
	}
	return false
}
