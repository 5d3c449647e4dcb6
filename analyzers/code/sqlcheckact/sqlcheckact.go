package sqlcheckact

import (
	"golang.org/x/tools/go/analysis"

	"github.com/ccheck/ccheck/analyzers/internal/flow"
	"github.com/ccheck/ccheck/analyzers/internal/sqlread"
	"github.com/ccheck/ccheck/analyzers/internal/stmt"
)

// Pairing is the judgement, for the step that sees the whole program.
var Pairing = flow.Pairing{Name: "sqlcheckact", Judge: judge}

// Analyzer reports check-then-act on rows.
var Analyzer = &analysis.Analyzer{
	Name:     "sqlcheckact",
	Doc:      Doc,
	Requires: []*analysis.Analyzer{flow.Analyzer},
	Run:      flow.RunEditing(Pairing, edit),
}

// candidate is a read and a write of one table in one function.
type candidate struct {
	all        []stmt.Stmt
	check, act stmt.Stmt
	read       *sqlread.Table
	write      *sqlread.Table
	why        reason
	named      string // the column that it is about
}

func judge(s *flow.Summary) []flow.Found {
	if s.Generated || stmt.Migration(s) {
		return nil
	}
	all := stmt.All(s)
	var out []flow.Found
	done := map[string]bool{}
	for _, act := range all {
		if createdInside(all, act) {
			out = append(out, insideStory(act))
		}
		if c, ok := claimedInside(all, act); ok {
			out = append(out, c.chosenStory())
		}
		if c, ok := first(all, act); ok {
			key := c.write.Name + "\x00" + c.check.Inner().String()
			if !done[key] && !done[act.Site[0].String()] {
				done[key], done[act.Site[0].String()] = true, true
				out = append(out, c.story())
			}
		}
	}
	return out
}

// createdInside reports whether a call of the library is a check-then-act by
// itself, as gorm's FirstOrCreate is, and nothing keeps out a second row.
func createdInside(all []stmt.Stmt, act stmt.Stmt) bool {
	if act.Note != "firstorcreate" || len(act.Acc.Tables) == 0 || len(act.Site) > 1 {
		return false
	}
	read := &act.Acc.Tables[0]
	c := candidate{all: all, check: act, act: act, read: read, write: read, why: absence}
	return read.OnConflict == "" && !unnamed(read) && !c.unique() && !c.lockedInGo() && !c.serial() && !c.rowLocked() && !c.duplicateHandled()
}

// first finds the earliest read that a write depends on.
func first(all []stmt.Stmt, act stmt.Stmt) (candidate, bool) {
	for i := range act.Acc.Tables {
		write := &act.Acc.Tables[i]
		if !write.Kind.Writes() || write.Sub || unnamed(write) {
			continue
		}
		for _, check := range all {
			if c, ok := dependent(all, check, act, write); ok {
				return c, true
			}
		}
	}
	return candidate{}, false
}

// unnamed reports whether the name of the table is not known.
func unnamed(t *sqlread.Table) bool { return t.Name == "" || t.Name == "ccheck_hole" }

// dependent finds a read that a write depends on, unless something guards both.
func dependent(all []stmt.Stmt, check, act stmt.Stmt, write *sqlread.Table) (candidate, bool) {
	s := act.Sum
	if check.I == act.I || !s.After(check.I, act.I) || !s.Local(check.I, act.I) || check.Async || act.Async {
		return candidate{}, false
	}
	for i := range check.Acc.Tables {
		read := &check.Acc.Tables[i]
		c := candidate{all: all, check: check, act: act, read: read, write: write}
		if !sqlread.Same(read, write) || read.Kind.Writes() && !c.missed() {
			continue
		}
		if c.why = c.reason(); c.why != none && !c.guarded() && !c.settled() && !c.lookedAgain() && !c.guardedByCallers() {
			return c, true
		}
	}
	return candidate{}, false
}
