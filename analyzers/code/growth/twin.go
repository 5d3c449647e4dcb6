package growth

import (
	"golang.org/x/tools/go/ssa"

	"github.com/ccheck/ccheck/analyzers/internal/cfg"
	"github.com/ccheck/ccheck/analyzers/internal/place"
)

// survivor tells whether the same function keeps something else under the same key,
// which is taken out, while this stays: the counts of idle users go, and the lock that
// each of them had does not.
func (j *judge) survivor(g growing) bool {
	if g.key == nil || !given(g.key) || borrowed(g.val) || !stateful(plain(g.val).Type(), 0) {
		return false
	}
	key, found := place.Of(g.key).String(), false
	cfg.Each(g.in.Parent(), func(in ssa.Instruction) {
		o, ok := j.grows[in]
		found = found || ok && o.key != nil && o.holds != g.holds && j.shrinks[o.holds] && place.Of(o.key).String() == key
	})
	return found
}
