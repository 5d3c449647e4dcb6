package wallclock

import (
	"go/constant"
	"go/types"
	"reflect"
	"regexp"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/ccheck/ccheck/analyzers/internal/cfg"
	"github.com/ccheck/ccheck/analyzers/internal/flow"
	"github.com/ccheck/ccheck/analyzers/internal/place"
	"github.com/ccheck/ccheck/analyzers/internal/sqlread"
)

// stamped are the functions that give readings to a column, an entry of a map or a
// field of a hash, by its folded name.
type stamped map[string][]*ssa.Function

func (s stamped) add(name string, fn *ssa.Function) {
	name = flow.Column(name)
	s[name] = append(s[name], fn)
}

// stampsOf collects them from a package.
func (j *judge) stampsOf() stamped {
	s := stamped{}
	for _, fn := range j.fns {
		cfg.Each(fn, func(in ssa.Instruction) {
			switch in := in.(type) {
			case *ssa.MapUpdate:
				if name, ok := text(in.Key); ok && j.reads(in.Value) {
					s.add(name, fn)
				}
			case ssa.CallInstruction:
				j.bound(in, s)
			}
		})
	}
	return s
}

// bound adds what a call hands over beside a name, or binds to a statement.
func (j *judge) bound(c ssa.CallInstruction, s stamped) {
	st := statementOf(c)
	for _, w := range written(sqlread.Read(st.text)) {
		if v := w.bound(st); v != nil && j.reads(v) {
			s.add(w.column, c.Parent())
		}
	}
	args := flat(c)
	for i := range max(0, len(args)-1) {
		if name, ok := text(args[i]); ok && j.reads(args[i+1]) {
			s.add(name, c.Parent())
		}
	}
}

// statement is an SQL text with the values that are bound to it.
type statement struct {
	text string
	args []ssa.Value
}

// verb is what a statement begins with, after comments.
var verb = regexp.MustCompile(`(?i)^\s*(select|insert|update|delete|with|merge|replace|--|/\*)`)

// statementOf is what a call hands to a database; the zero value when it is none.
func statementOf(c ssa.CallInstruction) (st statement) {
	for i, a := range c.Common().Args {
		if s, ok := text(a); ok && st.text == "" && verb.MatchString(s) {
			st.text, st.args = s, nil
		} else if vals := place.Variadic(a); vals != nil && i > 0 {
			st.args = append(st.args, vals...)
		}
	}
	return st
}

// flat are the arguments of a call, those of a variadic parameter one by one.
func flat(c ssa.CallInstruction) (args []ssa.Value) {
	for _, a := range c.Common().Args {
		if vals := place.Variadic(a); vals != nil {
			args = append(args, vals...)
		} else {
			args = append(args, a)
		}
	}
	return args
}

// text is the value of a constant string.
func text(v ssa.Value) (string, bool) {
	if mi, ok := v.(*ssa.MakeInterface); ok {
		v = mi.X
	}
	k, ok := v.(*ssa.Const)
	if !ok || k.Value == nil || k.Value.Kind() != constant.String {
		return "", false
	}
	return constant.StringVal(k.Value), true
}

// reads tells whether a value is a reading, or a reading as text.
func (j *judge) reads(v ssa.Value) bool {
	r := j.clock.of(behind(v))
	return r.ok && !r.shifted
}

// behind is the time or the number that a text or another form of it was made of.
func behind(v ssa.Value) ssa.Value {
	for range 6 {
		switch w := v.(type) {
		case *ssa.MakeInterface:
			v = w.X
		case *ssa.Convert:
			v = w.X
		case *ssa.Call:
			name := place.CalleeName(w.Common())
			if !strings.HasPrefix(name, "strconv.Format") && name != "strconv.Itoa" && !strings.HasPrefix(name, "(time.Time).Unix") && name != "(time.Time).Format" && name != "(time.Time).UTC" {
				return v
			}
			v = w.Call.Args[0]
		default:
			return v
		}
	}
	return v
}

