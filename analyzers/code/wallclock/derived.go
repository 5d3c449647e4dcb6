package wallclock

import (
	"go/types"
	"regexp"

	"golang.org/x/tools/go/ssa"

	"github.com/ccheck/ccheck/analyzers/internal/place"
)

var (
	// digests are functions that answer with the same for the same: of the clock
	// alone they make no more than the clock does.
	digests = regexp.MustCompile(`^crypto/(md5|sha1|sha256|sha512)\.Sum|^encoding/(hex|base64|base32)\.|^\(\*encoding/base(64|32)\.Encoding\)\.EncodeToString$|^hash/`)
	// seeded are a source of numbers that begins with the value, and what it gives.
	seeded = regexp.MustCompile(`^math/rand(/v2)?\.New|^\(\*math/rand(/v2)?\.Rand\)\.`)
)

// derived follows a value through a digest, an encoding or a source of numbers that
// begins with it: two callers in one tick get the same out of it.
func (j *judge) derived(v ssa.Value, c *ssa.Call, name string, depth int) string {
	switch {
	case digests.MatchString(name), seeded.MatchString(name):
		return j.identSink(c, depth+1)
	case name == "io.WriteString" || c.Call.IsInvoke() && c.Call.Method.Name() == "Write":
		return j.summed(v, c, depth)
	}
	return ""
}

// summed goes on with the sum of a hash into which nothing else was written.
func (j *judge) summed(v ssa.Value, c *ssa.Call, depth int) string {
	h := c.Call.Value
	if !c.Call.IsInvoke() {
		h = c.Call.Args[0]
	}
	for {
		ci, ok := h.(*ssa.ChangeInterface)
		if !ok {
			break
		}
		h = ci.X
	}
	if h == v || h.Referrers() == nil {
		return ""
	}
	writes, what := 0, ""
	for _, r := range *h.Referrers() {
		switch r := r.(type) {
		case *ssa.ChangeInterface:
			writes++
		case *ssa.Call:
			switch {
			case r.Call.IsInvoke() && r.Call.Method.Name() == "Sum":
				what = j.identSink(r, depth+1)
			case r.Call.IsInvoke() && r.Call.Method.Name() == "Write":
				writes++
			}
		}
	}
	if writes > 1 {
		return ""
	}
	return what
}

// held follows a value into a local variable, and into an element of a list of
// this function.
func (j *judge) held(v ssa.Value, st *ssa.Store, depth int) string {
	switch a := st.Addr.(type) {
	case *ssa.Alloc:
		_, digest := v.Type().Underlying().(*types.Array) // that will be sliced
		if digest || place.Assigned(a) == v {
			return j.identSink(a, depth+1)
		}
	case *ssa.IndexAddr:
		if list, ok := a.X.(*ssa.MakeSlice); ok {
			return j.identSink(list, depth+1)
		}
	}
	return ""
}
