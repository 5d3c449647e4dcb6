package story

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/ccheck/ccheck/analyzers/report"
)

// Dur writes a duration with three significant digits: "34 ms", "1.2 s", "2m30s".
func (o Options) Dur(d time.Duration) string {
	micro := "µs"
	if o.ASCII {
		micro = "us"
	}
	switch {
	case d == 0:
		return "0 ms"
	case d >= 100*time.Second:
		return d.Round(time.Second).String()
	case d >= time.Second:
		return short(d.Seconds()) + " s"
	case d >= time.Millisecond:
		return short(float64(d)/float64(time.Millisecond)) + " ms"
	}
	return short(float64(d)/float64(time.Microsecond)) + " " + micro
}

func short(f float64) string {
	digits := 2
	switch {
	case f >= 100:
		digits = 0
	case f >= 10:
		digits = 1
	}
	s := strconv.FormatFloat(f, 'f', digits, 64)
	if strings.Contains(s, ".") {
		s = strings.TrimRight(strings.TrimRight(s, "0"), ".")
	}
	return s
}

// Count writes a number. It makes no groups of digits: the judges' sentences and
// the values of the database have none, and all of them stand side by side.
func (o Options) Count(n int64) string { return strconv.FormatInt(n, 10) }

// plural is "1 finding" or "3 findings".
func (o Options) plural(n int64, one string) string {
	if n == 1 {
		return "1 " + one
	}
	return o.Count(n) + " " + one + "s"
}

// Counts lists numbers by key: "40001 ×131, 40P01 ×11".
func (o Options) Counts(cs []report.Count) string {
	var said []string
	for _, c := range cs {
		said = append(said, o.Text(c.Key+" ×")+o.Count(c.N))
	}
	return strings.Join(said, ", ")
}

// Evidence says whether a run was hard enough to judge, and how hard it was. What
// it lacked is among the reasons of the verdict.
func (o Options) Evidence(s report.Summary) string {
	e := s.Evidence
	said := []string{o.plural(e.Overlaps, "overlap") + " on the same rows"}
	if e.LockWaits > 0 {
		said = append(said, o.plural(e.LockWaits, "lock wait"))
	}
	if e.Conflicts > 0 {
		said = append(said, o.plural(e.Conflicts, "conflict")+" answered by the server")
	}
	if e.SmallestGap > 0 {
		said = append(said, "smallest gap between check and act "+o.Dur(e.SmallestGap))
	}
	said = append(said, o.plural(e.Transactions, "transaction"), o.plural(e.Checks, "check")+" of the claims")
	return o.Contention(e, s.Verdict) + ": " + strings.Join(said, ", ")
}

// Contention says in words whether the run was hard enough to judge. What was
// found needs no more of it; only the rest is not acquitted.
func (o Options) Contention(e report.Evidence, v report.Verdict) string {
	switch {
	case e.Enough:
		return "contention proven"
	case v == report.Faulty:
		return "enough for what was found, too little to clear the rest"
	}
	return "contention not proven"
}

// Verdict says a verdict and what it means in one sentence.
func (o Options) Verdict(s report.Summary, findings int) string {
	switch s.Verdict {
	case report.Clean:
		if s.Evidence.Enough {
			return "CLEAN: every claim held, and the transactions did collide on the same rows."
		}
		return "CLEAN: nothing was found."
	case report.Faulty:
		if findings == 0 {
			return "FAULTY: a claim was broken."
		}
		return fmt.Sprintf("FAULTY: %s.", o.plural(int64(findings), "finding"))
	}
	return "UNKNOWN: nothing was found, but the run does not allow a judgement. " +
		"That is no pass, and a build must not take it for one."
}

// VerdictRole colours a verdict.
func VerdictRole(v report.Verdict) Role {
	switch v {
	case report.Clean:
		return Good
	case report.Faulty:
		return Bad
	}
	return Warn
}

// Sign is the glyph of a role: a cross, a tick or a question mark. Colour never
// stands alone.
func (o Options) Sign(role Role) string {
	g := o.glyphs()
	switch role {
	case Good:
		return g.good
	case Bad:
		return g.bad
	}
	return g.unknown
}

// SeverityRole colours a severity.
func SeverityRole(s report.Severity) Role {
	if s == report.High {
		return Bad
	}
	return Warn
}

// Name is the shortest good name of a finding: the field's word for the
// anomaly, or the rule.
func Name(f report.Finding) string {
	if f.Anomaly != "" {
		return Clean(f.Anomaly)
	}
	return Clean(f.Rule)
}
