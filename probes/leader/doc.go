// Package leader observes instances that elect a leader, and a job that the
// leader does once for each tick of a clock, while the leader is killed, paused,
// and cut off. It records and judges nothing.
//
// The stores are those of package lease. The instances run in this process, each
// over a network of its own that can be cut; a kill -9 is, for everybody else,
// connections that are reset. Or they are the user's: processes that are started
// here, or services that run somewhere and are asked who leads.
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
All times are of ccheck's own monotonic clock, and no clock of an instance is asked.

Schemes:
  row        a row of PostgreSQL with a time to live, renewed by its leader
  advisory   a session-level advisory lock of PostgreSQL. The lock ends with the
             connection: a leader that is paused or cut off keeps it for as long as
             the server believes in the connection, and nobody takes over
  redis      a key of Redis with a time to live
  etcd       a key of etcd on a lease
  exec       processes of yours, started by ccheck
  http       instances of yours that run, asked by ccheck

A leader with a time to live stops by its own monotonic clock, at the latest that
long after it asked for the last renewal. Between that look and the job it may be
paused, so the job names tick and token, and the store compares both in the step
that does it.

  --scheme exec -- COMMAND  one process for each instance, with CCHECK_INSTANCE (A,
                            B, …), CCHECK_TTL_MS and CCHECK_TICK_MS in its
                            environment, and DATABASE_URL or what --through names.
                            It says on its standard output:
                              ccheck leader TOKEN   it was elected; each election
                                                    has a token of its own
                              ccheck follower       it does not lead any more
                              ccheck ask TICK       it is about to do the job of a
                                                    tick, a whole number, and waits
                                                    for a line on its standard input
                              ccheck done TICK      the job was done
                              ccheck refused TICK   it was not: a later leader was
                                                    there, or it was done before
                            Other lines are its own. It ends when its input does.
  --scheme http             GET of each --instance answers {"leader": false}, or
                            {"leader": true, "token": 17}, and may say "done": 42,
                            the last tick whose job it did, and "refused".

A process is killed by kill -9 and paused by SIGSTOP: when it asks for leave to do a
job, and before it has it, so that the job comes after the pause for certain. It can
be cut off from the servers that it reaches through ccheck. Each line is known to
have been written between two looks, and a time in which two lead is told only as
far as it is certain; a process that was paused has one time to live to notice.
Without "ask" it is not known whether a job was done before a pause or after; the
verdict is then unknown, as it is over http unless a job was refused. --break and
--mend are commands that do something to the leader that was found over http.

--plant does it wrong on purpose: blind does the job without the comparison, pool
takes the advisory lock through a pool of connections, so that the leader does not
notice that the connection with its lock is gone.
`
