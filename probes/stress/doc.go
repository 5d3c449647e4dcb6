package stress

import "github.com/ccheck/ccheck/probes/probe"

// Probe describes this probe.
var Probe = &probe.Probe{Name: "stress", Doc: Doc}

// Doc is the page of the probe.
const Doc = `stress: run a scenario at full speed and look for broken invariants

Many lanes, one connection each, run the scenario's actors one call after the
other. Connections are opened and statements prepared before a start gate
opens for all lanes at once. While the lanes run, the invariants are evaluated
again and again, all of them in one consistent snapshot; they are evaluated a
last time when the lanes have stopped. Every statement, bound value, row, row
count and SQLSTATE is written to a history on disk, which the judges then read.

What it proves: a violation that it shows has happened, on this server, with
the statements and values that the story tells. Contention is measured, not
assumed: transactions that overlapped on the same row, lanes seen waiting for
a lock, the smallest gap between a check and the act that depends on it.

What it cannot prove: that a program is right. Load finds by luck; a race that
needs one exact interleaving of many may not come up. A run without enough
contention has the verdict unknown (exit code 4), never clean.

The same seed gives every lane the same calls with the same variables. It does
not fix the order in which the server runs them.

With --app and --curl the lanes are clients of an application that runs behind
ccheck's proxy. Each has its request sent but for the last byte, and the last
bytes follow together, round after round, from the rows in which the request is
accepted for the last time. A round is held against what the same calls give one
after the other, so it needs no invariant.`
