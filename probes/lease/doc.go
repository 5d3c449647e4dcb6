// Package lease observes a lock with a time to live and the resource that it
// protects, while an owner of the lock is paused for longer than that. It
// records what every owner asked and was answered, and judges nothing.
//
// The packages below are the stores: the references for PostgreSQL, Redis and
// etcd, which are meant to be copied, and the user's own by a command or by
// HTTP. They import this package, and not the other way round.
package lease

import "github.com/ccheck/ccheck/probes/probe"

// Probe is what `ccheck list` shows.
var Probe = &probe.Probe{Name: "lease", Doc: Doc}

// Doc describes the probe.
const Doc = `lease: what a lock with a time to live lets through when its owner is paused

A process that holds a lease can be paused (garbage collection, a full disk, a
moved virtual machine) until the lease is over. It does not know, and goes on.
No lock can prevent that; only the resource can, which refuses a token smaller
than one it has seen (a fencing token; Kleppmann, "How to do distributed
locking", 2016).

Three owners take turns. A takes the lease and is paused right before it sends
one of the requests of a write, a renewal or a release, or by SIGSTOP where it is
a process. B is refused until the lease is over, takes it, and writes. A goes on:
its write must be refused by the resource, its renewal and its release by the
store, and C must not get in while B holds. Then all owners start anew, and tokens
must not. At last many clients take and give back leases as fast as they can.

Judged (ccheck explain fenced) are: at most one owner at a time; a token that is
greater at each acquisition; the late write refused; renewal and release by owner
and token alone.

Stores: the references on PostgreSQL, Redis and etcd (throw-away servers, or
yours), and your own code:

  --backend exec COMMAND   one process for each owner. A line on its standard
                           input is a call, a line on its output the answer:
                             acquire NAME OWNER TTL_MS          ok TOKEN | held
                             renew NAME OWNER TOKEN TTL_MS      ok | lost
                             release NAME OWNER TOKEN           ok | lost
                             write KEY VALUE TOKEN              ok | fenced
                             read KEY                           ok VALUE
                           error TEXT answers what went wrong. Words have no
                           blanks in them.
  --backend http URL       the same as POST URL/acquire and so on with a JSON
                           object of name, owner, ttl_ms, token, key, value;
                           200 with {"token": …} or {"value": …}, 409 refuses.

--plant does it wrong on purpose, to see what is found:
  expiry   writes carry no token      random   the token is a random number
  clock    the token is a clock       compare  read, compare, write: three steps
  delete   release asks for no owner  revive   renew asks for no owner
  restart  tokens start over          skew     expiry is judged by the owner's clock

It cannot see what lies behind a store that answers: replicas that lag, a fail-over
that forgets. And a pause cannot be put between two requests of a process that is
stopped by SIGSTOP, only near it.
`
