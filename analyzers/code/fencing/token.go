package fencing

import (
	"go/token"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"

	"github.com/ccheck/ccheck/analyzers/internal/cfg"
	"github.com/ccheck/ccheck/analyzers/internal/flow"
	"github.com/ccheck/ccheck/analyzers/internal/lease"
	"github.com/ccheck/ccheck/analyzers/internal/libs"
	"github.com/ccheck/ccheck/analyzers/internal/pair"
	"github.com/ccheck/ccheck/analyzers/internal/tell"
)

// ordered is a comparison by size with a column that fences.
var ordered = regexp.MustCompile(`(?i)\b\w*(fenc|token|epoch|generation|term|lease)\w*\s*(<=?|>=?)\s*[$:@?]`)

// tokens finds fencing tokens that do not grow: made of a clock, random, or counted
// by a counter that begins anew.
func tokens(pass *analysis.Pass, pkg *flow.Package, s *flow.Summary) (out []flow.Found) {
	if s.Generated || s.Folded {
		return nil
	}
	for i := range s.Events {
		e := &s.Events[i]
		switch {
		case e.Op == libs.Exec && ordered.MatchString(e.SQL), lease.Larger(e) && claims(s, i):
			for _, a := range e.Args {
				out = append(out, madeUp(pass, pkg, s, i, a.Desc)...)
			}
		case e.Op == libs.KVClaim && counted(pkg, s, e.Val.Desc):
			out = append(out, ownCount(s, i, e.Val.N))
		case e.Op == libs.KVClaim && clock(e.Val.Desc) && handed(s, e.Val.Desc):
			out = append(out, madeUp(pass, pkg, s, i, e.Val.Desc)...)
		case e.Op == libs.KVExpire || e.Op == libs.KVDelete:
			out = append(out, begunAnew(s, i)...)
		}
	}
	return out
}

// claims tells whether a lock is taken before event i with a value that event i is
// given.
func claims(s *flow.Summary, i int) bool {
	for k := range s.Events {
		if e := &s.Events[k]; e.Op == libs.KVClaim && s.After(k, i) && slices.ContainsFunc(s.Events[i].Args, func(a flow.Value) bool { return a.Same(e.Val.Desc) }) {
			return true
		}
	}
	return false
}

// counterName is what the key of a counter of tokens is called.
var counterName = regexp.MustCompile(`(?i)fenc|epoch|generation|term\b`)

// begunAnew finds a counter of tokens that ends, with a time to live or the lock: it
// counts from 1 again, and what it gave before is larger.
func begunAnew(s *flow.Summary, i int) []flow.Found {
	for k := range s.Events {
		if s.Events[k].Op != libs.KVIncr || k == i || s.Events[k].Key.String() != s.Events[i].Key.String() || !counterName.MatchString(s.Events[k].Key.Desc.String()) {
			continue
		}
		return []flow.Found{{At: pair.Act(s, i), Severity: "medium", Related: []flow.Note{{At: pair.Check(s, k), Text: "the tokens are counted here"}},
			Message: tell.Story("the counter of fencing tokens ends: a later owner gets 1 again, and its writes are refused, or those of an old owner pass",
				"  worker A takes the lock with token 105",
				"  the counter expires or is deleted; worker B takes the lock with token 1",
				"  B's writes are refused as too old, and A's still pass",
				"fix: keep the counter for ever, it is one small key: INCR without EXPIRE or DEL")}}
	}
	return nil
}

// handed tells whether the function gives the value to its caller, as a token.
func handed(s *flow.Summary, d flow.Desc) bool {
	for _, r := range s.Descs {
		if r.String() == d.String() {
			return true
		}
	}
	return false
}

func clock(d flow.Desc) bool { return strings.HasPrefix(d.Class, "call (time.Time).Unix") }

func random(d flow.Desc) bool {
	return strings.Contains(d.Class, "uuid") || strings.Contains(d.Class, "rand.") || strings.Contains(d.Class, "xid") || strings.Contains(d.Class, "nanoid")
}

func madeUp(pass *analysis.Pass, pkg *flow.Package, s *flow.Summary, i int, d flow.Desc) []flow.Found {
	for d.Root == flow.Expr && len(d.Args) == 1 { // written in another way
		d = d.Args[0]
	}
	if d.Root != flow.Local || d.Path != "" || !clock(d) && !random(d) {
		return nil
	}
	what := "the clock of the holder: clocks differ between machines and step back, so a later owner can have the smaller token"
	if random(d) {
		what = "a random value: it tells owners apart, and a later owner has the smaller one half of the time"
	}
	f := flow.Found{At: origin(pass, pkg, s, i, d), Severity: "medium",
		Message: tell.Story("the fencing token comes from "+what,
			"  worker A, whose clock is ahead, takes the lock with token 105, and is paused",
			"  worker B takes the lock with token 103: its writes are refused as too old, or A's come after and pass",
			"fix: let one place count: INCR key:fence, nextval('fence'), or the revision that etcd gave the lock")}
	f.Related = []flow.Note{{At: pair.Act(s, i), Text: "it is used as a token here"}}
	return []flow.Found{f}
}

// origin is where a local value was made, the event when that is not found.
func origin(pass *analysis.Pass, pkg *flow.Package, s *flow.Summary, i int, d flow.Desc) flow.Pos {
	parts := strings.Split(d.Name, ".")
	if len(parts) < 2 {
		return pair.Act(s, i)
	}
	fnName, valName := parts[len(parts)-2], parts[len(parts)-1]
	var at token.Pos
	for _, fn := range pkg.Funcs {
		if fn.Name() != fnName {
			continue
		}
		cfg.Each(fn, func(in ssa.Instruction) {
			if v, ok := in.(*ssa.Call); ok && v.Name() == valName && d.Class == "call "+name(v) {
				at = v.Pos()
			}
		})
	}
	if !at.IsValid() {
		return pair.Act(s, i)
	}
	p := pass.Fset.Position(at)
	return flow.Pos{File: p.Filename, Line: p.Line, Col: p.Column}
}

func name(v *ssa.Call) string {
	if f := v.Call.StaticCallee(); f != nil {
		return f.String()
	}
	return ""
}
