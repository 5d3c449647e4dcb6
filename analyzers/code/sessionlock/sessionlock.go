package sessionlock

import (
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"

	"github.com/ccheck/ccheck/analyzers/internal/flow"
	"github.com/ccheck/ccheck/analyzers/internal/libs"
	"github.com/ccheck/ccheck/analyzers/internal/stmt"
)

// Pairing is the judgement, for the step that sees the whole program.
var Pairing = flow.Pairing{Name: "sessionlock", Judge: judge}

// Analyzer reports session-level advisory locks on pools.
var Analyzer = &analysis.Analyzer{
	Name:     "sessionlock",
	Doc:      Doc,
	Requires: []*analysis.Analyzer{flow.Analyzer},
	Run:      flow.Run(Pairing),
}

var (
	takes = regexp.MustCompile(`(?i)\b(pg_(try_)?advisory_lock(_shared)?|get_lock)\s*\(|^\s*lock\s+tables\s`)
	tries = regexp.MustCompile(`(?i)\bpg_try_advisory_(xact_)?lock(_shared)?\s*\(`)
	frees = regexp.MustCompile(`(?i)\b(pg_advisory_unlock(_all|_shared)?|release_(lock|all_locks))\s*\(|^\s*unlock\s+tables\b`)
	mysql = regexp.MustCompile(`(?i)\b(get_lock|release_(lock|all_locks))\s*\(|^\s*(un)?lock\s+tables\b`)
)

func judge(s *flow.Summary) []flow.Found {
	var out []flow.Found
	if s.Generated {
		return nil
	}
	for _, w := range stmt.All(s) {
		if !takes.MatchString(w.SQL) && !frees.MatchString(w.SQL) && !tries.MatchString(w.SQL) || !seenHere(w) {
			continue
		}
		switch {
		case takes.MatchString(w.SQL) && pooled(s, w.Event):
			out = append(out, pooledStory(w))
		case frees.MatchString(w.SQL) && pooled(s, w.Event) && !anywhere(s, func(e *flow.Event) bool { return takes.MatchString(e.SQL) && pooled(s, e) }):
			out = append(out, strayStory(w))
		case takes.MatchString(w.SQL) && (closed(s, w) || closedByCallers(s, w)):
			out = append(out, closedStory(w))
		case takes.MatchString(w.SQL) && kept(s, w):
			out = append(out, keptStory(w))
		case frees.MatchString(w.SQL) && unheard(s, w):
			out = append(out, unheardStory(w))
		case takes.MatchString(w.SQL) && mistaken(s, w):
			out = append(out, mistakenStory(w))
		case tries.MatchString(w.SQL) && w.Op == libs.Exec:
			out = append(out, triedStory(w))
		}
	}
	return out
}

// seenHere reports whether this is the function to report the statement in: the
// one that has it, or the first that knows its handle or its text.
func seenHere(w stmt.Stmt) bool {
	return len(w.Site) == 1 || len(w.Site) == 2 && !slices.ContainsFunc(w.Sum.Others(), func(o *flow.Summary) bool {
		return slices.ContainsFunc(o.Events, func(e flow.Event) bool {
			return len(e.Site) == 1 && e.Site[0] == w.Inner() && e.SQL != "" && e.Handle != libs.AnyHandle
		})
	})
}

// pooled reports whether a statement can run on any connection. A *gorm.DB does
// when it is kept in a field, or is called a database: transactions and pinned
// connections are passed, as those that gorm hands to a function.
func pooled(s *flow.Summary, e *flow.Event) bool {
	switch e.Handle {
	case libs.Pool:
		return e.On.Root != flow.Result
	case libs.AnyHandle:
		return strings.Contains(e.Call, "gorm.io/gorm") && (e.On.Root == flow.Global || e.On.Root == flow.Param && (e.On.Path != "" || database(s, e.On.N) && !pinnedByCallers(s, e)) || derived(s, e))
	}
	return false
}

// derived reports whether the function has made the handle of a database that it was
// given, as db = db.WithContext(ctx) does: it is as many connections as that.
func derived(s *flow.Summary, e *flow.Event) bool {
	name, ok := strings.CutPrefix(e.On.Class, "call (*gorm.io/gorm.DB).")
	if !ok || name != "WithContext" && name != "Session" && name != "Debug" {
		return false
	}
	return slices.ContainsFunc(e.On.From, func(p flow.Part) bool {
		return p.Event < 0 && p.Param >= 0 && p.Param < len(s.Params) && p.Source.Path == "" && strings.HasSuffix(s.Params[p.Param], "gorm.DB") && database(s, p.Param)
	}) && !pinnedByCallers(s, e)
}

var databaseName = regexp.MustCompile(`(?i)^\w*(db|database|gorm|orm)$`)

// database reports whether a parameter that statements run on is called so.
func database(s *flow.Summary, param int) bool {
	return param < len(s.Names) && databaseName.MatchString(s.Names[param]) && !strings.Contains(strings.ToLower(s.Names[param]), "tx")
}

