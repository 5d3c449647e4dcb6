package fencing

import (
	"go/token"
	"regexp"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/ccheck/ccheck/analyzers/internal/cfg"
	"github.com/ccheck/ccheck/analyzers/internal/flow"
	"github.com/ccheck/ccheck/analyzers/internal/libs"
	"github.com/ccheck/ccheck/analyzers/internal/pair"
	"github.com/ccheck/ccheck/analyzers/internal/tell"
)

// ordered is a comparison by size with a column that fences.
var ordered = regexp.MustCompile(`(?i)\b\w*(fenc|token|epoch|generation|term|lease)\w*\s*(<=?|>=?)\s*[$:@?]`)

// token finds a fencing token that does not grow: made of a clock, or random.
func (j *judge) token(s *flow.Summary) {
	for i := range s.Events {
		e := &s.Events[i]
		switch {
		case e.Op == libs.Exec && ordered.MatchString(e.SQL):
			for _, a := range e.Args {
				j.madeUp(s, i, a.Desc)
			}
		case e.Op == libs.KVClaim && clock(e.Val.Desc) && handed(s, e.Val.Desc):
			j.madeUp(s, i, e.Val.Desc)
		}
	}
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

func (j *judge) madeUp(s *flow.Summary, i int, d flow.Desc) {
	if d.Root != flow.Local || d.Path != "" || !clock(d) && !random(d) {
		return
	}
	what := "the clock of the holder: clocks differ between machines and step back, so a later owner can have the smaller token"
	if random(d) {
		what = "a random value: it tells owners apart, and a later owner has the smaller one half of the time"
	}
	f := flow.Found{At: j.origin(s, i, d), Severity: "medium",
		Message: tell.Story("the fencing token comes from "+what,
			"  worker A, whose clock is ahead, takes the lock with token 105, and is paused",
			"  worker B takes the lock with token 103: its writes are refused as too old, or A's come after and pass",
			"fix: let one place count: INCR key:fence, nextval('fence'), or the revision that etcd gave the lock")}
	f.Related = []flow.Note{{At: pair.Act(s, i), Text: "it is used as a token here"}}
	j.report(f)
}

// origin is where a local value was made, the event when that is not found.
func (j *judge) origin(s *flow.Summary, i int, d flow.Desc) flow.Pos {
	parts := strings.Split(d.Name, ".")
	if len(parts) < 2 {
		return pair.Act(s, i)
	}
	fnName, valName := parts[len(parts)-2], parts[len(parts)-1]
	var at token.Pos
	for _, fn := range j.pkg.Funcs {
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
	p := j.pass.Fset.Position(at)
	return flow.Pos{File: p.Filename, Line: p.Line, Col: p.Column}
}

func name(v *ssa.Call) string {
	if f := v.Call.StaticCallee(); f != nil {
		return f.String()
	}
	return ""
}
