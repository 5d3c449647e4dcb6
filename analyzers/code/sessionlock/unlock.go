package sessionlock

import (
	"regexp"
	"strings"

	"github.com/ccheck/ccheck/analyzers/internal/flow"
	"github.com/ccheck/ccheck/analyzers/internal/libs"
	"github.com/ccheck/ccheck/analyzers/internal/stmt"
)

// pinned reports whether a statement runs on a connection that the function has
// taken out of a pool.
func pinned(s *flow.Summary, w stmt.Stmt) bool {
	return w.Handle == libs.Pinned && w.On.Root == flow.Result && w.On.N < len(s.Events) && s.Events[w.On.N].Op == libs.Conn
}

// unlocks are the events of a function that unlock on the connection of a lock.
func unlocks(s *flow.Summary, w stmt.Stmt) []*flow.Event {
	var all []*flow.Event
	for i := range s.Events {
		if e := &s.Events[i]; frees.MatchString(e.SQL) && e.On.Same(w.On.Desc) {
			all = append(all, e)
		}
	}
	return all
}

// kept reports whether a connection goes back to its pool by a defer, and is
// unlocked by a statement that an error in between leaves out.
func kept(s *flow.Summary, w stmt.Stmt) bool {
	frees := unlocks(s, w)
	if !pinned(s, w) || len(frees) != 1 || frees[0].Deferred {
		return false
	}
	given := false
	for i := range s.Events {
		e := &s.Events[i]
		given = given || e.Op == libs.Release && e.Deferred && e.On.Same(w.On.Desc)
	}
	for _, c := range frees[0].Conds {
		if given && c.Test == flow.NoErr && c.Event != w.I && !decidedBefore(w, c) {
			return true
		}
	}
	return false
}

// decidedBefore reports whether the lock depends on a branch too.
func decidedBefore(w stmt.Stmt, c flow.Cond) bool {
	for _, o := range w.Conds {
		if o.Pos == c.Pos {
			return true
		}
	}
	return false
}

// mistaken reports whether what the function unlocks on the connection is another
// lock: a shared one is not given back by the call for the other kind, nor a key of
// two numbers by one of them.
func mistaken(s *flow.Summary, w stmt.Stmt) bool {
	frees := unlocks(s, w)
	for _, e := range frees {
		if strings.Contains(strings.ToLower(e.SQL), "unlock_all") || form(e.SQL) == form(w.SQL) {
			return false
		}
	}
	return len(frees) > 0
}

var call = regexp.MustCompile(`(?i)\bpg_(?:try_)?advisory_(?:un)?lock(_shared)?\s*\(`)

// form is the kind of a lock and the number of its keys: "_shared,".
func form(sql string) string {
	m := call.FindStringSubmatchIndex(sql)
	if m == nil {
		return ""
	}
	kind, depth := "", 1
	if m[2] >= 0 {
		kind = strings.ToLower(sql[m[2]:m[3]])
	}
	for _, c := range sql[m[1]:] {
		switch c {
		case '(':
			depth++
		case ')':
			depth--
		case ',':
			if depth == 1 {
				kind += ","
			}
		}
		if depth == 0 {
			break
		}
	}
	return kind
}

func keptStory(w stmt.Stmt) flow.Found {
	mends := "Fix, best first: pg_advisory_xact_lock in a transaction; defer the unlock, on the same connection, before anything can fail"
	if mysql.MatchString(w.SQL) {
		mends = "Fix: defer the unlock, on the same connection, before anything can fail"
	}
	return found(w, "high",
		"an error in between leaves out the unlock, and the connection is given back to the pool with this lock",
		"request A: "+w.Text,
		"request A: the work fails, return: Close gives the connection back, and the session still has the lock",
		"request B: waits for ever; whoever gets the connection next passes",
		mends)
}

func mistakenStory(w stmt.Stmt) flow.Found {
	return found(w, "high",
		"what is unlocked is another lock than this one: the unlock answers false, and the connection keeps the lock",
		"lock:   "+w.Text,
		"unlock: of the other kind, or with another number of keys   -- false, with a warning",
		"Fix, best first: pg_advisory_xact_lock, which needs no unlock; pg_advisory_unlock_shared for a shared lock, and the same keys")
}
