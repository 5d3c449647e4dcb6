package wallclock

import (
	"go/constant"
	"go/token"
	"regexp"

	"golang.org/x/tools/go/ssa"

	"github.com/ccheck/ccheck/analyzers/internal/cfg"
	"github.com/ccheck/ccheck/analyzers/internal/place"
	"github.com/ccheck/ccheck/analyzers/internal/tell"
)

// proof is a function that tells whether a signature or a code is the right one.
var proof = regexp.MustCompile(`^crypto/(ed25519|rsa|ecdsa)\.Verify|^crypto/hmac\.Equal$|^crypto/subtle\.ConstantTimeCompare$`)

// exact finds signatures and codes over the step of the clock that are good in that
// very step only: the step before and the one after are never tried.
func (j *judge) exact(fn *ssa.Function) {
	cfg.Each(fn, func(in ssa.Instruction) {
		v, ok := in.(ssa.Value)
		if !ok || !j.step(v) {
			return
		}
		f := following{seen: map[ssa.Value]bool{}, judge: j}
		f.follow(v, 0)
		if !f.proved || f.shifted {
			return
		}
		j.Found(v.Pos(), tell.Story(
			"what another machine signed for one step of its clock is good in the same step of this clock only",
			"  the client signs for 12:00, its clock says 12:00:59.9",
			"  the server checks it 200 ms later, or is ahead: for 12:01, and refuses a good request",
			"fix: try the step before and the step after as well",
		), nil)
	})
}

// step tells whether a value is a reading cut down to a step of time.
func (j *judge) step(v ssa.Value) bool {
	r := j.clock.of(v)
	if !r.ok || r.shifted {
		return false
	}
	switch v := v.(type) {
	case *ssa.BinOp:
		k, ok := v.Y.(*ssa.Const)
		return ok && v.Op == token.QUO && k.Value != nil && constant.Compare(constant.ToInt(k.Value), token.LSS, constant.MakeInt64(3600))
	case *ssa.Call:
		name := place.CalleeName(v.Common())
		return name == "(time.Time).Truncate" || name == "(time.Time).Round"
	}
	return false
}

// following walks forwards from a step of time.
type following struct {
	*judge
	seen    map[ssa.Value]bool
	proved  bool // it is a part of what a proof compares
	shifted bool // another step is made of it
}

func (f *following) follow(v ssa.Value, depth int) {
	if v == nil || f.seen[v] || depth > 15 || v.Referrers() == nil {
		return
	}
	f.seen[v] = true
	for _, r := range *v.Referrers() {
		switch r := r.(type) {
		case *ssa.BinOp:
			f.shifted = f.shifted || timely(r.Type()) && (r.Op == token.ADD || r.Op == token.SUB)
			f.follow(r, depth+1)
		case *ssa.Store:
			f.store(r, depth)
		case *ssa.Return:
			for _, c := range f.calls.Calls(r.Parent()) {
				f.follow(c.Value(), depth+1)
			}
		case *ssa.Call:
			f.call(v, r, depth)
		case ssa.Value:
			f.follow(r, depth+1)
		}
	}
}

// store goes on with the variable or the list that holds the value.
func (f *following) store(st *ssa.Store, depth int) {
	switch a := st.Addr.(type) {
	case *ssa.Alloc:
		f.follow(a, depth+1)
	case *ssa.IndexAddr:
		f.follow(a.X, depth+1)
	}
}

// call goes on with what a call answers, and with what it may write the value into.
func (f *following) call(v ssa.Value, c *ssa.Call, depth int) {
	name := place.CalleeName(c.Common())
	f.proved = f.proved || proof.MatchString(name)
	f.shifted = f.shifted || name == "(time.Time).Add"
	f.follow(c, depth+1)
	if c.Call.IsInvoke() && c.Call.Method.Name() == "Write" {
		f.follow(c.Call.Value, depth+1)
	}
	if len(c.Call.Args) > 1 && (name == "io.WriteString" || name == "encoding/binary.Write" || name == "fmt.Fprintf") && c.Call.Args[0] != v {
		f.follow(writer(c.Call.Args[0]), depth+1)
	}
	if len(c.Call.Args) == 3 && c.Call.Signature().Results().Len() == 0 { // PutUint64(buffer, v)
		f.follow(buffer(c.Call.Args[1]), depth+1)
	}
}

func writer(v ssa.Value) ssa.Value {
	if ci, ok := v.(*ssa.ChangeInterface); ok {
		return ci.X
	}
	return v
}

func buffer(v ssa.Value) ssa.Value {
	if s, ok := v.(*ssa.Slice); ok {
		return s.X
	}
	return v
}
