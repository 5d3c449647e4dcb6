// Package bleed observes whether an application gives the data of one user to
// another: marked users send the same request, one after the other and then all
// at once, and what markers each answer holds is recorded. It judges nothing and
// starts no application.
//
// Commands import it, and the tests of the judge.
package bleed

import "github.com/ccheck/ccheck/probes/probe"

// Probe is what `ccheck list` shows.
var Probe = &probe.Probe{Name: "bleed", Doc: Doc}

// Doc describes the probe.
const Doc = `bleed: does an answer hold the data of another user?

A variable of a module or package that one request writes and another one reads
before the first has answered gives one user the page of the other. No test with
one user can see it, and in production it looks like a rumour.

Every user has a marker, a word that is nowhere else in the application. It goes
where the request has {{user}}: in the URL, a header or the body. Each user sends
the request once alone, then all send it at once, again and again, and every
answer, headers and body, is searched for all markers.

--login is a request that each user sends first, with {{user}} in it; its cookies
are kept, so that the request itself need not name the user.

What it proves: an answer with the marker of another user was given, in a run that
can be made again. What it cannot prove: that no other endpoint bleeds. The verdict
is clean only when answers showed the marker of their own user, so that a wrong one
would have been seen, and requests of different users were open at the same time;
else it is unknown.

Send it to a test environment: the users are made up, and every request is sent
many times.`
