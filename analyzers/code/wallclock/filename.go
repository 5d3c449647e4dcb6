package wallclock

import (
	"go/constant"
	"go/token"
	"os"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/ccheck/ccheck/analyzers/internal/callers"
	"github.com/ccheck/ccheck/analyzers/internal/cfg"
	"github.com/ccheck/ccheck/analyzers/internal/place"
	"github.com/ccheck/ccheck/analyzers/internal/tell"
)

var (
	// spelling are functions that make a text of others and add nothing of their own.
	spelling = regexp.MustCompile(`^(fmt\.Sprint|strconv\.(Format|Itoa)|strings\.|path\.|path/filepath\.)`)
	// apartName is a part of a name that two callers have different ones of.
	apartName = regexp.MustCompile(`(?i)id$|uid|rand|pid|seq|nonce|index|suffix|hash|sum|host|worker|shard|^[a-z]$`)
)

// filenames finds files whose names differ by the clock alone, and that replace what
// has the name already.
func (j *judge) filenames(fn *ssa.Function) {
	cfg.Each(fn, func(in ssa.Instruction) {
		c, ok := in.(*ssa.Call)
		if !ok || !j.stamps(c) || !fine(c) || !j.names(c, 0) {
			return
		}
		j.Found(c.Pos(), tell.Story(
			"the clock alone tells the name of this file from that of the last one: two in one tick get one name, and the second replaces the first",
			"  caller A and caller B read the same tick, or the clock was set back",
			"  A writes its file, and B renames or writes another over it: A's is lost",
			"fix: open it with os.O_CREATE|os.O_EXCL and take the next name when it exists, or os.CreateTemp with the time in its pattern",
		), nil)
	})
}

// fine tells whether a stamp goes down to seconds. One file a day is meant to be one.
// Two nanoseconds are not the same when one goroutine after the other writes a file.
func fine(c *ssa.Call) bool {
	name := place.CalleeName(c.Common())
	if strings.HasSuffix(name, ".UnixNano") {
		return !locks(c.Parent())
	}
	if !strings.HasSuffix(name, ".Format") {
		return true
	}
	layout, ok := text(c.Call.Args[1])
	return ok && strings.Contains(layout, "05")
}

// locks tells whether a function takes a mutex.
func locks(fn *ssa.Function) bool {
	found := false
	cfg.Each(fn, func(in ssa.Instruction) {
		if c, ok := in.(*ssa.Call); ok {
			name := place.CalleeName(c.Common())
			found = found || strings.HasPrefix(name, "(*sync.") && strings.HasSuffix(name, ".Lock")
		}
	})
	return found
}

// names follows a stamp through texts to the name of a file.
func (j *judge) names(v ssa.Value, depth int) bool {
	if depth > 12 || v.Referrers() == nil {
		return false
	}
	return slices.ContainsFunc(*v.Referrers(), func(r ssa.Instruction) bool {
		switch r := r.(type) {
		case *ssa.Convert:
			return j.names(r, depth+1)
		case *ssa.MakeInterface:
			return j.names(r, depth+1)
		case *ssa.BinOp:
			return r.Op == token.ADD && !apart(r.X, 0) && !apart(r.Y, 0) && j.names(r, depth+1)
		case *ssa.Return:
			return len(r.Results) == 1 && slices.ContainsFunc(j.calls.Calls(r.Parent()), func(c ssa.CallInstruction) bool {
				return c.Value() != nil && j.names(c.Value(), depth+1)
			})
		case *ssa.Store:
			return j.spelt(r, depth)
		case *ssa.Call:
			return j.handed(v, r, depth)
		}
		return false
	})
}

// spelt goes on with the text that the list of arguments belongs to into which a
// stamp is put.
func (j *judge) spelt(st *ssa.Store, depth int) bool {
	ia, ok := st.Addr.(*ssa.IndexAddr)
	if !ok {
		return false
	}
	for _, r := range *ia.X.Referrers() {
		s, ok := r.(*ssa.Slice)
		if !ok || slices.ContainsFunc(place.Variadic(s), func(v ssa.Value) bool { return apart(v, 0) }) {
			continue
		}
		for _, r := range *s.Referrers() {
			if c, ok := r.(*ssa.Call); ok && spelling.MatchString(place.CalleeName(c.Common())) && j.names(c, depth+1) {
				return true
			}
		}
	}
	return false
}

// handed tells whether a call puts a file in place of another under the name, or a
// function that it is handed to does.
func (j *judge) handed(v ssa.Value, c *ssa.Call, depth int) bool {
	name := place.CalleeName(c.Common())
	if spelling.MatchString(name) {
		return j.names(c, depth+1)
	}
	if overwrites(c, name, v) || uploads(c, name, v) {
		return !lookedFor(v)
	}
	fn := callers.Callee(c.Common())
	if fn == nil || fn.Blocks == nil {
		return false
	}
	i := slices.Index(c.Call.Args, v)
	return i >= 0 && i < len(fn.Params) && j.names(fn.Params[i], depth+1)
}

// overwrites tells whether a call replaces the file of a name. A program that ends
// after one file writes no second one in the same tick.
func overwrites(c *ssa.Call, name string, v ssa.Value) bool {
	switch name {
	case "os.Rename":
		return c.Call.Args[1] == v
	case "os.Create", "os.WriteFile":
		return c.Call.Args[0] == v && c.Parent().Pkg.Pkg.Name() != "main"
	case "os.OpenFile":
		k, ok := c.Call.Args[1].(*ssa.Const)
		if !ok {
			return false
		}
		flags, _ := constant.Int64Val(k.Value)
		return int(flags)&os.O_TRUNC != 0 && int(flags)&os.O_EXCL == 0
	}
	return false
}

// lookedFor tells whether somebody asks whether there is a file of the name.
func lookedFor(v ssa.Value) bool {
	return slices.ContainsFunc(*v.Referrers(), func(r ssa.Instruction) bool {
		c, ok := r.(*ssa.Call)
		if !ok {
			return false
		}
		name := place.CalleeName(c.Common())
		return name == "os.Stat" || name == "os.Lstat"
	})
}

// apart tells whether a part of a name can be another one for each caller.
func apart(v ssa.Value, depth int) bool {
	if depth > 5 {
		return true
	}
	switch v := v.(type) {
	case *ssa.Const:
		return false
	case *ssa.MakeInterface:
		return apart(v.X, depth+1)
	case *ssa.Convert:
		return apart(v.X, depth+1)
	case *ssa.BinOp:
		return apart(v.X, depth+1) || apart(v.Y, depth+1)
	case *ssa.Parameter:
		return apartName.MatchString(v.Name())
	case *ssa.FreeVar:
		return apartName.MatchString(v.Name())
	case *ssa.UnOp:
		if g, ok := v.X.(*ssa.Global); ok {
			return apartName.MatchString(g.Name())
		}
		f, _ := fieldRead(v)
		return f == nil || apartName.MatchString(f.Name())
	case *ssa.Call:
		return apartCall(v, depth)
	}
	return true
}

func apartCall(c *ssa.Call, depth int) bool {
	name := place.CalleeName(c.Common())
	if strings.HasPrefix(name, "(time.Time).") || name == "os.TempDir" {
		return false
	}
	return !spelling.MatchString(name) || slices.ContainsFunc(flat(c), func(v ssa.Value) bool {
		_, list := v.(*ssa.Slice)
		return !list && apart(v, depth+1)
	})
}
