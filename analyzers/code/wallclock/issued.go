package wallclock

import (
	"regexp"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/ccheck/ccheck/analyzers/internal/cfg"
	"github.com/ccheck/ccheck/analyzers/internal/place"
	"github.com/ccheck/ccheck/analyzers/internal/tell"
)

// beginName is the time before which others refuse a token or a certificate.
var beginName = regexp.MustCompile(`(?i)^(nbf|not_?before)$`)

// begins finds tokens and certificates for others that are good from the very tick
// in which they were made: whoever is behind refuses them. A package that checks
// tokens itself has one clock.
func (j *judge) begins(fn *ssa.Function) {
	cfg.Each(fn, func(in ssa.Instruction) {
		val, ok := beginning(in)
		if !ok || !j.reads(dated(val)) || j.checks() {
			return
		}
		j.Found(in.Pos(), tell.Story(
			"a token or a certificate is good from the tick in which it was made: a machine whose clock is behind refuses it",
			"  this machine, whose clock is 1 s ahead, issues it, not before 12:00:01",
			"  the one that gets it looks at 12:00:00 by its clock: not valid yet",
			"fix: let it begin earlier, now.Add(-5*time.Minute), or leave the beginning out",
		), nil)
	})
}

// beginning is the value that an instruction gives to the beginning of a token, or of
// a certificate that is signed with the key of another one.
func beginning(in ssa.Instruction) (ssa.Value, bool) {
	switch in := in.(type) {
	case *ssa.MapUpdate:
		name, ok := text(in.Key)
		return in.Value, ok && beginName.MatchString(name)
	case *ssa.Store:
		fa, ok := in.Addr.(*ssa.FieldAddr)
		if !ok || !beginName.MatchString(place.FieldOf(fa.X.Type(), fa.Field).Name()) {
			return nil, false
		}
		switch t := element(fa.X.Type()).String(); {
		case t == "crypto/x509.Certificate":
			return in.Val, forOthers(fa.X)
		case strings.Contains(t, "jwt"):
			return in.Val, true
		}
		return in.Val, strings.Contains(tagOf(fa.X.Type(), fa.Field), "nbf")
	}
	return nil, false
}

// dated is the time that a value of a library for tokens was made of.
func dated(v ssa.Value) ssa.Value {
	if mi, ok := v.(*ssa.MakeInterface); ok {
		v = mi.X
	}
	if c, ok := v.(*ssa.Call); ok && strings.Contains(place.CalleeName(c.Common()), "NumericDate") && len(c.Call.Args) == 1 {
		return c.Call.Args[0]
	}
	return v
}

// forOthers tells whether a template of a certificate is signed by another one.
func forOthers(tmpl ssa.Value) bool {
	found := false
	cfg.Each(tmpl.Parent(), func(in ssa.Instruction) {
		c, ok := in.(*ssa.Call)
		found = found || ok && place.CalleeName(c.Common()) == "crypto/x509.CreateCertificate" && c.Call.Args[1] == tmpl && !place.Of(c.Call.Args[2]).Equal(place.Of(tmpl))
	})
	return found
}

// checks tells whether the package parses tokens too.
func (j *judge) checks() bool {
	found := false
	for _, fn := range j.fns {
		cfg.Each(fn, func(in ssa.Instruction) {
			if c, ok := in.(ssa.CallInstruction); ok {
				name := place.CalleeName(c.Common())
				found = found || strings.Contains(name, "jwt") && strings.Contains(name, ".Parse")
			}
		})
	}
	return found
}
