// Package leader observes instances that elect a leader, and a job that the
// leader does once for each tick of a clock, while the leader is killed, paused,
// and cut off. It records and judges nothing.
//
// The stores are those of package lease. The instances run in this process, each
// over a network of its own that can be cut; a kill -9 is, for everybody else,
// connections that are reset.
package leader

import "github.com/ccheck/ccheck/probes/probe"

// Probe is what `ccheck list` shows.
var Probe = &probe.Probe{Name: "leader", Doc: Doc}

// Doc describes the probe.
const Doc = `leader: instances that elect a leader, while the leader is killed, paused and cut off

Some instances of one service elect a leader, and the leader does a job at each
tick, as a cron job that must fire once however many instances run. Four things
then happen to whoever leads:

  kill        it ends by kill -9: its connections are reset
  pause       it stops right before it does the job, having found that it leads;
              a rival is elected and does the job; then it goes on
  partition   nothing gets through between it and the store, and nobody is told
  cut         its connection is reset under it, and it lives

Judged (ccheck explain fenced) are: at most one leader at a time; each tick fires
once; what a deposed leader still does is refused. Told are the hand-over times.
All instances are on one machine and share its monotonic clock, so that no error
of a clock is in the times.

Schemes:
  row        a row of PostgreSQL with a time to live, renewed by its leader
  advisory   a session-level advisory lock of PostgreSQL. The lock ends with the
             connection: a leader that is paused or cut off keeps it for as long as
             the server believes in the connection, and nobody takes over
  redis      a key of Redis with a time to live
  etcd       a key of etcd on a lease

A leader with a time to live stops by its own monotonic clock, at the latest that
long after it asked for the last renewal. Between that look and the job it may be
paused, so the job names tick and token, and the store compares both in the step
that does it.

--plant does it wrong on purpose: blind does the job without the comparison, pool
takes the advisory lock through a pool of connections, so that the leader does not
notice that the connection with its lock is gone.
`
