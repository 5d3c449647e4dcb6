package fencing

import (
	"regexp"
	"slices"
	"strings"

	"github.com/ccheck/ccheck/analyzers/internal/flow"
	"github.com/ccheck/ccheck/analyzers/internal/lease"
	"github.com/ccheck/ccheck/analyzers/internal/libs"
	"github.com/ccheck/ccheck/analyzers/internal/pair"
	"github.com/ccheck/ccheck/analyzers/internal/sqlread"
	"github.com/ccheck/ccheck/analyzers/internal/tell"
)

// tokenName: words in a statement which say that the store itself checks.
var tokenName = regexp.MustCompile(`(?i)\b\w*(token|fenc|epoch|version|term|lease|generation|revision|\brev\b|owner|holder|locked_by|worker|attempt|state\s*=|status\s*=)\w*`)

// named tells whether the condition of a statement says who may write. What an
// UPDATE sets is no condition, and no more is what a table is called.
func named(sql string) bool {
	if at := strings.LastIndex(strings.ToLower(sql), "where"); at >= 0 && changes(sql) {
		sql = sql[at:]
	}
	return tokenName.MatchString(sql)
}

// protected finds a write under a lock with a lease that nothing fences.
func protected(s *flow.Summary, _ *lease.Claims) []flow.Found {
	for l := range s.Events {
		lock := &s.Events[l]
		if !lease.Takes(s, l) {
			continue
		}
		for w := range s.Events {
			if !s.After(l, w) || s.Events[w].Deferred || !s.Local(l, w) && len(lock.Site) > 1 || !unfenced(s, l, w) {
				continue
			}
			return []flow.Found{overtaken(s, w, pair.Check(s, l), "the lock or leadership is taken here")}
		}
	}
	return nil
}

// overtaken tells of a write that trusts a lock which may be over.
func overtaken(s *flow.Summary, w int, at flow.Pos, text string) flow.Found {
	notes := []flow.Note{{At: at, Text: text}}
	if len(s.Events[w].Site) > 1 {
		notes = append(notes, flow.Note{At: pair.Check(s, w), Text: "the write itself is here"})
	}
	return flow.Found{At: pair.Act(s, w), Severity: "medium", Related: notes,
		Message: tell.Story("a write under a lock with a lease carries no token: a holder that was paused writes after the lease is over",
			"  worker A takes the lock, and is paused for longer than the lease",
			"  worker B takes the lock and writes",
			"  A wakes up and writes: B's write is lost, and both believe they were alone",
			fence(&s.Events[w]))}
}

// unfenced tells whether a write believes in the lock alone: a plain put of a
// leader, or a statement or key whose new value rests on what was read or given
// under the lock.
func unfenced(s *flow.Summary, l, w int) bool {
	lock, e := &s.Events[l], &s.Events[w]
	switch e.Op {
	case libs.KVWrite:
		if strings.Contains(lock.Call, "etcd") {
			return strings.Contains(e.Call, "etcd")
		}
		return e.Key.String() != lock.Key.String() && (computed(s, l, w) || lasting(s, w) && lease.Returned(s, l) && given(s, l, w))
	case libs.KVAdd:
		return e.Note == "ZADD" && lasting(s, w) && lease.Returned(s, l) && (computed(s, l, w) || given(s, l, w))
	case libs.Exec:
		return !lease.Row(e) && !named(e.SQL) && !relative(e.SQL) && (changes(e.SQL) || replaces(e) && lease.Returned(s, l))
	case libs.FileCreate, libs.FileRename:
		return !strings.HasSuffix(lock.Call, ".Campaign") && elsewhere(e.Key.Desc) && (lease.Returned(s, l) || computed(s, l, w))
	}
	return false
}

func changes(sql string) bool {
	verb, _, _ := strings.Cut(strings.TrimSpace(strings.ToLower(sql)), " ")
	return verb == "update" || verb == "delete"
}

