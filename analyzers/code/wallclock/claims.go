package wallclock

import (
	"go/token"
	"go/types"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/ccheck/ccheck/analyzers/internal/cfg"
	"github.com/ccheck/ccheck/analyzers/internal/libs"
	"github.com/ccheck/ccheck/analyzers/internal/place"
	"github.com/ccheck/ccheck/analyzers/internal/tell"
)

var (
	// startsName: another machine's clock set it, and we must not be behind.
	startsName = regexp.MustCompile(`(?i)^(nbf|not_?before|valid_?from|iat|issued_?at|not_?valid_?before)$`)
	// endsName: a time after which something is refused.
	endsName = regexp.MustCompile(`(?i)^(exp|expir(es|y|ation|e|ed)?(_?(at|on|time|unix|date))?|valid_?(until|to|thru)|not_?after|deadline|lease_?(until|expiry|end)|locked_?until|held_?until)$`)
	// foreignName: a thing that one machine makes and another checks. Tokens and
	// grants are as often kept by the service that made them.
	foreignName = regexp.MustCompile(`(?i)claim|jwt|assertion|licen[cs]e|lease|leader|certificate|webhook|signature|signed`)
)

// compared is a test of a reading against something else.
type compared struct {
	at    token.Pos
	v     ssa.Value // the test itself
	other ssa.Value
}

// comparison reads an instruction as a test of the unshifted clock.
func (j *judge) comparison(in ssa.Instruction) (compared, bool) {
	var x, y ssa.Value
	var at token.Pos
	switch in := in.(type) {
	case *ssa.BinOp:
		switch in.Op {
		case token.LSS, token.GTR, token.LEQ, token.GEQ:
			x, y, at = in.X, in.Y, in.Pos()
		}
	case *ssa.Call:
		name := place.CalleeName(in.Common())
		if name == "(time.Time).Before" || name == "(time.Time).After" || name == "(time.Time).Compare" {
			x, y, at = in.Call.Args[0], in.Call.Args[1], in.Pos()
		}
	}
	if x == nil {
		return compared{}, false
	}
	rx, ry := j.clock.present(x), j.clock.present(y)
	if rx.ok == ry.ok || rx.shifted || ry.shifted {
		return compared{}, false
	}
	if rx.ok {
		return compared{at, in.(ssa.Value), y}, true
	}
	return compared{at, in.(ssa.Value), x}, true
}

// claims finds tokens and leases of other machines tested without leeway, one
// report per function.
func (j *judge) claims(fn *ssa.Function) {
	var first token.Pos
	var others []tell.Place
	cfg.Each(fn, func(in ssa.Instruction) {
		c, ok := j.comparison(in)
		if !ok || !j.foreign(c.other) && !j.unowned(c) {
			return
		}
		if !first.IsValid() || c.at < first {
			first, c.at = c.at, first
		}
		others = append(others, tell.Place{Pos: c.at, Text: "this one has no leeway either"})
	})
	if !first.IsValid() {
		return
	}
	j.Found(first, tell.Story(
		"a time that another machine set is compared to the local clock without leeway",
		"  machine A, whose clock is 1 s ahead, issues it at 12:00:01 by its clock",
		"  machine B tests it at 12:00:00 by its own: not valid yet, or issued in the future; at the end of its life, the same the other way round",
		"fix: allow for skew on every comparison, now.Add(leeway) for not-before and issued-at, now.Add(-leeway) for expiry; 60 s is usual",
	), nil, others...)
}

// foreign tells whether a value is the beginning, or the end, of something
// that another machine issued, or the parameter of a helper that is handed one.
func (j *judge) foreign(v ssa.Value) bool { return j.foreignFrom(v, 0) }

func (j *judge) foreignFrom(v ssa.Value, depth int) bool {
	if p, ok := plain(v).(*ssa.Parameter); ok && depth < 4 {
		args, all := j.calls.Args(p)
		return all && !slices.ContainsFunc(args, func(a ssa.Value) bool { return !j.foreignFrom(a, depth+1) })
	}
	names, owner := path(v)
	ends := false
	for _, n := range names {
		if startsName.MatchString(n) {
			return true
		}
		ends = ends || endsName.MatchString(n)
	}
	return ends && owner != nil && issued(owner)
}

// issued tells whether a type is made by one machine and checked by another:
// by its name, or because it has a beginning beside its end.
func issued(t types.Type) bool {
	foreign := foreignName.MatchString(libs.TypeName(t))
	if p, ok := t.Underlying().(*types.Pointer); ok {
		t = p.Elem()
	}
	st, ok := t.Underlying().(*types.Struct)
	if !ok || foreign {
		return foreign && !(ok && local(st))
	}
	for i := range st.NumFields() {
		if startsName.MatchString(st.Field(i).Name()) || strings.Contains(st.Tag(i), `json:"exp"`) {
			return true
		}
	}
	return false
}

// path lists the names on the way to a value, innermost last, and the type
// that has the first of them: fields, constant keys of a map, getters.
func path(v ssa.Value) (names []string, owner types.Type) {
	for range 8 {
		var name string
		switch w := v.(type) {
		case *ssa.UnOp:
			v = w.X
			continue
		case *ssa.Convert:
			v = w.X
			continue
		case *ssa.TypeAssert:
			v = w.X
			continue
		case *ssa.Extract:
			v = w.Tuple
			continue
		case *ssa.FieldAddr:
			name, v = fieldName(w.X.Type(), w.Field), w.X
		case *ssa.Field:
			name, v = fieldName(w.X.Type(), w.Field), w.X
		case *ssa.Lookup:
			name, v = strings.Trim(place.Of(w.Index).Name, `"`), w.X
		case *ssa.Call:
			next, n := called(w)
			if next == nil {
				return names, owner
			}
			name, v = n, next
		default:
			return names, owner
		}
		if names = append(names, name); startsName.MatchString(name) || endsName.MatchString(name) {
			owner = v.Type()
		}
	}
	return names, owner
}

// fieldName is the name of a field; where that says nothing, the one in its tag.
func fieldName(t types.Type, i int) string {
	f := place.FieldOf(t, i)
	if c := columnOf(f, tagOf(t, i)); startsName.MatchString(c) {
		return c
	}
	return f.Name()
}

// called steps from the result of a conversion or a getter to what it was called on.
func called(c *ssa.Call) (ssa.Value, string) {
	name := place.CalleeName(c.Common())
	if c.Call.IsInvoke() {
		return c.Call.Value, getter(c.Call.Method.Name())
	}
	if len(c.Call.Args) == 0 || name == "" {
		return nil, ""
	}
	for _, unit := range []string{".Unix", ".UnixNano", ".UnixMilli", "time.Unix", "time.UnixMilli", ".UTC"} {
		if strings.HasSuffix(name, unit) {
			return c.Call.Args[0], ""
		}
	}
	if c.Call.Signature().Recv() == nil || len(c.Call.Args) != 1 {
		return nil, ""
	}
	return c.Call.Args[0], getter(name[strings.LastIndexByte(name, '.')+1:])
}

// getter turns GetExpirationTime into ExpirationTime.
func getter(name string) string { return strings.TrimPrefix(name, "Get") }

// local tells whether a structure lives in one process: it has a lock or a
// channel, and cannot have come from elsewhere.
func local(st *types.Struct) bool {
	for f := range st.Fields() {
		if _, isChan := f.Type().Underlying().(*types.Chan); isChan || libs.Path(f.Type()) == "sync" {
			return true
		}
	}
	return false
}
