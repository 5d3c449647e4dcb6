package fencing

import (
	"regexp"
	"strings"

	"golang.org/x/tools/go/analysis"

	"github.com/ccheck/ccheck/analyzers/internal/flow"
	"github.com/ccheck/ccheck/analyzers/internal/lease"
	"github.com/ccheck/ccheck/analyzers/internal/libs"
	"github.com/ccheck/ccheck/analyzers/internal/pair"
	"github.com/ccheck/ccheck/analyzers/internal/tell"
)

// Analyzer reports locks with a time to live that are trusted too far.
var Analyzer = &analysis.Analyzer{
	Name:     "fencing",
	Doc:      Doc,
	Requires: []*analysis.Analyzer{flow.Analyzer},
	Run:      run,
}

// judge looks at the functions of one package.
type judge struct {
	pass *analysis.Pass
	pkg  *flow.Package
	said map[flow.Pos]bool
}

func run(pass *analysis.Pass) (any, error) {
	j := &judge{pass: pass, pkg: pass.ResultOf[flow.Analyzer].(*flow.Package), said: map[flow.Pos]bool{}}
	claimed := lease.Of(j.pkg.Own)
	for _, s := range j.pkg.Own {
		if s.Generated || s.Folded {
			continue
		}
		j.release(s, claimed)
		j.renewal(s, claimed)
		j.owner(s)
		j.protected(s)
		j.token(s)
	}
	return nil, nil
}

func (j *judge) report(f flow.Found) {
	if !j.said[f.At] {
		j.said[f.At] = true
		f.Report(j.pass, "fencing")
	}
}

// release finds the end of a lock that does not ask in one step whose it is.
func (j *judge) release(s *flow.Summary, claimed *lease.Claims) {
	for i := range s.Events {
		e := &s.Events[i]
		if e.Op != libs.KVDelete || len(e.Site) > 1 {
			continue
		}
		read := lease.Compared(s, i)
		if !claimed.Covers(s, i) && !(read >= 0 && lease.Releases(s, i)) {
			continue
		}
		if read >= 0 {
			j.report(flow.Found{At: pair.Act(s, i), Severity: "medium",
				Related: []flow.Note{{At: pair.Check(s, read), Text: "the owner is read here"}},
				Message: tell.Story("the owner of a lock is compared in Go, and the lock deleted by a second command",
					"  worker A reads its own token; the time to live ends",
					"  worker B takes the lock",
					"  A deletes it: B's lock is gone while B is at work",
					release)})
			continue
		}
		j.report(flow.Found{At: pair.Act(s, i), Severity: "high",
			Message: tell.Story("a lock with a time to live is released without asking whose it is",
				"  worker A is slower than the time to live, and its lock ends",
				"  worker B takes the lock",
				"  A is done and deletes the key: it was B's, and worker C comes in while B is at work",
				release)})
	}
}

// renewal finds a lock that is prolonged by whoever calls, its owner or not.
func (j *judge) renewal(s *flow.Summary, claimed *lease.Claims) {
	for i := range s.Events {
		if len(s.Events[i].Site) > 1 || !lease.Renews(s, i) || !claimed.Covers(s, i) {
			continue
		}
		j.report(flow.Found{At: pair.Act(s, i), Severity: "medium",
			Message: tell.Story("a lock with a time to live is prolonged without asking whose it is",
				"  worker A is paused, and its lock ends",
				"  worker B takes the lock",
				"  A wakes up, prolongs B's lock, and believes that it is still its own",
				"fix: prolong with a script that compares the owner: if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('PEXPIRE', KEYS[1], ARGV[2]) end return 0, and stop the work when it answers 0")})
	}
}

// ownerName: a column that says who has a row.
var ownerName = regexp.MustCompile(`(?i)token|fenc|epoch|lease|owner|holder|locked_by|worker|claimed_by`)

// owner finds the owner of a row compared in Go, and the row then written by
// its key alone.
func (j *judge) owner(s *flow.Summary) {
	for w := range s.Events {
		e := &s.Events[w]
		if e.Op != libs.Exec || named(e.SQL) || e.SQL == "" {
			continue
		}
		for i := range s.Events {
			read := &s.Events[i]
			if read.Op != libs.Query || !pair.Ours(s, i, w) || !ownerName.MatchString(read.SQL) || strings.Contains(strings.ToLower(read.SQL), "for update") {
				continue
			}
			if pair.Decides(s, i, w, func(c flow.Cond) bool { return c.Test == flow.Decides && ownerName.MatchString(c.Path) }) {
				j.report(flow.Found{At: pair.Act(s, w), Severity: "medium",
					Related: []flow.Note{{At: pair.Check(s, i), Text: "the owner is read here"}},
					Message: tell.Story("the owner of a row is compared in Go, and the write does not name the owner",
						"  worker A reads the row: it is A's; then A is paused and its lease ends",
						"  worker B takes the row over",
						"  A writes by the key alone: B's work is overwritten",
						"fix: put the owner or token into the statement, UPDATE … WHERE id = … AND owner = …, and look at the number of rows")})
			}
		}
	}
}

