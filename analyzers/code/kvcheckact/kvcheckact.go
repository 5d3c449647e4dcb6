package kvcheckact

import (
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"

	"github.com/ccheck/ccheck/analyzers/internal/flow"
	"github.com/ccheck/ccheck/analyzers/internal/lease"
	"github.com/ccheck/ccheck/analyzers/internal/libs"
	"github.com/ccheck/ccheck/analyzers/internal/pair"
	"github.com/ccheck/ccheck/analyzers/internal/stmt"
)

var rule = pair.Rule{Name: "kvcheckact", Find: find, Story: story}

// Pairing is the judgement, for the step that sees the whole program.
var Pairing = rule.Pairing()

// Analyzer reports keys that are read and then written because of it.
var Analyzer = &analysis.Analyzer{
	Name:     "kvcheckact",
	Doc:      Doc,
	Requires: []*analysis.Analyzer{flow.Analyzer},
	Run:      rule.Run,
}

// find lists pairs; those that write come before those that count, take away or expire.
func find(s *flow.Summary) []pair.Pair {
	if stmt.Migration(s) {
		return nil
	}
	var out []pair.Pair
	for i := range s.Events {
		switch s.Events[i].Op {
		case libs.KVRead, libs.KVIncr, libs.KVClaim, libs.KVWrite, libs.KVAdd:
		default:
			continue
		}
		for j := range s.Events {
			if pair.Ours(s, i, j) && sameKey(s, i, j) && !guarded(s, i, j) && matters(s, i, j) {
				out = append(out, pair.Pair{Check: i, Act: j})
			}
		}
	}
	slices.SortStableFunc(out, func(a, b pair.Pair) int { return rank(s, a) - rank(s, b) })
	return out
}

func rank(s *flow.Summary, p pair.Pair) int {
	switch s.Events[p.Act].Op {
	case libs.KVWrite, libs.KVAdd:
		return 0
	case libs.KVIncr:
		return 1
	case libs.KVDelete:
		return 2
	}
	return 3
}

// guarded tells whether the server, or a lock, keeps others out: WATCH, a lock
// that was taken before the read, a mutex of this process over both. A mutex keeps
// no other process from the key: it is believed for what is set once, and not for a
// number or document that each of them counts on.
func guarded(s *flow.Summary, i, j int) bool {
	if pair.Locked(s, i, j) && !(s.Events[j].Op == libs.KVWrite && pair.Computed(s, i, j)) {
		return true
	}
	if watched(s, &s.Events[i]) {
		return true
	}
	for k := range s.Events {
		e := &s.Events[k]
		if !s.After(k, i) {
			continue
		}
		if e.Op == libs.KVWatch || e.Op == libs.KVLead {
			return true
		}
		if e.Op == libs.KVClaim && k != i && pair.Decides(s, k, j, whatever) && !pair.Decides(s, k, j, refused) {
			return true
		}
	}
	return counts(s, i, j)
}

// watched tells whether a key is read by a transaction that the function was given:
// go-redis makes one only for the function that Watch runs (Client.Watch).
func watched(s *flow.Summary, e *flow.Event) bool {
	if e.On.Root != flow.Param || strings.Count(e.On.Path, ".") > 1 || e.On.N >= len(s.Params) {
		return false
	}
	typ := s.Params[e.On.N]
	return strings.HasSuffix(typ, ".Tx") && strings.Contains(typ, "redis")
}

// counts tells whether the key is counted up in one step between the two, and what
// that answers leads to the second: whatever is wrong with it is then theirs.
func counts(s *flow.Summary, i, j int) bool {
	for k := range s.Events {
		if s.Events[k].Op == libs.KVIncr && k != i && k != j && sameKey(s, i, k) && s.After(i, k) && s.After(k, j) && pair.Decides(s, k, j, whatever) {
			return true
		}
	}
	return false
}

