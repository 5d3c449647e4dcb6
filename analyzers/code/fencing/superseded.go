package fencing

import (
	"regexp"
	"slices"
	"strings"

	"github.com/ccheck/ccheck/analyzers/internal/flow"
	"github.com/ccheck/ccheck/analyzers/internal/lease"
	"github.com/ccheck/ccheck/analyzers/internal/libs"
	"github.com/ccheck/ccheck/analyzers/internal/pair"
	"github.com/ccheck/ccheck/analyzers/internal/sqlread"
	"github.com/ccheck/ccheck/analyzers/internal/tell"
)

var (
	// growing are columns that a newer owner raises.
	growing = regexp.MustCompile(`(?i)session|token|fenc|epoch|generation|\bgen\b|term|stream|connection_id|lease|incarnation`)
	// upserted is the condition of an INSERT that replaces an older owner's row.
	upserted = regexp.MustCompile(`(?i)(?:\w+\.)?(\w+)\s*<=?\s*excluded\.(\w+)`)
	// parting are functions by which an owner goes.
	parting = regexp.MustCompile(`(?i)disconnect|offline|leave|detach|close|stop|end|logout|gone|down$`)
)

// superseded finds what a row that is taken over by a growing token loses again: the
// old owner writes what came with the token, by the key alone, when he goes.
func superseded(s *flow.Summary, claimed *lease.Claims) (out []flow.Found) {
	for w := range s.Events {
		e := &s.Events[w]
		if e.Op != libs.Exec || !claimed.Stated(s, w) || forced.MatchString(s.Name) {
			continue
		}
		t := lease.Written(e)
		if t == nil || t.Kind == sqlread.Insert || !byKey(t) {
			continue
		}
		at := raisedBefore(s, w, t)
		if at.o == nil && parting.MatchString(s.Name[strings.LastIndexByte(s.Name, '.')+1:]) {
			at = raisedBeside(s, t)
		}
		if at.o == nil {
			continue
		}
		token := at.token
		out = append(out, flow.Found{At: pair.Act(s, w), Severity: "medium",
			Related: []flow.Note{{At: pair.Check(at.o, at.i), Text: "the newer owner raises " + token + " here"}},
			Message: tell.Story("a row that a newer owner takes over by "+token+" is written by its key alone, by one who may have it no longer",
				"  A has the row with "+token+" 1, and its end is late: a lost connection, a pause",
				"  B takes the row over with "+token+" 2, and writes the same columns",
				"  A goes, and writes over what B has written",
				"fix: keep the "+token+" that was given, write only WHERE … AND "+token+" = …, and take no changed row for: somebody newer has it")})
	}
	return out
}

// raising is a statement that raises the token of a row.
type raising struct {
	o     *flow.Summary
	i     int
	token string
}

// raisedBefore is the statement by which the function took the row before event w.
func raisedBefore(s *flow.Summary, w int, t *sqlread.Table) (found raising) {
	for i := range s.Events {
		if s.After(i, w) && s.Local(i, w) {
			if token := raises(&s.Events[i], t); token != "" {
				return raising{s, i, token}
			}
		}
	}
	return found
}

// raisedBeside is such a statement of another function of the package.
func raisedBeside(s *flow.Summary, t *sqlread.Table) (found raising) {
	for _, o := range beside(s) {
		for i := range o.Events {
			if token := raises(&o.Events[i], t); token != "" && len(o.Events[i].Site) == 1 {
				return raising{o, i, token}
			}
		}
	}
	return found
}

// raises is the token of the row that a statement takes where its own is larger, when
// another one writes what is written with it and does not ask for the token.
func raises(e *flow.Event, by *sqlread.Table) string {
	t := lease.Written(e)
	if t == nil || t.Name != by.Name {
		return ""
	}
	token := raised(e, t)
	if token == "" || names(by, token) {
		return ""
	}
	if by.Kind == sqlread.Delete || slices.ContainsFunc(t.Writes, func(w sqlread.Write) bool { return w.Column != token && sets(by, w.Column) }) {
		return token
	}
	return ""
}

// raised is the column that a statement gives a larger value of the caller's. One that
// counts its tries up to a limit raises no token.
func raised(e *flow.Event, t *sqlread.Table) string {
	if m := upserted.FindStringSubmatch(e.SQL); t.Kind == sqlread.Insert && m != nil && strings.EqualFold(m[1], m[2]) && growing.MatchString(m[1]) {
		return strings.ToLower(m[1])
	}
	for _, p := range t.Preds {
		given := slices.ContainsFunc(t.Writes, func(w sqlread.Write) bool { return w.Column == p.Column && w.Value.Kind == sqlread.Param })
		if t.Kind == sqlread.Update && strings.HasPrefix(p.Op, "<") && growing.MatchString(p.Column) && given {
			return p.Column
		}
	}
	return ""
}

func sets(t *sqlread.Table, column string) bool {
	return slices.ContainsFunc(t.Writes, func(w sqlread.Write) bool { return w.Column == column })
}

// names tells whether a statement asks for a column, or sets it.
func names(t *sqlread.Table, column string) bool {
	return sets(t, column) || slices.ContainsFunc(t.Preds, func(p sqlread.Pred) bool { return p.Column == column })
}
