package growth

import (
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

// working are the names of pieces of work, which end.
var working = regexp.MustCompile(`(?i)(job|task|run|export|import|report|build|scan|operation|execution|download|render|transcode|query|crawl)s?$`)

// works tells whether an entry is a piece of work under a name of its own, which a
// goroutine does that is started here: it is done some day, and its entry stays.
func (j *judge) works(g growing) bool {
	if g.key == nil || !j.minted(g.key, 0) || !working.MatchString(strings.TrimPrefix(libs.TypeName(g.val.Type()), "*")) && !working.MatchString(named(g.holds)) {
		return false
	}
	found := false
	cfg.Each(g.in.Parent(), func(in ssa.Instruction) {
		_, starts := in.(*ssa.Go)
		found = found || starts
	})
	return found
}

// worker tells whether each new key gets a channel and a goroutine of its own, which
// waits for what comes under that key, and waits on when nothing comes any more.
func worker(g growing) bool {
	if g.key == nil || !(identity(g.key) || client(g.key) || chatName.MatchString(place.Of(g.key).String())) || !asked(g) {
		return false
	}
	_, made := g.val.(*ssa.MakeChan)
	if load, ok := g.val.(*ssa.UnOp); ok && !made {
		if a, ok := load.X.(*ssa.Alloc); ok {
			made = len(*a.Referrers()) > 0 && isChan(load.Type())
		}
	}
	if !made {
		return false
	}
	found := false
	cfg.Each(g.in.Parent(), func(in ssa.Instruction) {
		st, starts := in.(*ssa.Go)
		found = found || starts && (st.Block() == g.in.Block() || g.in.Block().Dominates(st.Block()))
	})
	return found
}

// chatName are the fields of a message that say where it belongs.
var chatName = regexp.MustCompile(`(?i)(chat|room|guild|conversation|sender|from|to|sub)\w*$`)

func isChan(t types.Type) bool {
	_, ok := t.Underlying().(*types.Chan)
	return ok
}

// mint are the functions that give an identity or chance.
var mint = regexp.MustCompile(`(?i)uuid[^.]*\.(New|Must|Make)|\b(xid|ksuid|ulid|nanoid)\.(\(.*\)\.)?(New|Make|Must|Generate)|\brand(/v2)?\.(Text|Int|Read)`)

// fleeting are the names of what lives for one visit and not as long as the data
// that a program keeps.
var fleeting = regexp.MustCompile(`(?i)sess|token|otp\b|nonce|challenge|captcha|csrf|ticket|login|verif|upload|visit|oauth|states?\b|authcode|auth_?request`)

// visits tells whether each entry is for one visit under a key of its own: a
// session under a random name. What a program keeps for good, a product, is data.
func (j *judge) visits(g growing) bool {
	return g.key != nil && fleeting.MatchString(named(g.holds)+" "+owner(g)+" "+g.val.Type().String()) && j.minted(g.key, 0)
}

// owner is the name of the structure that has the container, "" when there is none.
func owner(g growing) string {
	fa := fieldAt(g.base)
	if fa == nil {
		return ""
	}
	return libs.TypeName(fa.X.Type().Underlying().(*types.Pointer).Elem())
}

// abandoned judges entries for visits which only the visitor's next request takes
// out: nobody has promised to come back.
func (j *judge) abandoned(in ssa.Instruction) {
	g, ok := j.grows[in]
	if !ok || !j.visits(g) || j.bounds[g.holds] || len(j.answers[g.holds]) == 0 || !shared(g) || !j.reachable(in.Parent(), 0) {
		return
	}
	for _, d := range j.answers[g.holds] {
		if d.Parent() == in.Parent() || !j.chosen(d.Common().Args[1], 0) {
			return
		}
	}
	j.Found(g.pos, tell.Story(
		named(g.holds)+" only grows with what is begun and never finished: each visit adds an entry under a name of its own, and only a later request with this name takes it out",
		"  somebody begins, and an entry is stored",
		"  they leave, or a robot begins ten thousand times: nobody asks for the names again",
		"  the entries stay, and memory rises until the process is killed",
		"fix: store when it was begun, and delete what is older than a few minutes, in a ticker or before the next is added; or a store with expiry",
	), nil, tell.Place{Pos: j.answers[g.holds][0].Pos(), Text: "only whoever comes back takes it out, here"})
}

// minted tells whether a key is made anew each time: no two entries share one.
func (j *judge) minted(v ssa.Value, depth int) bool {
	if depth > 6 || v == nil {
		return false
	}
	switch v := v.(type) {
	case *ssa.Call:
		return j.mintedBy(v, depth)
	case *ssa.BinOp:
		return j.minted(v.X, depth+1) || j.minted(v.Y, depth+1)
	case *ssa.Convert:
		return j.minted(v.X, depth+1)
	case *ssa.MakeSlice:
		return filled(v)
	case *ssa.Alloc:
		return filled(v) || j.minted(place.Assigned(v), depth+1)
	case *ssa.FreeVar:
		return j.minted(place.Captured(v), depth+1)
	case *ssa.Parameter:
		args := j.calls.Given(v)
		return len(args) > 0 && !slices.ContainsFunc(args, func(a ssa.Value) bool { return !j.minted(a, depth+1) })
	case *ssa.UnOp:
		if fa, ok := v.X.(*ssa.FieldAddr); ok {
			if a := maker(fa.X); a != nil && slices.ContainsFunc(fieldStores(a, fa.Field), func(s ssa.Value) bool { return j.minted(s, depth+1) }) {
				return true
			}
		}
	}
	base := place.Base(v)
	return base != v && j.minted(base, depth+1)
}

// mintedBy looks at what a call is, at what it is given, and at what it returns.
func (j *judge) mintedBy(c *ssa.Call, depth int) bool {
	if mint.MatchString(place.CalleeName(c.Common())) {
		return true
	}
	for _, a := range c.Call.Args {
		if j.minted(a, depth+1) {
			return true
		}
	}
	fn := c.Call.StaticCallee()
	if fn == nil || c.Call.Signature().Results().Len() == 0 {
		return false
	}
	for _, b := range fn.Blocks {
		if r, ok := b.Instrs[len(b.Instrs)-1].(*ssa.Return); ok && j.minted(r.Results[0], depth+1) {
			return true
		}
	}
	return false
}

// filled tells whether random bytes are read into v, or into a part of it.
func filled(v ssa.Value) bool {
	for _, u := range *v.Referrers() {
		switch u := u.(type) {
		case *ssa.Slice:
			if filled(u) {
				return true
			}
		case *ssa.Call:
			name := place.CalleeName(u.Common())
			if mint.MatchString(name) || name == "io.ReadFull" && strings.HasSuffix(place.Of(u.Call.Args[0]).String(), "rand.Reader") {
				return true
			}
		}
	}
	return false
}
