// Package check holds the descriptor of a judge of histories, as go/analysis
// holds the descriptor of a judge of source code.
package check

import (
	"iter"

	"github.com/ccheck/ccheck/analyzers/report"
	"github.com/ccheck/ccheck/probes/history"
)

// Checker judges a recorded history. Run must be a pure function of the
// history: the same file gives the same findings, in the same order, always.
type Checker struct {
	Name string // lower-case word, the rule id: "lostupdate"
	Doc  string // first line: name: what it reports; then why, wrong and right
	Run  func(*Pass) error
}

// Pass is one run of one Checker over one history.
type Pass struct {
	Header *history.Header
	// Ops yields the events in the order of their Index. Each call starts from
	// the beginning; the file may be far larger than memory, so a Checker keeps
	// what it needs and no more. An Op is not reused and may be kept. After an
	// error the sequence ends.
	Ops func() iter.Seq2[*history.Op, error]
	// Report adds a finding.
	Report func(report.Finding)
	// Unknown says that the history does not allow a judgement, and why. A
	// finding outranks it.
	Unknown func(reason string)
	// Evidence hands in what the history proves about contention. At most one
	// Checker of a run calls it.
	Evidence func(report.Evidence)
}
