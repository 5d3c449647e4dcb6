package record

import "github.com/ccheck/ccheck/probes/probe"

// Probe describes this probe.
var Probe = &probe.Probe{Name: "record", Doc: Doc}

// Doc is the page of the probe.
const Doc = `record: a tape of an application's requests and their statements

ccheck stands between the users and the application, and between the
application and its database, while somebody uses it or a test suite runs. It
writes down each HTTP request with its answer, and the SQL statements that it
caused. Nothing is changed on the way but one header, traceparent, where a
request has none.

A statement belongs to the request that was open while its transaction ran.
Where several were, all of them are named; an application that puts the trace
id in a comment of its statements (sqlcommenter) says it itself. What comes
while no request is open is the application's own: timers, health checks.

The tape holds no secret. Authorisation headers, cookies, and fields whose
names say password, token and the like are masked, with those that --mask
names. A value that the application gave out itself, such as a token or a
random id, is noted as a reference to the answer it was in, so that a session
can be played again though its token will be another one.

What it proves: nothing. explore takes the tape and runs each pair of requests
that touches the same rows.`
