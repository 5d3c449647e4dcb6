package wallclock

import (
	"go/constant"
	"go/token"
	"go/types"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/ccheck/ccheck/analyzers/internal/cfg"
	"github.com/ccheck/ccheck/analyzers/internal/place"
	"github.com/ccheck/ccheck/analyzers/internal/tell"
)

// identName: a value that must be unique, or grow with every write.
var (
	identName = regexp.MustCompile(`(^(id|ID|Id|uid|UID|token|Token|nonce|Nonce|version|Version|revision|Revision|rev|Rev|seq|Seq|sequence|Sequence|epoch|Epoch|generation|Generation|fence|Fence|etag|ETag|number|Number|reference|Reference)$)|[a-z](ID|Id|Token|Nonce|Version|Revision|Seq|Epoch|Fence|Number|No|Reference)$|_(id|token|nonce|version|seq|number|no|reference)$`)
	makerName = regexp.MustCompile(`(?i)(^|new|next|make|gen|generate|create|unique|random)_?\w*(id|token|nonce|version|sequence|seq|reference|code|number|serial)$|^(unique|random|gen|generate)_?\w*(name|key)$`)
)

// identity finds ids, tokens and versions that are made of the clock alone.
func (j *judge) identity(fn *ssa.Function) {
	cfg.Each(fn, func(in ssa.Instruction) {
		c, ok := in.(*ssa.Call)
		if !ok || !j.stamps(c) || claims(c) || j.atStart(fn, 0) {
			return
		}
		if what := j.identSink(c, 0); what != "" {
			j.Found(c.Pos(), tell.Story(
				"the clock alone makes "+what+": two callers in one tick, or on two machines, or around a step of the clock get the same value or a smaller one",
				"  caller A and caller B read the same tick (a tick can be 100 ns to 15 ms long)",
				"  both store under one value: the second overwrites the first, or is refused as a duplicate",
				"fix: for an identity use a random one (uuid.NewString, crypto/rand) or one that the database counts; for an order use a sequence or a version that the store counts",
			), nil)
		}
	})
}

// atStart tells whether a function runs when the program starts, and not again: what
// it makes there is one of a kind.
func (j *judge) atStart(fn *ssa.Function, depth int) bool {
	if fn.Name() == "main" || fn.Name() == "init" || strings.HasPrefix(fn.Name(), "init#") {
		return fn.Parent() == nil && fn.Signature.Recv() == nil
	}
	calls := j.calls.Calls(fn)
	return depth < 4 && len(calls) > 0 && len(j.calls.Values(fn)) == 0 && !slices.ContainsFunc(calls, func(c ssa.CallInstruction) bool {
		return cfg.Within(c.Block()) || !j.atStart(c.Parent(), depth+1)
	})
}

// stamps tells whether a call turns a reading of the clock into a number or text,
// or asks a function that does.
func (j *judge) stamps(c *ssa.Call) bool {
	switch place.CalleeName(c.Common()) {
	case "(time.Time).Unix", "(time.Time).UnixNano", "(time.Time).UnixMilli", "(time.Time).UnixMicro", "(time.Time).Format", "(time.Time).String":
		return j.clock.of(c.Call.Args[0]).ok
	}
	r := j.clock.of(c)
	return r.ok && r.number && !r.shifted
}

// claims tells whether the value takes a lock with a time to live as well: that
// is the matter of fencing.
func claims(v ssa.Value) bool {
	for _, r := range *v.Referrers() {
		switch r := r.(type) {
		case *ssa.Call:
			if strings.HasSuffix(place.CalleeName(r.Common()), ".SetNX") {
				return true
			}
		case *ssa.MakeInterface:
			if claims(r) {
				return true
			}
		}
	}
	return false
}

// identSink follows a value through conversions to a place whose name says
// that it must be unique; "" when there is none.
func (j *judge) identSink(v ssa.Value, depth int) string {
	if depth > 12 {
		return ""
	}
	for _, r := range *v.Referrers() {
		if what := j.sunk(v, r, depth); what != "" {
			return what
		}
	}
	return ""
}

func (j *judge) sunk(v ssa.Value, r ssa.Instruction, depth int) string {
	if what := entry(v, r); what != "" {
		return what
	}
	switch r := r.(type) {
	case *ssa.Convert:
		return j.identSink(r, depth+1)
	case *ssa.MakeInterface:
		return j.identSink(r, depth+1)
	case *ssa.Phi:
		return ""
	case *ssa.BinOp:
		if (j.same(r.X) || j.same(r.Y) || j.sameCaller(r)) && (r.Op == token.ADD || r.Op == token.REM) {
			return j.identSink(r, depth+1)
		}
	case *ssa.MapUpdate:
		if r.Key == v {
			return "the key of a map"
		}
	case *ssa.Store:
		if what := j.identStored(v, r, depth); what != "" {
			return what
		}
		return j.held(v, r, depth)
	case *ssa.Slice:
		return j.identSink(r, depth+1)
	case *ssa.UnOp:
		if r.Op == token.MUL {
			return j.identSink(r, depth+1)
		}
	case *ssa.IndexAddr: // a letter of an alphabet
		if r.Index == v {
			return j.identSink(r, depth+1)
		}
	case *ssa.Index:
		if r.Index == v {
			return j.identSink(r, depth+1)
		}
	case *ssa.Return:
		if fn := r.Parent(); makerName.MatchString(fn.Name()) {
			return "what " + fn.Name() + " returns"
		}
	case *ssa.Call:
		return j.passed(v, r, depth)
	}
	return ""
}

