package output

import "github.com/ccheck/ccheck/analyzers/report"

// Recording is a whole run as sinks are told it. It is a report.Sink itself,
// one that keeps what it hears.
type Recording struct {
	Run      report.Run
	Findings []report.Finding
	Summary  report.Summary
}

// Begin implements report.Sink.
func (r *Recording) Begin(run report.Run) error { r.Run = run; return nil }

// Progress implements report.Sink: the end repeats what of it counts.
func (*Recording) Progress(report.Progress) {}

// Add implements report.Sink.
func (r *Recording) Add(f report.Finding) error { r.Findings = append(r.Findings, f); return nil }

// End implements report.Sink.
func (r *Recording) End(s report.Summary) error { r.Summary = s; return nil }

// Replay tells the run to another sink.
func (r *Recording) Replay(to report.Sink) error {
	if err := to.Begin(r.Run); err != nil {
		return err
	}
	return r.Rest(to)
}

// Rest tells what follows Begin.
func (r *Recording) Rest(to report.Sink) error {
	for _, f := range r.Findings {
		if err := to.Add(f); err != nil {
			return err
		}
	}
	return to.End(r.Summary)
}
