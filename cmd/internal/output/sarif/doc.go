// Package sarif is the sink that writes a SARIF 2.1.0 log (OASIS standard,
// sarif-v2.1.0-os): one run, one result for each finding, the story as a code
// flow.
//
// It is written for what GitHub's code scanning and editors really show:
// related locations and suggested fixes are ignored there, code flows are not,
// and only the plain text of a message is. So the story is in all three.
package sarif

// Doc describes the format.
const Doc = `sarif: a SARIF 2.1.0 log, for code scanning and editors

One result for each finding, with the rule's page as its help, the story as a
code flow with one step for each place, and fingerprints that stay the same
when lines move. Paths are relative to the folder in which ccheck ran. A finding
without a place in a file is put on the first line of ccheck.yaml, since code
scanning drops results without one. Packages that could not be judged are
notifications, and executionSuccessful is false.

    ccheck vet --format text --format sarif:ccheck.sarif

GitHub takes 5,000 results of a file and shows 1,000 steps of a flow; what is
more is left out here, gravest findings first, and a notification says so.`
