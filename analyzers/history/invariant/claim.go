package invariant

import (
	"slices"
	"strconv"
	"strings"

	"github.com/ccheck/ccheck/analyzers/internal/mend"
	"github.com/ccheck/ccheck/analyzers/report"
)

// where reads "file:line".
func where(s string) report.Location {
	file, line, ok := strings.Cut(s, ":")
	if i := strings.LastIndexByte(s, ':'); i >= 0 {
		file, line = s[:i], s[i+1:]
	}
	n, err := strconv.Atoi(line)
	if !ok || err != nil {
		return report.Location{File: s}
	}
	return report.Location{File: file, Line: n}
}

// authors are the scenario author's own fixes, for what the judge has no SQL.
func authors(texts []string, known []report.Fix) []report.Fix {
	var fixes []report.Fix
	for _, text := range texts {
		f := report.Fix{Kind: mend.KindOf(text), Title: text, Note: "from the scenario"}
		if !slices.ContainsFunc(known, func(k report.Fix) bool { return k.Kind == f.Kind }) {
			fixes = append(fixes, f)
		}
	}
	return fixes
}
