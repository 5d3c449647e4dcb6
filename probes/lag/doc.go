// Package lag observes how far replicas are behind their primary and what that
// does to the sessions of an application: it writes, reads by a policy, and
// records both. It judges nothing and starts no server.
//
// It can be pointed at servers or, by two URLs, at an application. Commands
// import it, and the tests of the judge.
package lag

import "github.com/ccheck/ccheck/probes/probe"

// Probe is what `ccheck list` shows.
var Probe = &probe.Probe{Name: "lag", Doc: Doc}

// Doc describes the probe.
const Doc = `lag: what a session sees that reads from a replica

A replica answers with what it has replayed, and that is the past. The probe
writes versions to a row on the primary and measures for every replica when a
commit can be read there: p50, p99 and the greatest, with the bytes of log that
were missing.

Beside that three sessions do what applications do:
  A  writes a post and reads it                         read your writes
  B  is told of the post by A, reads it, and replies    causal order
  C  reads the reply, then the post; reads the post
     on the primary, then on a replica                  causal order, monotonic reads
  P  pays twice: reads the balance, decides, and
     writes on the primary                              a decision on stale money

--reads says where a session reads that has something to lose:
  replica  from a replica, whatever it has replayed (the default)
  primary  from the primary, once it has written or heard of something
  wait     from a replica, after it has replayed the log up to what the session
           knows (pg_last_wal_replay_lsn)
  token    from a replica that has replayed that far, else from the primary
With wait the replica is asked again and again, on every version of PostgreSQL: up to
18 there is no other way, and WAIT FOR LSN, which begins with 19, is not used here, so
that a wait takes up to 20ms longer than it would with it.
The session knows the log position of what it wrote, read on the primary or was
told. With the default, the other three are tried at the end, so that the fixes
in a finding are ones that were seen to work here.

Without a server it starts a primary and two replicas, of which the second
applies everything --delay later. --partition cuts the log stream of the last
replica for a while and shows what its readers get meanwhile, and for how long.
--write URL and --read URL observe an application instead of servers.

A primary that has replicas is accepted: the probe writes some twenty rows a second
in a schema of its own. The verdict is clean only when a read under the policy was
made while a replica was seen to lack the write; without lag it is unknown.

It cannot see caches of the application, and with URLs it knows nothing of log
positions. SERIALIZABLE is not possible on a replica (SQLSTATE 0A000).
`
