package driver

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strconv"
	"strings"

	"github.com/ccheck/ccheck/analyzers/internal/sqlread"
	"github.com/ccheck/ccheck/analyzers/report"
)

// tidy merges findings that tell one story, gives each its fingerprint, and
// puts them in order.
func tidy(findings []report.Finding) []report.Finding {
	var kept []report.Finding
	for _, f := range findings {
		if i := slices.IndexFunc(kept, func(k report.Finding) bool { return sameStory(&k, &f) }); i >= 0 {
			absorb(&kept[i], &f)
			continue
		}
		f.Fingerprint = fingerprint(&f)
		kept = append(kept, f)
	}
	slices.SortStableFunc(kept, func(a, b report.Finding) int {
		return cmp.Or(-cmp.Compare(a.Severity.Rank(), b.Severity.Rank()), cmp.Compare(a.First, b.First))
	})
	tellOnce(kept)
	return kept
}

// tellOnce leaves the story of a race to the first finding that tells it. A
// claim that the same race breaks stays a finding, since mending one claim need
// not mend the other, and refers to the first.
func tellOnce(findings []report.Finding) {
	for i := range findings {
		for k := range i {
			if first := &findings[k]; first.SameAs == "" && sameRace(first, &findings[i]) {
				refer(&findings[i], first)
				break
			}
		}
	}
}

// sameRace reports whether two claims are broken by the same statements of the
// same actors in the same way.
func sameRace(a, b *report.Finding) bool {
	return a.Rule == b.Rule && a.Claim != "" && b.Claim != "" && a.Claim != b.Claim && len(a.Steps) > 0 && len(b.Steps) > 0 &&
		a.Anomaly == b.Anomaly && slices.Equal(actors(a), actors(b)) && slices.Equal(shapes(a), shapes(b))
}

// refer makes f say that its race is told by first.
func refer(f, first *report.Finding) {
	first.Also = append(first.Also, f.Claim)
	f.SameAs = first.Fingerprint
	f.Lanes, f.Steps, f.Repro.Psql = nil, nil, nil
	f.Before, f.After, f.Expected = "", "", ""
	f.Why = strconv.Quote(first.Claim) + " is broken by the same statements of the same actors; the race is told there."
	f.Fixes = slices.DeleteFunc(slices.Clone(f.Fixes), func(x report.Fix) bool { return hasFix(first, x) })
}

func hasFix(f *report.Finding, x report.Fix) bool {
	return slices.ContainsFunc(f.Fixes, func(y report.Fix) bool { return x.Kind == y.Kind && x.SQL == y.SQL })
}

// sameStory reports whether two judges explain what they saw by the very same
// statements. Two claims of one judge stay two findings.
func sameStory(a, b *report.Finding) bool {
	return a.Rule != b.Rule && len(a.Steps) > 0 && slices.EqualFunc(a.Steps, b.Steps, func(x, y report.Step) bool {
		return x.Lane == y.Lane && x.Text == y.Text && x.Start == y.Start && x.End == y.End
	})
}

// absorb takes over what the second finding knows.
func absorb(f, other *report.Finding) {
	f.Why = strings.TrimSpace(f.Why + " Beside it, " + other.Rule + ": " + other.Message)
	f.Last = max(f.Last, other.Last)
	if f.Books == nil {
		f.Books = other.Books
	}
	if other.Severity.Rank() > f.Severity.Rank() {
		f.Severity = other.Severity
	}
	for _, x := range other.Fixes {
		if !hasFix(f, x) {
			f.Fixes = append(f.Fixes, x)
		}
	}
}

// fingerprint names the bug and not the run. A broken claim is one bug
// whichever pair of actors is caught first, since that differs from run to
// run; a finding without a claim is known by its actors and statements.
func fingerprint(f *report.Finding) string {
	parts := []string{f.Rule, f.Claim}
	if f.Claim == "" {
		parts = append(parts, f.Anomaly)
		parts = append(parts, actors(f)...)
		parts = append(parts, shapes(f)...)
	}
	sum := sha256.Sum256([]byte(strings.Join(parts, "\x00")))
	return hex.EncodeToString(sum[:8])
}

// actors are the names of the actors in the lanes' details.
func actors(f *report.Finding) []string {
	var names []string
	for _, l := range f.Lanes {
		for part := range strings.SplitSeq(l.Detail, ", ") {
			if !strings.HasPrefix(part, "client ") && !strings.HasPrefix(part, "try ") {
				names = append(names, part)
			}
		}
	}
	return set(names)
}

func shapes(f *report.Finding) []string {
	var all []string
	for _, s := range f.Steps {
		all = append(all, sqlread.Shape(s.Text))
	}
	return set(all)
}

func set(list []string) []string {
	slices.Sort(list)
	return slices.Compact(list)
}