// used tells whether anything can come of what a field is given: the package reads
// the field, or stores, encodes, sends or returns the structure whole. One that a
// caller brought and takes away again only tells him.
func (j *judge) used(f *types.Var, t types.Type) bool {
	found := false
	for _, fn := range j.fns {
		cfg.Each(fn, func(in ssa.Instruction) {
			switch in := in.(type) {
			case *ssa.UnOp:
				fa, ok := in.X.(*ssa.FieldAddr)
				found = found || ok && in.Op == token.MUL && place.FieldOf(fa.X.Type(), fa.Field) == f
			case *ssa.Field:
				found = found || place.FieldOf(in.X.Type(), in.Field) == f
			case *ssa.MakeInterface:
				found = found || types.Identical(element(in.X.Type()), t)
			case *ssa.Store:
				_, local := in.Addr.(*ssa.Alloc)
				found = found || !local && types.Identical(element(in.Val.Type()), t)
			case *ssa.MapUpdate:
				found = found || types.Identical(element(in.Value.Type()), t)
			case *ssa.Send:
				found = found || types.Identical(element(in.X.Type()), t)
			case *ssa.Return:
				for _, r := range in.Results {
					found = found || types.Identical(element(r.Type()), t)
				}
			case ssa.CallInstruction:
				found = found || j.outside(in, t)
			}
		})
	}
	return found
}

// outside tells whether a call hands a structure to a function that is not of the
// package.
func (j *judge) outside(c ssa.CallInstruction, t types.Type) bool {
	if fn := c.Common().StaticCallee(); fn != nil && fn.Blocks != nil {
		return false
	}
	for _, a := range c.Common().Args {
		if types.Identical(element(a.Type()), t) {
			return true
		}
	}
	return false
}

func (j *judge) identStored(v ssa.Value, st *ssa.Store, depth int) string {
	switch a := st.Addr.(type) {
	case *ssa.FieldAddr:
		f := place.FieldOf(a.X.Type(), a.Field)
		if identName.MatchString(f.Name()) && (tagOf(a.X.Type(), a.Field) != "" || !f.Exported() || j.used(f, element(a.X.Type()))) {
			return "the field " + f.Name()
		}
	case *ssa.IndexAddr: // an argument of a variadic call
		arr, ok := a.X.(*ssa.Alloc)
		if !ok || arr.Comment != "varargs" {
			return ""
		}
		for _, r := range *arr.Referrers() {
			s, ok := r.(*ssa.Slice)
			if ok && inserted(s, v) {
				return "the id of a new row"
			}
			if what := inList(s, v); ok && what != "" {
				return what
			}
			if ok && j.alone(s, v) {
				return j.identSink(s, depth+1)
			}
		}
	}
	return ""
}

// firstID is a statement that inserts, with an identity as its first column.
var firstID = regexp.MustCompile(`(?is)^\s*insert\s+into\s+\S+\s*\(\s*"?(id|\w*_id|token|uuid|number|reference)"?\s*[,)].*values\s*\(\s*(\$1\b|\?|[:@])`)

// inserted tells whether v is the first value of such a statement.
func inserted(s *ssa.Slice, v ssa.Value) bool {
	vals := place.Variadic(s)
	if len(vals) == 0 || vals[0] != v {
		return false
	}
	for _, r := range *s.Referrers() {
		c, ok := r.(ssa.CallInstruction)
		if !ok {
			continue
		}
		for _, a := range c.Common().Args {
			if k, ok := a.(*ssa.Const); ok && k.Value != nil && k.Value.Kind() == constant.String && firstID.MatchString(constant.StringVal(k.Value)) {
				return true
			}
		}
	}
	return false
}

// alone tells whether v is the only argument that varies.
func (j *judge) alone(s *ssa.Slice, v ssa.Value) bool {
	for _, a := range place.Variadic(s) {
		if mi, ok := a.(*ssa.MakeInterface); ok && a != v {
			a = mi.X
		}
		if a != v && !j.same(a) && !(callerName(a) && j.toTheSecond(v)) {
			return false
		}
	}
	return true
}

// kindName tells whether an argument only says what the id is for: it is the
// same for all that are made of that kind.
func kindName(v ssa.Value) bool {
	p, ok := v.(*ssa.Parameter)
	return ok && prefixName.MatchString(p.Name())
}

var prefixName = regexp.MustCompile(`(?i)^(prefix|kind|typ|type|scope|ns|namespace|label)$`)

func (j *judge) passed(v ssa.Value, c *ssa.Call, depth int) string {
	name := place.CalleeName(c.Common())
	if strings.HasPrefix(name, "strconv.Format") || name == "strconv.Itoa" || strings.HasPrefix(name, "fmt.Sprint") {
		return j.identSink(c, depth+1)
	}
	if what := j.derived(v, c, name, depth); what != "" {
		return what
	}
	if name := parameterOf(c, v); identName.MatchString(name) {
		return "the argument " + name
	}
	return ""
}
