package flags

import (
	"slices"

	"github.com/spf13/pflag"

	"github.com/ccheck/ccheck/analyzers/report"
	"github.com/ccheck/ccheck/cmd/internal/exit"
)

// Outcome are the flags that say which verdict is which exit code.
type Outcome struct {
	FailOn   string
	ExitZero bool
}

// Register adds the flags to fs.
func (o *Outcome) Register(fs *pflag.FlagSet) {
	fs.StringVar(&o.FailOn, "fail-on", string(report.Low), "least severity that makes the exit code 1: low, medium or high")
	fs.BoolVar(&o.ExitZero, "exit-zero", false, "exit with 0 whatever the verdict, unknown included; errors keep their codes")
}

// Check finds what is wrong with the flags before anything was run.
func (o *Outcome) Check() error {
	if report.Severity(o.FailOn).Rank() == 0 {
		return exit.Usagef("--fail-on %q is no severity", o.FailOn).WithHint("it takes low, medium or high")
	}
	return nil
}

// Code is the exit code of the verdict with the findings. A finding stands,
// also where the rest is unknown.
func (o *Outcome) Code(v report.Verdict, findings []report.Finding) int {
	switch {
	case o.ExitZero:
		return exit.Clean
	case o.Fails(findings):
		return exit.Findings
	case v == report.Unknown:
		return exit.Unknown
	}
	return exit.Clean
}

// Fails reports whether a finding is at or above --fail-on.
func (o *Outcome) Fails(findings []report.Finding) bool {
	return slices.ContainsFunc(findings, func(f report.Finding) bool {
		return f.Severity.Rank() >= report.Severity(o.FailOn).Rank()
	})
}
