package fencing

import (
	"go/token"
	"path/filepath"
	"slices"
	"strings"

	"github.com/ccheck/ccheck/analyzers/internal/flow"
	"github.com/ccheck/ccheck/analyzers/internal/libs"
	"github.com/ccheck/ccheck/analyzers/internal/pair"
	"github.com/ccheck/ccheck/analyzers/internal/tell"
)

// counted tells whether the value of a lock, which the function hands to its caller as
// a token, is the next number of a counter in the memory of the process.
func counted(pkg *flow.Package, s *flow.Summary, d flow.Desc) bool {
	if d.Root != flow.Result || !handed(s, d) || !adds(&s.Events[d.N]) {
		return false
	}
	class := s.Events[d.N].On.Class
	return class != "" && !token.IsExported(class[strings.LastIndexByte(class, '.')+1:]) && !seeded(pkg, class)
}

// adds tells whether an event counts on by a constant: an Add of package atomic.
func adds(e *flow.Event) bool {
	return strings.HasPrefix(e.Call, "(*sync/atomic.") && strings.HasSuffix(e.Call, ").Add") && e.Val.Root == flow.Const
}

// seeded tells whether a counter is ever set to a number from elsewhere: it may then
// go on where the process before this one ended.
func seeded(pkg *flow.Package, class string) bool {
	return slices.ContainsFunc(pkg.Own, func(s *flow.Summary) bool {
		return slices.ContainsFunc(s.Events, func(e flow.Event) bool {
			return e.On.Class == class && (e.Op == libs.Store || e.Op == libs.CAS) && !adds(&e)
		})
	})
}

// ownCount reports that claim i stores the number that event n has counted.
func ownCount(s *flow.Summary, i, n int) flow.Found {
	at := pair.Check(s, n)
	if filepath.Dir(at.File) != filepath.Dir(s.Pos.File) {
		at = pair.Act(s, i)
	}
	return flow.Found{At: at, Severity: "medium", Related: []flow.Note{{At: pair.Act(s, i), Text: "it is used as a token here"}},
		Message: tell.Story("the fencing token is counted by each process for itself: a later owner on another machine, or after a restart, has the smaller or the same token",
			"  worker A, the 105th lock of its process, is paused with token 105",
			"  worker B, just started, takes the lock with token 1",
			"  B's writes are refused as too old, and A's still pass",
			"fix: let one place count: INCR key:fence, nextval('fence'), or the revision that etcd gave the lock")}
}
