package wallclock

import (
	"go/constant"
	"go/token"
	"go/types"
	"regexp"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/ccheck/ccheck/analyzers/internal/cfg"
	"github.com/ccheck/ccheck/analyzers/internal/place"
	"github.com/ccheck/ccheck/analyzers/internal/tell"
)

var (
	orderName = regexp.MustCompile(`(?i)time|stamp|^ts$|updated|modified|mtime|written|changed|_?at$|wall|clock`)
	// lengthName is how long something takes, or how often it was done.
	lengthName = regexp.MustCompile(`(?i)time_?(out|s|_?to_?live)$|(life|run|up|down)_?time$|format$`)
)

var lastWriteWins = tell.Story(
	"the newer timestamp wins: the wall clocks of two writers decide which write survives",
	"  writer A, whose clock is 2 s ahead, writes first and stamps it 12:00:02",
	"  writer B writes second and stamps it 12:00:01: the later write is dropped, and B was told it is stored",
	"fix: order by a version that the store counts (version = version + 1, a sequence, an etcd revision), or refuse the write whose version is not the one that was read",
)

// newest finds "last write wins": one record's timestamp is compared to
// another's, and the newer one replaces the other.
func (j *judge) newest(fn *ssa.Function) {
	cfg.Each(fn, func(in ssa.Instruction) {
		v, x, y := ordered(in)
		if v == nil {
			return
		}
		fx, a := stampIn(x)
		fy, b := stampIn(y)
		if fx == nil || fx != fy || !orderName.MatchString(fx.Name()) || lengthName.MatchString(fx.Name()) {
			return
		}
		if a != nil && b != nil && a != b && (replaces(v, a, b) || j.helps(v, a, b)) {
			j.Found(in.Pos(), lastWriteWins, nil)
		}
	})
}

// newerRow is a statement that writes a row only where its timestamp is older.
var newerRow = regexp.MustCompile(`(?is)\bupdate\b.*\bwhere\b.*\b\w*(updated|modified|written|changed|timestamp|mtime)\w*\s*<=?\s*(\$\d|\?|[:@]\w|excluded)`)

// excluded is the same of an upsert: the column, and the one of the new row.
var excluded = regexp.MustCompile(`(?is)\bdo\s+update\b.*\bwhere\b.*\b(\w+)\s*<=?\s*excluded\.(\w+)`)

// usingStamp is a write of CQL with a timestamp of the client's.
var usingStamp = regexp.MustCompile(`(?i)\busing\s+(ttl\s+\S+\s+and\s+)?timestamp\s*(\?|:\w)`)

// keepsNewer tells whether a statement writes a row only where its timestamp is older.
func keepsNewer(sql string) bool {
	if usingStamp.MatchString(sql) {
		return true
	}
	m := excluded.FindStringSubmatch(sql)
	return newerRow.MatchString(sql) || m != nil && m[1] == m[2] && orderName.MatchString(m[1])
}

// newerRows finds the same in a statement, with a reading among its values.
func (j *judge) newerRows(fn *ssa.Function) {
	cfg.Each(fn, func(in ssa.Instruction) {
		c, ok := in.(*ssa.Call)
		if !ok {
			return
		}
		text, read := false, false
		for _, a := range c.Call.Args {
			if k, ok := a.(*ssa.Const); ok && k.Value != nil && k.Value.Kind() == constant.String {
				text = text || keepsNewer(constant.StringVal(k.Value))
			}
			for _, v := range place.Variadic(a) {
				if mi, ok := v.(*ssa.MakeInterface); ok {
					v = mi.X
				}
				r := j.clock.of(v)
				read = read || r.ok && !r.shifted
			}
		}
		if text && read {
			j.Found(in.Pos(), lastWriteWins, nil)
		}
	})
}

// ordered reads an instruction as a comparison of two times.
func ordered(in ssa.Instruction) (v, x, y ssa.Value) {
	switch in := in.(type) {
	case *ssa.BinOp:
		if negated[in.Op] && timely(in.X.Type()) {
			return in, plain(in.X), plain(in.Y)
		}
	case *ssa.Call:
		name := place.CalleeName(in.Common())
		if name == "(time.Time).Before" || name == "(time.Time).After" || name == "(time.Time).Compare" {
			return in, in.Call.Args[0], in.Call.Args[1]
		}
		if strings.HasPrefix(name, "cmp.Compare") && timely(in.Call.Args[0].Type()) {
			return in, plain(in.Call.Args[0]), plain(in.Call.Args[1])
		}
	}
	return nil, nil, nil
}