// refused tells whether a branch goes where a claim was refused: the key is
// somebody else's there, or one that was left behind.
func refused(c flow.Cond) bool {
	return c.Test == flow.Decides && c.Text == "" && !c.Yes && !strings.HasSuffix(c.Path, ".err")
}

func whatever(flow.Cond) bool { return true }

// asked tells whether the branch asks for the answer, and not only whether the
// server could be reached.
func asked(c flow.Cond) bool {
	if strings.HasSuffix(c.Path, ".err") && (c.Text == "== nil" && !c.Yes || c.Text == "!= nil" && c.Yes) {
		return true // a helper has said whether the key was there
	}
	return c.Test == flow.Absent || c.Test == flow.Present || c.Test == flow.Err || c.Test == flow.Decides && !strings.HasSuffix(c.Path, ".err")
}

// compared tells whether the branch compares the value itself.
func compared(c flow.Cond) bool { return c.Test == flow.Decides && !strings.HasSuffix(c.Path, ".err") }

// matters tells whether the second command does harm when the key has changed.
func matters(s *flow.Summary, i, j int) bool {
	read, act := &s.Events[i], &s.Events[j]
	if read.Op != libs.KVRead {
		return expires(s, i, j) || restarts(s, i, j)
	}
	switch act.Op {
	case libs.KVWrite:
		return pair.Computed(s, i, j) && !replaced(s, i, j) || act.Val.Root == flow.Result && act.Val.N == i || pair.Decides(s, i, j, asked) && (!filled(s, act.Val) || promised(s, i, j))
	case libs.KVAdd:
		return pair.Decides(s, i, j, compared) && (!member(read.Note) || worked(s, i, j) || single(s, i, j))
	case libs.KVIncr:
		return pair.Decides(s, i, j, asked) && !summed(s, j)
	case libs.KVDelete:
		if single(s, i, j) {
			return true
		}
		if member(read.Note) && act.Note != "DEL" || len(act.Site) == 1 && lease.Compared(s, j) >= 0 && lease.Releases(s, j) {
			return false // the second is the matter of fencing, which sees what one function does itself
		}
		if counted(s, j) || act.Note == "LTRIM" && read.Note == "LLEN" {
			return false // the second is a matter of the answer, or cuts a list to a length
		}
		return pair.Decides(s, i, j, compared) || pair.Decides(s, i, j, whatever) && (pair.Returned(s, i) || spent(s, i, j)) && !told(s, j)
	}
	return false
}

// summed tells whether somebody compares what the key was counted up to: that
// decides, and the look before it was a short cut.
func summed(s *flow.Summary, j int) bool {
	return slices.ContainsFunc(s.Results, func(r []flow.Part) bool {
		return slices.ContainsFunc(r, func(p flow.Part) bool { return p.Event == j && p.Calc && !strings.Contains(p.Source.Path, ".err") })
	})
}

// counted tells whether somebody looks at how much the server has taken away: of
// two that delete one thing, only one is told that it was there.
func counted(s *flow.Summary, j int) bool {
	for k := range s.Events {
		if s.After(j, k) && pair.Decides(s, j, k, compared) {
			return true
		}
	}
	return slices.ContainsFunc(s.Results, func(r []flow.Part) bool {
		return slices.ContainsFunc(r, func(p flow.Part) bool { return p.Event == j && p.Source.Path != ".err" })
	})
}

// spent tells whether what was read is used once it is deleted, by what happens
// only when the deletion has worked.
func spent(s *flow.Summary, i, j int) bool {
	for k := range s.Events {
		e := &s.Events[k]
		if s.After(j, k) && pair.Decides(s, j, k, whatever) && (comes(e.Key, i) || comes(e.Val, i) || slices.ContainsFunc(e.Args, func(v flow.Value) bool { return comes(v, i) })) {
			return true
		}
	}
	return false
}

// comes tells whether a value is, or has in it, what event i answered.
func comes(v flow.Value, i int) bool {
	return v.Root == flow.Result && v.N == i && !strings.Contains(v.Path, ".err") || from(v, i)
}