// pinnedByCallers reports whether all callers in sight hand over a transaction, or what
// a function that knows more than they do, such as Connection, has given them.
func pinnedByCallers(s *flow.Summary, e *flow.Event) bool {
	for i := range s.Events {
		if &s.Events[i] != e {
			continue
		}
		seen := slices.DeleteFunc(s.Seen(i), func(c flow.Context) bool { return c.Folded })
		return len(seen) > 0 && !slices.ContainsFunc(seen, func(c flow.Context) bool {
			o := &c.Events[c.Index]
			return o.Handle <= libs.AnyHandle && o.On.Root != flow.Unknown
		})
	}
	return false
}

// anywhere asks about the statements of the function's package, and of those
// that call it: an unlock elsewhere is of another lock.
func anywhere(s *flow.Summary, yes func(*flow.Event) bool) bool {
	near := map[string]bool{filepath.Dir(s.Pos.File): true}
	for i := range s.Events {
		for _, c := range s.Seen(i) {
			near[filepath.Dir(c.Pos.File)] = true
		}
	}
	return slices.ContainsFunc(s.Others(), func(o *flow.Summary) bool {
		if !near[filepath.Dir(o.Pos.File)] {
			return false
		}
		for i := range o.Events {
			if yes(&o.Events[i]) {
				return true
			}
		}
		return false
	})
}

// closed reports whether a connection from a pool locks and is given back, by
// itself or at the end of its transaction, and nothing in sight ever unlocks on such
// a connection.
func closed(s *flow.Summary, w stmt.Stmt) bool {
	if w.On.Root != flow.Result || w.On.N >= len(s.Events) {
		return false
	}
	conn := pinned(s, w)
	from := &s.Events[w.On.N]
	tx := w.Handle == libs.Tx && from.Op == libs.Begin && (from.Handle == libs.Pool || strings.Contains(from.Call, "gorm.io/gorm"))
	if !conn && !tx {
		return false
	}
	given := slices.ContainsFunc(s.Events, func(e flow.Event) bool {
		return (e.Op == libs.Release || tx && e.Op == libs.Commit) && e.On.Same(w.On.Desc) && !without(&e, w)
	})
	return given && !anywhere(s, func(e *flow.Event) bool { return frees.MatchString(e.SQL) && !pooled(s, e) })
}

// closedByCallers reports whether a caller does so with the connection that it
// hands to the function that locks.
func closedByCallers(s *flow.Summary, w stmt.Stmt) bool {
	return w.On.Root == flow.Param && slices.ContainsFunc(s.Seen(w.I), func(c flow.Context) bool {
		return slices.ContainsFunc(stmt.All(c.Summary), func(o stmt.Stmt) bool { return o.I == c.Index && closed(c.Summary, o) })
	})
}

// without reports whether an event happens only where the lock was not got.
func without(e *flow.Event, w stmt.Stmt) bool {
	got, not := false, false
	for _, c := range e.Conds {
		if c.Event == w.I && c.Test == flow.Decides && c.Text == "" {
			got, not = got || c.Yes, not || !c.Yes
		}
	}
	return not && !got
}

func found(w stmt.Stmt, severity string, lines ...string) flow.Found {
	return flow.Found{At: w.Site[0], Severity: severity, Message: strings.Join(lines, "\n")}
}

func pooledStory(w stmt.Stmt) flow.Found {
	unlock, mends := "SELECT pg_advisory_unlock(…)   -- false", "Fix, best first: pg_advisory_xact_lock in a transaction; "
	if mysql.MatchString(w.SQL) {
		unlock, mends = "RELEASE_LOCK(…), or UNLOCK TABLES   -- 0", "Fix: "
	}
	return found(w, "high",
		"this session lock is taken on whichever connection the pool picks: the unlock runs on another, does nothing, and the lock stays",
		"connection 1: "+w.Text,
		"connection 2: "+unlock,
		"connection 1: back in the pool, still locked: the next user of it passes, all others wait",
		mends+"one connection of one's own (db.Conn, pool.Acquire) for lock, work and unlock")
}

func strayStory(w stmt.Stmt) flow.Found {
	return found(w, "high",
		"this unlock runs on whichever connection the pool picks, and the lock belongs to another: it does nothing",
		"Fix, best first: a lock that ends with its transaction (pg_advisory_xact_lock); unlock on the connection that locked")
}

func closedStory(w stmt.Stmt) flow.Found {
	return found(w, "high",
		"the connection is given back to the pool with this lock: neither Close nor COMMIT ends the session, and nothing unlocks",
		"Fix, best first: a lock that ends with its transaction (pg_advisory_xact_lock); the unlock on the same connection before Close")
}

func triedStory(w stmt.Stmt) flow.Found {
	return found(w, "high",
		"pg_try_advisory_lock answers false when somebody else has the lock, and nobody looks at the answer: two callers go on",
		"Fix: scan the answer into a bool and stop when it is false, or wait with pg_advisory_xact_lock")
}
