// Package json tells a run as JSON: one document at its end, or one event per
// line while it goes on. The shape is the versioned schema "ccheck/1",
// published as docs/formats/ccheck-1.schema.json and made from the types of
// analyzers/report, which the documents hold as they are.
//
// Durations are nanoseconds in whole numbers under keys that end in _ns; times
// are RFC 3339. New keys may appear within version 1, none changes its meaning
// or goes away.
package json

// Doc describes the document.
const Doc = `json: one JSON document at the end of the run

Schema "ccheck/1": an object with the run, its findings in order of severity,
and the summary with the verdict. For scripts and other tools. The schema is
published as docs/formats/ccheck-1.schema.json; keys may be added to it, none
changes its meaning.

    ccheck stress wallet --json | jq .summary.verdict
`

// LinesDoc describes the stream of events.
const LinesDoc = `jsonl: one JSON event per line while the run goes on

Every line is an object with "schema", "event" (begin, progress, finding, end)
and a key of the event's name (run, progress, finding, summary). Progress may be
left out when the reader is slow; findings and the end never are. A line is
complete when its newline is there, so a file can be followed with tail -f.
`