// told tells whether the server refuses to delete what is not there, as memcached
// does, and the function passes that on.
func told(s *flow.Summary, j int) bool {
	return strings.Contains(s.Events[j].Call, "memcache") && slices.ContainsFunc(s.Results, func(r []flow.Part) bool {
		return slices.ContainsFunc(r, func(p flow.Part) bool { return p.Event == j && p.Source.Path == ".err" })
	})
}

// replaced tells whether a query has filled the variable anew in between, into
// which the old value was read: a cache that is filled after a miss.
func replaced(s *flow.Summary, i, j int) bool {
	return slices.ContainsFunc(s.Events[j].Val.From, func(p flow.Part) bool {
		return p.Event >= 0 && p.Event != i && s.Events[p.Event].Op == libs.Query && s.After(i, p.Event) && s.After(p.Event, j)
	})
}

// member tells whether the question is for one member of a set, which adding
// twice does not change.
func member(command string) bool {
	return command == "SISMEMBER" || command == "ZSCORE" || command == "ZRANK" || command == "HEXISTS"
}

// worked tells whether a member is added to say that something is done, which is
// done twice when two find no member: a count, or a statement. The server tells who
// was first to add it, and nobody asks.
func worked(s *flow.Summary, i, j int) bool {
	if counted(s, j) {
		return false
	}
	for k := range s.Events {
		op := s.Events[k].Op
		if (op == libs.KVIncr || op == libs.Exec) && s.After(i, k) && pair.Decides(s, i, k, compared) {
			return true
		}
	}
	return false
}

// restarts tells whether a counter that was not there is set to its first value: it
// can be there by then, and have counted.
func restarts(s *flow.Summary, i, j int) bool {
	return s.Events[i].Op == libs.KVIncr && s.Events[j].Op == libs.KVWrite && pair.Decides(s, i, j, func(c flow.Cond) bool { return c.Test == flow.Absent })
}

// expires tells whether a key gets its time to live by a second command, which
// never comes when the process ends in between.
func expires(s *flow.Summary, i, j int) bool {
	first, act := &s.Events[i], &s.Events[j]
	if act.Op != libs.KVExpire || act.Note == "EXPIRE NX" {
		return false
	}
	if first.Op == libs.KVClaim || first.Note == "SET" {
		return endless(first) && !queued(s, act)
	}
	return pair.Decides(s, i, j, compared)
}

// endless tells whether a command could have given the key a time to live, and
// gives it none.
func endless(e *flow.Event) bool {
	return len(e.Args) > 0 && e.Args[0].Root == flow.Const && e.Args[0].Name == "0"
}

// filled tells whether the value comes from a source of truth, so that everybody
// would store the same: the answer of a query, or of a function that loads.
func filled(s *flow.Summary, v flow.Value) bool {
	if fetched(s, v) || answered(s, v) {
		return true
	}
	if _, item := v.Parts[".Key"]; item {
		return loaded(v.Parts[".Value"])
	}
	for _, p := range v.From {
		if p.Event >= 0 && s.Events[p.Event].Op != libs.KVRead {
			return true
		}
	}
	return loaded(v.Desc)
}

func loaded(d flow.Desc) bool {
	switch d.Root {
	case flow.Local:
		name, call := strings.CutPrefix(d.Class, "call ")
		return call && !pure(name)
	case flow.Result:
		return true
	}
	return slices.ContainsFunc(d.Args, loaded)
}

// pure tells whether a function only gives another form to its arguments, or
// makes a value up.
func pure(name string) bool {
	for _, p := range []string{"encoding/", "(encoding/", "fmt.", "strconv.", "time.", "(time.", "strings.", "bytes.", "google.golang.org/protobuf", "github.com/google/uuid", "(github.com/google/uuid", "crypto/", "math/rand", "github.com/bytedance/sonic", "github.com/json-iterator", "github.com/vmihailenco/msgpack", "github.com/goccy/go-json"} {
		if strings.HasPrefix(name, p) {
			return true
		}
	}
	return false
}
