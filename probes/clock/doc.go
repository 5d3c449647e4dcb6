// Package clock observes clocks: that of this machine against databases, HTTP
// servers and NTP servers, stamps of two sessions against the order of the server,
// the time window of a token, and a duration while the clock is set. It judges
// nothing.
package clock

import "github.com/ccheck/ccheck/probes/probe"

// Probe is what `ccheck list` shows.
var Probe = &probe.Probe{Name: "clock", Doc: Doc}

// Doc describes the probe.
const Doc = `clock: what is decided by clocks that differ

Every reading of another clock gives two bounds that hold whatever the network
does: the clock was read after the question was sent and before the answer was
there. Their intersection over many readings is the offset with its error. The Date
header of HTTP has whole seconds; readings at many places within the second narrow
it to some hundredths. NTP adds the error that the server states (RFC 5905).

  database   clock_timestamp(), for --dsn and each --other
  HTTP       the Date header, for each --http
  NTP        one packet a reading, for each --ntp

Events: two sessions write in turn under one row lock. A stamps with the clock of
this machine (and --skew), B with that of the database, both while they hold the
lock. An event with an earlier stamp than the one before it is an inversion: an
ORDER BY created_at shows the wrong order, and "the last write wins" keeps the
wrong write. now() is told beside it: it is the start of the transaction.

Tokens: --token 'METHOD URL' is sent tokens or stamps of the past and of the future
until it refuses them; what it accepts is the window. One that is good now must be
accepted, and one with a wrong signature refused, or nothing is said. --token-header is what
carries them, with {{jwt}} (HS256; exp, nbf, iat, jti), {{unix}}, {{rfc3339}},
{{nonce}} or {{hmac}} (SHA-256 of "{{unix}}.BODY", in hexadecimal).

Step: --step -30s runs a command under libfaketime, sets its clock in the middle,
and compares the length that it measured with the true one. A command of yours,
behind two dashes, prints "elapsed SECONDS"; the built-in one sleeps for a second
and measures it by --measure wall or monotonic.

It cannot see a clock behind a cache (an Age header is an error), and a
measurement of seconds says little of drift below some hundred ppm.
`
