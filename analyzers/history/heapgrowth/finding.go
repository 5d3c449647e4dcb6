package heapgrowth

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/ccheck/ccheck/analyzers/report"
)

// finding tells a leak.
func (j *judge) finding(g *report.Growth) report.Finding {
	f := report.Finding{
		Rule: Name, Severity: report.High, Anomaly: "leak", Message: j.message(g), Why: g.Why, Growth: g,
		Fixes: fixesOf(g.Kind), Help: "docs/analyzers/" + Name + ".md", Where: place(g),
	}
	if g.Confidence == "low" {
		f.Severity = report.Medium
	}
	f.Fingerprint = fingerprint(g)
	return f
}

func (j *judge) message(g *report.Growth) string {
	var b strings.Builder
	switch g.Unit {
	case "goroutines":
		fmt.Fprintf(&b, "%s goroutines more in each snapshot", approx(g.Slope, g.Error))
	case "bytes":
		fmt.Fprintf(&b, "an array that grew by %s since the second snapshot", size(g.Bytes))
	case "samples":
		fmt.Fprintf(&b, "%s ± %s more since the second snapshot", size(g.Bytes), size(g.BytesError))
	default:
		fmt.Fprintf(&b, "%s more %s in each snapshot, %s each", approx(g.Slope, g.Error), g.Name, size(g.Each))
	}
	fmt.Fprintf(&b, ": %s", g.Kind)
	if g.Owner != "" {
		fmt.Fprintf(&b, ", gathered in %s", g.Owner)
	}
	return b.String()
}

// place is where in the source to look: what allocates, the program before the
// standard library, or the nearest function on the path.
func place(g *report.Growth) report.Location {
	mine := slices.IndexFunc(g.Allocated, func(call string) bool {
		name, _, _ := strings.Cut(call, " (")
		return !isStd(name)
	})
	if len(g.Allocated) > 0 {
		if l, ok := location(g.Allocated[max(mine, 0)]); ok {
			return l
		}
	}
	for _, p := range g.Paths {
		for i := len(p) - 1; i >= 0; i-- {
			if file, line, ok := fileLine(p[i].Where); ok && !strings.HasPrefix(file, "node:") {
				return report.Location{File: file, Line: line}
			}
		}
	}
	return report.Location{}
}

// location reads "main.f (/src/main.go:12)".
func location(text string) (report.Location, bool) {
	_, rest, ok := strings.Cut(text, " (")
	if !ok {
		return report.Location{}, false
	}
	file, line, ok := fileLine(strings.TrimSuffix(rest, ")"))
	return report.Location{File: file, Line: line}, ok
}

func fileLine(text string) (string, int, bool) {
	i := strings.LastIndexByte(text, ':')
	if i <= 0 {
		return "", 0, false
	}
	line, err := strconv.Atoi(text[i+1:])
	return text[:i], line, err == nil
}

// fingerprint is the same for the same leak in another run: no count, no address
// and no line.
func fingerprint(g *report.Growth) string {
	owner := g.Owner
	for _, p := range g.Paths {
		for _, s := range p {
			if file, _, ok := fileLine(s.Where); ok {
				owner = strings.ReplaceAll(owner, path.Base(s.Where), path.Base(file))
			}
		}
	}
	parts := []string{Name, g.Unit, g.Name, g.Kind, owner}
	if len(g.Allocated) > 0 {
		name, _, _ := strings.Cut(g.Allocated[0], " (")
		parts = append(parts, name)
	}
	sum := sha256.Sum256([]byte(strings.Join(parts, "\x00")))
	return hex.EncodeToString(sum[:8])
}
