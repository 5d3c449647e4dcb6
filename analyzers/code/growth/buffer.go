package growth

import (
	"regexp"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/ccheck/ccheck/analyzers/internal/place"
)

// writing are the methods of a buffer that make it longer, and asking those that
// leave it as it is.
var (
	writing = regexp.MustCompile(`^\(\*(bytes\.Buffer|strings\.Builder)\)\.(Write|WriteString|WriteByte|WriteRune|ReadFrom)$`)
	asking  = regexp.MustCompile(`^\(\*(bytes\.Buffer|strings\.Builder)\)\.(Bytes|String|Cap|Grow|Available)$`)
)

// written is the address of the buffer that a call appends to, nil for none.
func written(c *ssa.CallCommon) ssa.Value {
	name := place.CalleeName(c)
	switch {
	case len(c.Args) == 0:
	case writing.MatchString(name):
		return c.Args[0]
	case strings.HasPrefix(name, "fmt.Fprint"):
		if mi, ok := c.Args[0].(*ssa.MakeInterface); ok && isBuffer(mi.X) {
			return mi.X
		}
	}
	return nil
}

func isBuffer(v ssa.Value) bool {
	t := v.Type().String()
	return t == "*bytes.Buffer" || t == "*strings.Builder"
}

// drained notes buffers that a call may make shorter: all but what is known to read
// or write them, for others may read them empty.
func (j *judge) drained(c ssa.CallInstruction) {
	com := c.Common()
	if asking.MatchString(place.CalleeName(com)) || written(com) != nil {
		return
	}
	for _, a := range slices.Concat(com.Args, []ssa.Value{com.Value}) {
		if mi, ok := a.(*ssa.MakeInterface); ok {
			a = mi.X
		}
		if isBuffer(a) {
			j.note(heldAt(a))
		}
	}
}
