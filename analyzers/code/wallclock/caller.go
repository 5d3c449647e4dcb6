package wallclock

import (
	"go/token"
	"regexp"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/ccheck/ccheck/analyzers/internal/place"
)

// whoName is who asks for an id: one who asks twice in a second gets it twice.
var whoName = regexp.MustCompile(`(?i)^(from|to)?_?(peer|user|customer|client|account|acct|tenant|member|sender|recipient|receiver|owner|author|player|device|merchant|buyer|seller|org|phone|email|mobile|chat|room|channel|topic)(_?(id|name|key|no))?$`)

// callerName tells whether a part of an id says who asked for it, as a parameter or a
// field.
func callerName(v ssa.Value) bool {
	for range 4 {
		switch w := v.(type) {
		case *ssa.MakeInterface:
			v = w.X
			continue
		case *ssa.Convert:
			v = w.X
			continue
		case *ssa.Call:
			name := place.CalleeName(w.Common())
			if len(w.Call.Args) == 0 || !strings.HasPrefix(name, "strconv.") && !strings.HasPrefix(name, "strings.") && !strings.HasSuffix(name, ".String") {
				return false
			}
			v = w.Call.Args[0]
			continue
		}
		break
	}
	if f, _ := fieldRead(v); f != nil {
		return whoName.MatchString(f.Name())
	}
	p, ok := v.(*ssa.Parameter)
	return ok && whoName.MatchString(p.Name())
}

// sameCaller tells whether a sum puts the second behind the name of who asks, or the
// other way round.
func (j *judge) sameCaller(sum *ssa.BinOp) bool {
	if sum.Op != token.ADD {
		return false
	}
	return j.whose(sum.X) && j.toTheSecond(sum.Y) || j.whose(sum.Y) && j.toTheSecond(sum.X)
}

// whose tells whether a text is the same for all that one caller asks for.
func (j *judge) whose(v ssa.Value) bool {
	if sum, ok := v.(*ssa.BinOp); ok && sum.Op == token.ADD {
		return (j.whose(sum.X) || j.same(sum.X)) && (j.whose(sum.Y) || j.same(sum.Y))
	}
	return callerName(v)
}

// toTheSecond tells whether a text or a number is a reading that goes down to seconds
// and no further. Two of one caller in the same nanosecond are rare.
func (j *judge) toTheSecond(v ssa.Value) bool {
	for range 6 {
		switch w := v.(type) {
		case *ssa.MakeInterface:
			v = w.X
		case *ssa.Convert:
			v = w.X
		case *ssa.BinOp:
			if v = w.X; j.same(w.X) {
				v = w.Y
			}
		case *ssa.Call:
			switch name := place.CalleeName(w.Common()); {
			case name == "(time.Time).Unix":
				return j.reads(w.Call.Args[0])
			case name == "(time.Time).Format":
				layout, ok := text(w.Call.Args[1])
				return ok && strings.Contains(layout, "05") && !strings.ContainsAny(layout, ".,") && j.reads(w.Call.Args[0])
			case strings.HasPrefix(name, "strconv.Format"), name == "strconv.Itoa":
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
