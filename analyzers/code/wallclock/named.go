package wallclock

import (
	"regexp"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/ccheck/ccheck/analyzers/internal/place"
	"github.com/ccheck/ccheck/analyzers/internal/sqlread"
)

var (
	// onceName is an entry of a request or a store that must be another one, or a
	// larger one, each time.
	onceName = regexp.MustCompile(`(?i)^(nonce|seq|sequence|version|revision|idempotency[-_]?key|(x-)?(request|correlation|trace|transaction|message|event|order|job)[-_]?id)$`)
	// talkName is a function that only tells somebody.
	talkName = regexp.MustCompile(`(?i)log|zap|trac|span|metric|attr|label|print`)
)

// entry is the name of what a value is put under, which must be unique: the key of a
// map, or the constant before it among the arguments of a call.
func entry(v ssa.Value, r ssa.Instruction) string {
	switch r := r.(type) {
	case *ssa.MapUpdate:
		if name, ok := text(r.Key); ok && r.Value == v && onceName.MatchString(name) {
			return "the entry " + name
		}
	case ssa.CallInstruction:
		args := flat(r)
		i := slices.Index(args, v)
		if i < 1 || talkName.MatchString(place.CalleeName(r.Common())) {
			return ""
		}
		if name, ok := text(args[i-1]); ok && onceName.MatchString(name) {
			return "the entry " + name
		}
	}
	return ""
}

// versioned is the column of a version or a number to which a statement sets a value.
func versioned(v ssa.Value, c ssa.CallInstruction) string {
	st := statementOf(c)
	i := slices.Index(st.args, v) + 1
	if i == 0 {
		return ""
	}
	for _, t := range sqlread.Read(st.text).Tables {
		for _, w := range t.Writes {
			if w.Value.Kind == sqlread.Param && w.Value.N == i && onceName.MatchString(w.Column) {
				return "the column " + w.Column
			}
		}
		for _, row := range t.Rows {
			for k, val := range row {
				if val.Kind == sqlread.Param && val.N == i && k < len(t.Into) && (onceName.MatchString(t.Into[k]) || identName.MatchString(t.Into[k])) {
					return "the column " + t.Into[k]
				}
			}
		}
	}
	return ""
}

// inList is what a call makes of a value in a list of arguments.
func inList(list *ssa.Slice, v ssa.Value) string {
	if list == nil {
		return ""
	}
	for _, r := range *list.Referrers() {
		c, ok := r.(ssa.CallInstruction)
		if !ok {
			continue
		}
		if what := entry(v, r); what != "" {
			return what
		}
		if what := versioned(v, c); what != "" {
			return what
		}
	}
	return ""
}