// owner is the record that a field was read from.
func owner(v ssa.Value) ssa.Value {
	switch v := v.(type) {
	case *ssa.UnOp:
		if fa, ok := v.X.(*ssa.FieldAddr); ok && v.Op == token.MUL {
			return record(fa.X)
		}
	case *ssa.Field:
		return record(v.X)
	case *ssa.Convert:
		return owner(v.X)
	}
	return nil
}

// record steps from a local copy to what was copied.
func record(v ssa.Value) ssa.Value {
	if a, ok := v.(*ssa.Alloc); ok {
		if s := place.Assigned(a); s != nil {
			return s
		}
	}
	return v
}

// replaces tells whether a branch on v stores one of the records where others
// can see it.
func replaces(v, a, b ssa.Value) bool {
	for _, blk := range guarded(v) {
		for _, in := range blk.Instrs {
			var val ssa.Value
			switch in := in.(type) {
			case *ssa.MapUpdate:
				if made(in.Map) {
					continue
				}
				val = in.Value
			case ssa.CallInstruction:
				if !refuses(v) && saves(in, a, b) {
					return true
				}
				continue
			case *ssa.Store:
				if !place.Of(in.Addr).Shared() {
					continue
				}
				val = in.Val
			default:
				continue
			}
			if whole(val, a) || whole(val, b) {
				return true
			}
		}
	}
	return false
}

// made tells whether a map was made in this function: what is collected in it, the
// newest of each kind, replaces nothing that was stored.
func made(m ssa.Value) bool {
	if a, ok := loaded(m).(*ssa.Alloc); ok {
		m = place.Assigned(a)
	}
	_, ok := m.(*ssa.MakeMap)
	return ok
}

// whole tells whether val is the record, or a part of it that is no time.
func whole(val, rec ssa.Value) bool {
	if u, ok := val.(*ssa.UnOp); ok && u.Op == token.MUL && (record(u.X) == rec || sameCaptured(u.X, rec)) {
		return true
	}
	if record(val) == rec || sameElement(val, rec) || sameCaptured(val, rec) || rebuilt(val, rec) {
		return true
	}
	f, _ := fieldRead(val)
	return f != nil && owner(val) == rec && !isTime(f.Type())
}

// sameElement tells whether two addresses are that of one element of a list.
func sameElement(x, y ssa.Value) bool {
	a, ok := x.(*ssa.IndexAddr)
	if !ok {
		return false
	}
	b, ok := y.(*ssa.IndexAddr)
	return ok && a.Index == b.Index && place.Of(a.X).Equal(place.Of(b.X))
}

func isTime(t types.Type) bool { return t.String() == "time.Time" || t.String() == "int64" }

// guarded lists the blocks that are reached on one side of a branch on v only.
func guarded(v ssa.Value) []*ssa.BasicBlock {
	var out []*ssa.BasicBlock
	for _, r := range *v.Referrers() {
		switch r := r.(type) {
		case *ssa.If:
			out = append(out, dependent(r.Block())...)
		case *ssa.UnOp:
			out = append(out, guarded(r)...)
		case *ssa.BinOp:
			out = append(out, guarded(r)...)
		case *ssa.Phi: // a && b, a || b
			out = append(out, guarded(r)...)
		}
	}
	return out
}

// dependent lists the blocks that one successor of b leads to and the other does not
// pass, in one turn of the loops that b is in.
func dependent(b *ssa.BasicBlock) []*ssa.BasicBlock {
	yes, no := reach(b.Succs[0], b), reach(b.Succs[1], b)
	var out []*ssa.BasicBlock
	for _, o := range b.Parent().Blocks {
		if yes[o] != no[o] {
			out = append(out, o)
		}
	}
	return out
}

// reach lists the blocks that b leads to. What dominates the branch comes before it,
// and is reached again in the next turn of a loop only.
func reach(b, branch *ssa.BasicBlock) map[*ssa.BasicBlock]bool {
	seen := map[*ssa.BasicBlock]bool{}
	var walk func(*ssa.BasicBlock)
	walk = func(b *ssa.BasicBlock) {
		if seen[b] {
			return
		}
		seen[b] = true
		if b.Dominates(branch) {
			return
		}
		for _, s := range b.Succs {
			walk(s)
		}
	}
	walk(b)
	return seen
}