const release = "fix: keep the random value that took the lock, and release with a script that compares and deletes: if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end return 0"

// tokenName: words in a statement which say that the store itself checks.
var tokenName = regexp.MustCompile(`(?i)\b\w*(token|fenc|epoch|version|term|lease|generation|revision|\brev\b|owner|holder|locked_by|worker|attempt|state\s*=|status\s*=)\w*`)

// named tells whether the condition of a statement says who may write. What an
// UPDATE sets is no condition.
func named(sql string) bool {
	lower := strings.ToLower(sql)
	if at := strings.LastIndex(lower, "where"); at >= 0 && strings.HasPrefix(strings.TrimSpace(lower), "update") {
		sql = sql[at:]
	}
	return tokenName.MatchString(sql)
}

// protected finds a write under a lock with a lease that nothing fences.
func (j *judge) protected(s *flow.Summary) {
	for l := range s.Events {
		lock := &s.Events[l]
		if !lease.Takes(s, l) {
			continue
		}
		for w := range s.Events {
			if !s.After(l, w) || s.Events[w].Deferred || !s.Local(l, w) && len(lock.Site) > 1 || !j.unfenced(s, l, w) {
				continue
			}
			notes := []flow.Note{{At: pair.Check(s, l), Text: "the lock or leadership is taken here"}}
			if len(s.Events[w].Site) > 1 {
				notes = append(notes, flow.Note{At: pair.Check(s, w), Text: "the write itself is here"})
			}
			j.report(flow.Found{At: pair.Act(s, w), Severity: "medium", Related: notes,
				Message: tell.Story("a write under a lock with a lease carries no token: a holder that was paused writes after the lease is over",
					"  worker A takes the lock, and is paused for longer than the lease",
					"  worker B takes the lock and writes",
					"  A wakes up and writes: B's write is lost, and both believe they were alone",
					fence(&s.Events[w]))})
			return
		}
	}
}

// unfenced tells whether a write believes in the lock alone: a plain put of a
// leader, or a statement or key whose new value rests on what was read or given
// under the lock.
func (j *judge) unfenced(s *flow.Summary, l, w int) bool {
	lock, e := &s.Events[l], &s.Events[w]
	switch e.Op {
	case libs.KVWrite:
		if strings.Contains(lock.Call, "etcd") {
			return strings.Contains(e.Call, "etcd")
		}
		return e.Key.String() != lock.Key.String() && computed(s, l, w)
	case libs.Exec:
		verb, _, _ := strings.Cut(strings.TrimSpace(strings.ToLower(e.SQL)), " ")
		return (verb == "update" || verb == "delete") && !lease.Row(e) && !named(e.SQL) && !relative(e.SQL)
	}
	return false
}

// computed tells whether what is stored was computed from something read under
// the lock.
func computed(s *flow.Summary, l, w int) bool {
	for i := range s.Events {
		op := s.Events[i].Op
		if (op == libs.KVRead || op == libs.Query) && s.After(l, i) && pair.Computed(s, i, w) {
			return true
		}
	}
	return false
}

// relative tells whether a statement computes the new value from the old in
// one step, with its condition: it needs no lock.
func relative(sql string) bool {
	return regexp.MustCompile(`(?i)set\s+(\w+)\s*=\s*\w*\.?(\w+)\s*[-+]`).MatchString(sql) && strings.Contains(strings.ToLower(sql), " and ")
}

func fence(e *flow.Event) string {
	if strings.Contains(e.Call, "etcd") {
		return "fix: Txn(ctx).If(Compare(CreateRevision(e.Key()), \"=\", e.Rev())).Then(OpPut(…)).Commit(), and stop when it did not succeed; for a Mutex, If(m.IsOwner())"
	}
	return "fix: take a token that grows with each owner (INCR, a sequence, the revision of the lock), store it with the data, and write only WHERE fence < token; look at the number of rows"
}
