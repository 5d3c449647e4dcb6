package wallclock

import (
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"

	"github.com/ccheck/ccheck/analyzers/internal/cfg"
	"github.com/ccheck/ccheck/analyzers/internal/place"
	"github.com/ccheck/ccheck/analyzers/internal/tell"
)

const jwt = "github.com/golang-jwt/jwt/v"

// signer is the fact that a package signs tokens.
type signer struct{}

// AFact marks the type as a fact.
func (*signer) AFact() {}

func (*signer) String() string { return "signs tokens" }

// signs tells whether the package signs tokens itself, or a package does that it
// imports of its own module: then the clock that checks them is the one that made
// them, as far as anybody can see here.
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
	if found {
		j.pass.ExportPackageFact(new(signer))
	}
	return found || slices.ContainsFunc(j.pass.AllPackageFacts(), func(f analysis.PackageFact) bool {
		_, ok := f.Fact.(*signer)
		return ok && project(f.Package.Path()) == project(j.pass.Pkg.Path())
	})
}

// project is the part of an import path that the packages of one module have in
// common: host, owner and name, or the first word where there is no host.
func project(path string) string {
	words := strings.SplitN(path, "/", 4)
	if !strings.Contains(words[0], ".") {
		return words[0]
	}
	return strings.Join(words[:min(3, len(words))], "/")
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
		if hasLeeway(opts) || unverified(c) {
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

// unverified tells whether a parser only takes tokens apart: no time is compared.
func unverified(parser *ssa.Call) bool {
	refs := *parser.Referrers()
	return len(refs) > 0 && !slices.ContainsFunc(refs, func(in ssa.Instruction) bool {
		c, ok := in.(ssa.CallInstruction)
		return !ok || !strings.HasSuffix(place.CalleeName(c.Common()), ".ParseUnverified")
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
		c, ok := place.Settled(v).(*ssa.Call)
		if !ok || strings.HasSuffix(place.CalleeName(c.Common()), ".WithLeeway") || strings.HasSuffix(place.CalleeName(c.Common()), ".WithoutClaimsValidation") {
			return true
		}
	}
	return false
}