// replaces tells whether an INSERT writes over the row that is there, whatever is
// in it.
func replaces(e *flow.Event) bool {
	t := lease.Written(e)
	return t != nil && t.Kind == sqlread.Insert && t.OnConflict == "update" && !where.MatchString(e.SQL) &&
		slices.ContainsFunc(t.Writes, func(w sqlread.Write) bool { return w.Kind == sqlread.Absolute })
}

var where = regexp.MustCompile(`(?i)\bwhere\b`)

// machine is where a machine keeps what is its own.
var machine = regexp.MustCompile(`^/(tmp|run|proc|dev|sys|var/(run|tmp|log|cache))/`)

// elsewhere tells whether the path of a file comes from outside of the function, so
// that others can have it too: a file of one's own needs no lock.
func elsewhere(d flow.Desc) bool {
	switch d.Root {
	case flow.Param, flow.Global:
		return true
	case flow.Const:
		return strings.HasPrefix(d.Name, "/") && !machine.MatchString(d.Name)
	}
	return d.Root == flow.Expr && slices.ContainsFunc(d.Args, elsewhere)
}

// computed tells whether what is stored was computed from something read under
// the lock.
func computed(s *flow.Summary, l, w int) bool {
	for i := range s.Events {
		op := s.Events[i].Op
		if (op == libs.KVRead || op == libs.Query || op == libs.FileRead) && s.After(l, i) && pair.Computed(s, i, w) {
			return true
		}
	}
	return false
}

// cached is what the keys are called of what can be made again.
var cached = regexp.MustCompile(`(?i)cache|memo`)

// lasting tells whether a write changes a part of a key that stays. What has a time to
// live is a copy that saves work, and a lock around it does no more.
func lasting(s *flow.Summary, w int) bool {
	e := &s.Events[w]
	if !slices.Contains([]string{"HSET", "HMSET", "LSET", "ZADD"}, e.Note) || cached.MatchString(e.Key.Desc.String()+e.Key.Class) {
		return false
	}
	return !slices.ContainsFunc(s.Events, func(o flow.Event) bool {
		return o.Op == libs.KVExpire && o.Key.String() == e.Key.String()
	})
}

// given tells whether what is stored was made under the lock by something of which
// nothing is known: by then the lock may be over. Only the score of a member is
// written over.
func given(s *flow.Summary, l, w int) bool {
	e := &s.Events[w]
	from := e.Val.From
	for i := 1; i < len(e.Val.Elems); i += 2 { // a field, its value, a field …
		from = append(from[:len(from):len(from)], e.Val.Elems[i].From...)
	}
	return slices.ContainsFunc(from, func(p flow.Part) bool {
		return p.Event >= 0 && s.Events[p.Event].Op == libs.Calls && s.After(l, p.Event) && p.Path != ".Member"
	})
}

// relative tells whether a statement computes the new value from the old in
// one step, with its condition: it needs no lock.
func relative(sql string) bool {
	return regexp.MustCompile(`(?i)set\s+(\w+)\s*=\s*\w*\.?(\w+)\s*[-+]`).MatchString(sql) && strings.Contains(strings.ToLower(sql), " and ")
}

func fence(e *flow.Event) string {
	switch e.Op {
	case libs.FileCreate, libs.FileRename:
		return "fix: a file cannot compare tokens: write under a name that has the token in it, INCR or the revision of the lock, and let readers take the largest; or store it where the write can compare"
	}
	if strings.Contains(e.Call, "etcd") {
		return "fix: Txn(ctx).If(Compare(CreateRevision(e.Key()), \"=\", e.Rev())).Then(OpPut(…)).Commit(), and stop when it did not succeed; for a Mutex, If(m.IsOwner())"
	}
	return "fix: take a token that grows with each owner (INCR, a sequence, the revision of the lock), store it with the data, and write only WHERE fence < token; look at the number of rows"
}