// column is the name of the column that a value was read from, and the table where
// that is known; "" for any other value.
func column(v ssa.Value) (name, table string) {
	v = plain(v)
	if f, tag := fieldRead(v); f != nil {
		if inner := nullable(v); inner != nil {
			return scanned(inner)
		}
		return columnOf(f, tag), ""
	}
	if a, ok := loaded(v).(*ssa.Alloc); ok {
		return scanned(a)
	}
	return "", ""
}

// plain steps from another form of a time to the value that was read.
func plain(v ssa.Value) ssa.Value {
	for range 6 {
		switch w := v.(type) {
		case *ssa.Convert:
			v = w.X
		case *ssa.Call:
			name := place.CalleeName(w.Common())
			if !strings.HasPrefix(name, "time.Unix") && !strings.HasPrefix(name, "(time.Time).Unix") && name != "(time.Time).UTC" {
				return v
			}
			v = w.Call.Args[0]
			if k, ok := v.(*ssa.Const); ok && k.Value != nil && len(w.Call.Args) > 1 {
				v = w.Call.Args[1]
			}
		default:
			return v
		}
	}
	return v
}

// nullable is the variable of a type such as sql.NullTime that a value is the Time of.
func nullable(v ssa.Value) *ssa.Alloc {
	fa, ok := loaded(v).(*ssa.FieldAddr)
	if !ok || !strings.Contains(fa.X.Type().String(), "sql.Null") {
		return nil
	}
	a, _ := fa.X.(*ssa.Alloc)
	return a
}

// columnOf is the column that a field stands for.
func columnOf(f *types.Var, tag string) string {
	for _, key := range []string{"db", "bun", "json", "bson", "redis"} {
		if name, _, _ := strings.Cut(reflect.StructTag(tag).Get(key), ","); name != "" {
			return name
		}
	}
	return f.Name()
}

// scanned is the column that a call of Scan, or a query for one value, puts into a
// variable.
func scanned(a *ssa.Alloc) (name, table string) {
	for _, r := range *a.Referrers() {
		mi, ok := r.(*ssa.MakeInterface)
		if !ok {
			continue
		}
		for _, r := range *mi.Referrers() {
			if name, table := filledBy(mi, r); name != "" {
				return name, table
			}
		}
	}
	return "", ""
}

// filledBy is the column that arrives at a pointer, which an instruction uses.
func filledBy(p ssa.Value, r ssa.Instruction) (name, table string) {
	if c, ok := r.(ssa.CallInstruction); ok {
		return output(statementOf(c), 0)
	}
	st, ok := r.(*ssa.Store)
	if !ok {
		return "", ""
	}
	ia, ok := st.Addr.(*ssa.IndexAddr)
	if !ok {
		return "", ""
	}
	for _, r := range *ia.X.Referrers() {
		s, ok := r.(*ssa.Slice)
		if !ok {
			continue
		}
		for i, v := range place.Variadic(s) {
			if v == p {
				return output(asked(s), i)
			}
		}
	}
	return "", ""
}

// asked is the statement whose answer a call copies into a list of pointers.
func asked(dest *ssa.Slice) statement {
	for _, r := range *dest.Referrers() {
		c, ok := r.(ssa.CallInstruction)
		if !ok || !strings.HasSuffix(place.CalleeName(c.Common()), ".Scan") {
			continue
		}
		row := c.Common().Value
		if !c.Common().IsInvoke() {
			row = c.Common().Args[0]
		}
		if ex, ok := row.(*ssa.Extract); ok {
			row = ex.Tuple
		}
		if q, ok := row.(*ssa.Call); ok {
			return statementOf(q)
		}
	}
	return statement{}
}

func output(st statement, i int) (name, table string) {
	acc := sqlread.Read(st.text)
	if i >= len(acc.Outputs) || acc.Outputs[i].Column == "" {
		return "", ""
	}
	o := acc.Outputs[i]
	if o.Table >= 0 && o.Table < len(acc.Tables) {
		table = acc.Tables[o.Table].Name
	}
	return o.Column, table
}
