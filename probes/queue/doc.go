// Package queue drives a job queue with workers that die, and counts what they
// did at a place that no rollback reaches: a service of its own, by the key of
// each job. It records who claimed what and judges nothing.
//
// It knows the scripts of a scenario, or three endpoints of an application. It
// creates nothing outside the sandbox schema that the caller made. Only the
// commands import it.
package queue

import "github.com/ccheck/ccheck/probes/probe"

// Probe is what `ccheck list` shows.
var Probe = &probe.Probe{Name: "queue", Doc: Doc}

// Doc is the page of the probe.
const Doc = `queue: is every job done, and once, when workers die?

Producers add jobs; workers claim one, do it, and mark it done. What a job does is
a call of a small HTTP service that ccheck runs beside: it counts calls by the key
of the job, since a customer who was charged twice does not show in the queue's own
table. Some workers are killed in the middle, right before that call or right after
it: their connection is closed, and what they had claimed is left as it was. Then
the queue is drained, and the books are made.

Judged (ccheck explain delivery) are: no job without an effect, and no effect twice
where no worker had died after it.

Kinds that come with it, as they are found in the wild, and those that hold:

  select-then-mark   select a job, then mark it        both claim it
  one-statement      UPDATE … WHERE id = (SELECT …)    both claim it all the same
  no-recovery        SKIP LOCKED, and then nothing     lost when the worker dies
  short-visibility   a time-out shorter than the work  done twice
  outbox-cursor      a relay with the last id          skips what commits late
  two-relays         two of them without a lock        sent twice
  skip-locked        locked until it is done           holds
  visibility         a time-out, an ack by attempt     holds
  outbox-marked      each row locked and marked        holds

Your own queue is a scenario with an actor that adds a job and leaves its key in
the variable :job, and one that works: what it does is the statement after
-- @outside, whose first value is the key. Or it is an application:

  --url URL   POST URL/enqueue  {}           200 {"job": "17"}
              POST URL/claim    {"worker": 3} 200 {"job": "17"}, or 204 for none
              POST URL/ack      {"job": "17", "worker": 3}

It cannot see a worker that is paused rather than killed (that is a lease: ccheck
explain lease), nor what a broker does when its own server dies.
`
