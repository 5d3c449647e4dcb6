// Package deadlock makes transactions wait for each other on purpose, and
// watches a live server for those that do. It has a few shapes of its own and
// drives them with packages explore and stress; what the circles mean is for
// analyzers/history/deadlock to say.
//
// It creates nothing outside the sandbox schema that the caller made, and the
// watch writes nothing at all. Only the commands import it.
package deadlock

import "github.com/ccheck/ccheck/probes/probe"

// Probe is what `ccheck list` shows.
var Probe = &probe.Probe{Name: "deadlock", Doc: Doc}

// Doc is the page of the probe.
const Doc = `deadlock: makes transactions wait for each other, and tells the whole story

Five shapes, each as it is commonly written and with its cures beside it:

  transfer      two accounts in the order of the arguments: 1 to 2, and 2 to 1
  cycle         the same in a ring, of three lanes or of --lanes N
  foreign-key   an insert refers to a row (FOR KEY SHARE), which is then locked
                FOR UPDATE: one row is enough
  upgrade       read FOR SHARE, then written: both hold what the other must not
  advisory      advisory locks in the order in which a map gives its keys

or the calls of a scenario of yours. Up to three lanes are run in every
interleaving of their statements, with each of a circle as the victim in turn,
since PostgreSQL may pick any; more lanes in the one schedule in which every lane
takes its first lock before any takes its second. --stress runs them at full speed
instead, and leaves deadlocks to the server.

The server's log names the statements that waited. Here every statement of every
side is told, the circle of locks as pg_blocking_pids shows it, which order leaves
none, and whether the caller started over: a deadlock that is retried from BEGIN
costs time, one that is not drops the work. The cures are run the same way.

ccheck deadlock watch looks at a live server every 100 ms or --every: who waits for
whom, since when, with what; it sends no statement that writes. The server's own
count of deadlocks (pg_stat_database) says whether one fell between two looks.

It cannot see what an application does with the error behind a server that is only
watched, nor the statements that a session ran before the one at hand there.
`
