package wallclock

import (
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/ccheck/ccheck/analyzers/internal/cfg"
	"github.com/ccheck/ccheck/analyzers/internal/place"
	"github.com/ccheck/ccheck/analyzers/internal/tell"
)

const jwt = "github.com/golang-jwt/jwt/v"

// signs tells whether the package signs tokens itself: then the clock that
// checks them is the one that made them, as far as anybody can see here.
func (j *judge) signs() bool {
	found := false
	for _, fn := range j.fns {
		cfg.Each(fn, func(in ssa.Instruction) {
			if c, ok := in.(ssa.CallInstruction); ok {
				name := place.CalleeName(c.Common())
				found = found || strings.Contains(name, jwt) && strings.HasSuffix(name, ".SignedString")
			}
		})
	}
	return found
}

// parser finds a token parser that was given no leeway.
func (j *judge) parser(fn *ssa.Function) {
	cfg.Each(fn, func(in ssa.Instruction) {
		c, ok := in.(*ssa.Call)
		if !ok {
			return
		}
		rest, ok := strings.CutPrefix(place.CalleeName(c.Common()), jwt)
		if !ok || len(c.Call.Args) == 0 {
			return
		}
		switch rest[1:] {
		case ".Parse", ".ParseWithClaims", ".NewParser", ".NewValidator":
		default:
			return
		}
		opts := c.Call.Args[len(c.Call.Args)-1]
		if hasLeeway(opts) {
			return
		}
		j.Found(c.Pos(), tell.Story(
			"tokens of another issuer are checked without leeway: this parser allows no skew between two clocks",
			"  the issuer, whose clock is 1 s ahead, sets nbf to 12:00:01",
			"  this service sees the token at 12:00:00 by its clock and refuses it: token is not valid yet",
			"fix: pass jwt.WithLeeway(time.Minute)",
		), nil)
	})
}

// hasLeeway tells whether the options name a leeway, or come from elsewhere.
func hasLeeway(opts ssa.Value) bool {
	if k, ok := opts.(*ssa.Const); ok {
		return !k.IsNil()
	}
	vals := place.Variadic(opts)
	if vals == nil {
		return true
	}
	for _, v := range vals {
		c, ok := v.(*ssa.Call)
		if !ok || strings.HasSuffix(place.CalleeName(c.Common()), ".WithLeeway") || strings.HasSuffix(place.CalleeName(c.Common()), ".WithoutClaimsValidation") {
			return true
		}
	}
	return false
}
