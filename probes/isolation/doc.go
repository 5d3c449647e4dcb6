// Package isolation plays PostgreSQL's isolationtester specs: sessions with
// steps of SQL, and the permutations in which the steps are sent. What it
// writes is what isolationtester writes, byte for byte, so that a spec and its
// expected file serve both.
//
// It plays the interleavings that a spec names and shows what happened. It
// judges nothing and searches for nothing: package explore does. It records no
// history and makes no database; the one it is given must be a database that
// specs may create and drop tables in.
//
// The language and the output are described in src/test/isolation/README of
// PostgreSQL's source. Where isolationtester looks every 10 ms whether a step
// waits for a lock, this package looks at once and believes a wait only when
// nothing that runs could end it; see watch.go.
package isolation
