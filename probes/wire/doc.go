// Package wire is a proxy for PostgreSQL's frontend/backend protocol, version 3
// ("Frontend/Backend Protocol" in the manual). An application connects to it as
// it would to the server; every statement with its values and its answer can
// become history, and a Gate can hold a batch of statements back and let it go.
//
// It is not a pooler: each client has a session of its own on the server, and
// authentication passes between the two untouched, so the proxy needs no
// password and stores none. Bytes are forwarded as they came. Frames are looked
// at in place, and only when somebody watches: without a gate, a history and
// faults the two sides are joined by plain reads and writes.
//
// Drivers (explore, record, stress) import it. It imports probes/history for
// what it records and probes/fault for what it breaks on purpose.
package wire
