package kvcheckact

import (
	"strings"

	"github.com/ccheck/ccheck/analyzers/internal/flow"
	"github.com/ccheck/ccheck/analyzers/internal/libs"
	"github.com/ccheck/ccheck/analyzers/internal/pair"
	"github.com/ccheck/ccheck/analyzers/internal/tell"
)

// story tells what two requests do, and the fix.
func story(s *flow.Summary, p pair.Pair) flow.Found {
	check, act := &s.Events[p.Check], &s.Events[p.Act]
	f := flow.Found{At: pair.Act(s, p.Act), Severity: "medium"}
	f.Related = []flow.Note{{At: pair.Check(s, p.Check), Text: check.Note + " is here"}}
	if len(act.Site) > 1 {
		f.Related = append(f.Related, flow.Note{At: pair.Check(s, p.Act), Text: act.Note + " is here"})
	}
	head := check.Note + " decides, and " + act.Note + " follows as a command of its own; "
	switch {
	case act.Op == libs.KVExpire:
		f.Message = tell.Story("the key gets its time to live by a second command: "+head+"a process that ends in between leaves a key that never expires",
			"  request A: "+check.Note+" creates the key",
			"  the process is killed, or the connection breaks, before "+act.Note,
			"  the counter or lock stays for ever: its owner is locked out until somebody deletes it", fix(s, p))
	case pair.Computed(s, p.Check, p.Act):
		f.Severity = "high"
		f.Message = tell.Story("lost update on a key: "+head+"what others wrote in between is overwritten",
			"  request A reads 5 and computes 6",
			"  request B reads 5 and computes 6",
			"  A writes 6, B writes 6: one of the two is lost", fix(s, p))
	case single(s, p.Check, p.Act):
		f.Message = tell.Story("check then act on a set: "+head+"of two requests that both pass the check the server tells one that it was first, and nobody asks",
			"  request A asks for the member, and goes on",
			"  request B asks for the member, and gets the same answer",
			"  both go on with what is for one of them", fix(s, p))
	case act.Op == libs.KVDelete:
		f.Message = tell.Story("check then act on a key: "+head+"by then it can be another value, or taken by another request",
			"  request A reads the value and finds it good",
			"  request B reads the same; or the key expires and somebody else sets it",
			"  both go on with it; or A deletes what is not A's", fix(s, p))
	case act.Op == libs.KVAdd || act.Op == libs.KVIncr:
		f.Severity = "high"
		f.Message = tell.Story("check then act on a key: "+head+"many requests can pass the check before the first one counts",
			"  request A reads, one is left",
			"  request B reads, one is left; or the key expires in between",
			"  both go on: the limit is passed, or a key without a time to live is made", fix(s, p))
	default:
		f.Message = tell.Story("check then act on a key: "+head+"another request can set it in between",
			"  request A finds no key",
			"  request B finds no key and sets it, and others go on with it",
			"  A sets it again: what happened since is overwritten", fix(s, p))
	}
	return f
}

// fix names the ways out, the atomic one first.
func fix(s *flow.Summary, p pair.Pair) string {
	check, act := &s.Events[p.Check], &s.Events[p.Act]
	switch {
	case strings.Contains(act.Call, "etcd"):
		return "fix: cli.Txn(ctx).If(Compare(CreateRevision(key), \"=\", 0), or ModRevision as it was read).Then(OpPut(key, value)).Commit(), and look at Succeeded"
	case strings.Contains(act.Call, "memcache"):
		return "fix: Add, which fails when the key is there; Increment for a counter; CompareAndSwap with the item that was read"
	case act.Op == libs.KVExpire && check.Op == libs.KVClaim:
		return "fix: give the time to live in the same command, SET key value NX EX ttl: rdb.SetNX(ctx, key, value, ttl)"
	case act.Op == libs.KVExpire && check.Op != libs.KVIncr:
		return "fix: one transaction: TxPipeline with " + check.Note + " and " + act.Note + ", on every call; or a script"
	case act.Op == libs.KVExpire, act.Op == libs.KVIncr:
		return "fix: one transaction: TxPipeline with SetNX(key, 0, ttl) and Incr(key), and decide on the answer; or a script"
	case single(s, p.Check, p.Act):
		return "fix: " + act.Note + " without the check, and look at its answer: 1 for the request that was first, 0 for all others"
	case act.Op == libs.KVDelete:
		return "fix: GETDEL for a value that is used once; a script that compares and deletes for one that has an owner"
	case pair.Computed(s, p.Check, p.Act):
		return "fix: INCRBY or HINCRBY for a number; WATCH and a transaction that is retried, or a script, for anything else"
	}
	return "fix: SET key value NX EX ttl, and look at the answer: rdb.SetNX(ctx, key, value, ttl); a script for more"
}
