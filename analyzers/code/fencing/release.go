package fencing

import (
	"regexp"
	"slices"

	"github.com/ccheck/ccheck/analyzers/internal/flow"
	"github.com/ccheck/ccheck/analyzers/internal/lease"
	"github.com/ccheck/ccheck/analyzers/internal/libs"
	"github.com/ccheck/ccheck/analyzers/internal/pair"
	"github.com/ccheck/ccheck/analyzers/internal/tell"
)

const release = "fix: keep the random value that took the lock, and release with a script that compares and deletes: if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end return 0"

// forced: somebody takes a lock away on purpose.
var forced = regexp.MustCompile(`(?i)force|steal|break|evict|admin`)

// releases finds the end of a lock that does not ask in one step whose it is.
func releases(s *flow.Summary, claimed *lease.Claims) (out []flow.Found) {
	for i := range s.Events {
		e := &s.Events[i]
		if lease.Does(e) != libs.KVDelete || len(e.Site) > 1 || forced.MatchString(s.Name) {
			continue
		}
		read := lease.Compared(s, i)
		if !claimed.Covers(s, i) && !(read >= 0 && lease.Releases(s, i)) {
			continue
		}
		if read >= 0 {
			out = append(out, flow.Found{At: pair.Act(s, i), Severity: "medium",
				Related: []flow.Note{{At: pair.Check(s, read), Text: "the owner is read here"}},
				Message: tell.Story("the owner of a lock is compared in Go, and the lock deleted by a second command",
					"  worker A reads its own token; the time to live ends",
					"  worker B takes the lock",
					"  A deletes it: B's lock is gone while B is at work",
					release)})
			continue
		}
		out = append(out, flow.Found{At: pair.Act(s, i), Severity: "high",
			Message: tell.Story("a lock with a time to live is released without asking whose it is",
				"  worker A is slower than the time to live, and its lock ends",
				"  worker B takes the lock",
				"  A is done and deletes the key: it was B's, and worker C comes in while B is at work",
				release)})
	}
	return out
}

// renewals finds a lock that is prolonged by whoever calls, its owner or not.
func renewals(s *flow.Summary, claimed *lease.Claims) (out []flow.Found) {
	for i := range s.Events {
		if len(s.Events[i].Site) > 1 || !claimed.Prolongs(s, i) {
			continue
		}
		out = append(out, flow.Found{At: pair.Act(s, i), Severity: "medium",
			Message: tell.Story("a lock with a time to live is prolonged without asking whose it is",
				"  worker A is paused, and its lock ends",
				"  worker B takes the lock",
				"  A wakes up, prolongs B's lock, and believes that it is still its own",
				"fix: prolong with a script that compares the owner: if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('PEXPIRE', KEYS[1], ARGV[2]) end return 0, and stop the work when it answers 0")})
	}
	return out
}

// shared finds a lock whose owners cannot be told apart: what the script compares is
// the key once more, or a constant.
func shared(s *flow.Summary, claimed *lease.Claims) (out []flow.Found) {
	for i := range s.Events {
		e := &s.Events[i]
		proof, ok := lease.Proof(e)
		if !ok || len(e.Site) > 1 || !claimed.Names(s, i) || !everybodys(proof.Desc, e.Key.Desc) {
			continue
		}
		out = append(out, flow.Found{At: pair.Act(s, i), Severity: "high",
			Message: tell.Story("all owners of a lock store the same value: the comparison lets everybody through",
				"  worker A is slower than the time to live, and its lock ends",
				"  worker B takes the lock with the same value",
				"  A is done and compares: equal, and B's lock is given back, or kept, by A",
				"fix: store a random value for each time that the lock is taken (uuid.NewString), hand it to the caller, and compare with that")})
	}
	return out
}

// everybodys tells whether a value is made of constants and of what the key is made of.
// A key with a random part is its owner's own, and no lock against others.
func everybodys(d, key flow.Desc) bool {
	if d.Root == flow.Const || !random(d) && part(d, key) {
		return true
	}
	return writes(d) && !slices.ContainsFunc(d.Args, func(a flow.Desc) bool { return !everybodys(a, key) })
}

// part tells whether a value is a key or a part of it.
func part(d, key flow.Desc) bool {
	return d.Same(key) || writes(key) && slices.ContainsFunc(key.Args, func(a flow.Desc) bool { return part(d, a) })
}

// lookup are methods that answer with one of the many things that a request, a context
// or a map has: two of them on one request are two things.
var lookup = regexp.MustCompile(`(\)\.|[./])(Get\w*|Value|Param\w*|Params|Query\w*|PathValue|FormValue|PostForm\w*|Header|Cookie\w*|URLParam\w*|Locals|UserValue)$`)

// writes tells whether an expression makes a text of its arguments.
func writes(d flow.Desc) bool { return d.Root == flow.Expr && !lookup.MatchString(d.Name) }
