package wallclock

import (
	"go/constant"
	"go/token"
	"regexp"

	"golang.org/x/tools/go/ssa"

	"github.com/ccheck/ccheck/analyzers/internal/cfg"
	"github.com/ccheck/ccheck/analyzers/internal/flow"
	"github.com/ccheck/ccheck/analyzers/internal/place"
	"github.com/ccheck/ccheck/analyzers/internal/sqlread"
	"github.com/ccheck/ccheck/analyzers/internal/tell"
)

const (
	serverNow  = `(?:now\s*\(\s*\)|(?:current|local)_?timestamp|(?:clock|statement|transaction)_timestamp\s*\(\s*\))`
	columnName = `(?:\w+\.)?"?(\w+)"?`
)

// serverJudged is a condition that compares a column with the clock of the database,
// and whether hours or days lie between them.
var serverJudged = regexp.MustCompile(`(?i)` + columnName + `\s*[<>]=?\s*` + serverNow + `(\s*[-+]\s*interval\s*'\d+\s*(?:hour|day|week|month|year))?|` + serverNow + `\s*[<>]=?\s*` + columnName)

// judgedByServer are the columns, as table.column, that statements of the package
// compare with the clock of the database.
func (j *judge) judgedByServer() map[string]bool {
	judged := map[string]bool{}
	for _, fn := range j.fns {
		cfg.Each(fn, func(in ssa.Instruction) {
			c, ok := in.(ssa.CallInstruction)
			if !ok {
				return
			}
			sql := statementOf(c).text
			for _, m := range serverJudged.FindAllStringSubmatch(sql, -1) {
				if m[2] != "" {
					continue
				}
				for _, t := range sqlread.Read(sql).Tables {
					judged[t.Name+"."+flow.Column(m[1]+m[3])] = true
				}
			}
		})
	}
	return judged
}

// mixed finds the end of a row that this machine sets by its clock, soon after now,
// or the sign of life that it stamps, which the database compares with its own.
func (j *judge) mixed(fn *ssa.Function) {
	cfg.Each(fn, func(in ssa.Instruction) {
		c, ok := in.(ssa.CallInstruction)
		if !ok {
			return
		}
		st := statementOf(c)
		for _, w := range written(sqlread.Read(st.text)) {
			v := w.bound(st)
			if v == nil || !j.serverJudged[w.table+"."+flow.Column(w.column)] {
				continue
			}
			if w.ends() && j.soon(behind(v)) {
				j.Found(in.Pos(), endsByTwo, nil)
				return
			}
			if w.again() && j.soon(behind(v)) {
				j.Found(in.Pos(), againByTwo, nil)
				return
			}
			if w.alive() && j.reads(v) {
				j.Found(in.Pos(), livesByTwo, nil)
				return
			}
		}
	})
}

var (
	endsByTwo = tell.Story(
		"the end of a row is set by the clock of this machine and compared with the clock of the database",
		"  this machine, whose clock is 40 s behind, allows 30 s: until 11:59:50 by its clock",
		"  the database reads it at 12:00:00 by its own: over from the beginning; a clock that is ahead lets it live too long",
		"fix: let the database set what it compares, now() + make_interval(secs => $1)",
	)
	againByTwo = tell.Story(
		"the time of the next attempt is set by the clock of this machine and compared with the clock of the database",
		"  this machine, whose clock is 60 s behind, waits for 60 s: until 12:00:00 by its clock",
		"  the database reads it at 12:00:00 by its own: due at once, and the back-off is none; a clock that is ahead makes it longer",
		"fix: let the database set what it compares, now() + make_interval(secs => $1)",
	)
	livesByTwo = tell.Story(
		"a sign of life is stamped by the clock of this machine and compared with the clock of the database",
		"  this machine, whose clock is 40 s behind, is alive and stamps 11:59:20",
		"  the database compares it at 12:00:00 by its own: silent for 40 s, and taken for dead",
		"fix: let the database stamp what it compares, SET last_seen = now()",
	)
)

// given is what a statement gives to a column.
type given struct {
	table, column string
	value         sqlread.Value
	old           bool // the row is there already
}

// bound is the value that is bound where a column is given a placeholder, else nil.
func (g given) bound(st statement) ssa.Value {
	if g.value.Kind != sqlread.Param || g.value.N < 1 || g.value.N > len(st.args) {
		return nil
	}
	return st.args[g.value.N-1]
}

// ends tells whether a column says when a row is over.
func (g given) ends() bool {
	return endsName.MatchString(g.column) || holdName.MatchString(g.column)
}

// againName is when something that has failed is tried again.
var againName = regexp.MustCompile(`(?i)^(next_?(attempt|try|retry|sync|poll|fetch|check|run)(_?(at|on|time))?|retry_?(at|after|time)|(back_?off|paused|blocked|suspended|snoozed)_?(until|till))$`)

// again tells whether a column says when the next attempt is due, in a statement that
// puts it off: the one that makes the row chooses the time for others.
func (g given) again() bool { return g.old && againName.MatchString(g.column) }

// alive tells whether a column is the sign of life of a machine.
func (g given) alive() bool {
	return pulseName.MatchString(g.column) || beatName.MatchString(g.column) && peerName.MatchString(g.table)
}

// written lists what a statement gives to columns, in new rows and in old ones.
func written(acc sqlread.Access) (all []given) {
	for _, t := range acc.Tables {
		for _, w := range t.Writes {
			all = append(all, given{t.Name, w.Column, w.Value, true})
		}
		for _, row := range t.Rows {
			for i, v := range row {
				if i < len(t.Into) {
					all = append(all, given{t.Name, t.Into[i], v, false})
				}
			}
		}
	}
	return all
}

// soon tells whether a value is a time after now, and not so far from it that the
// distance of two clocks does not count.
func (j *judge) soon(v ssa.Value) bool {
	r := j.clock.of(v)
	c, ok := v.(*ssa.Call)
	if !r.ok || !r.shifted || !ok || place.CalleeName(c.Common()) != "(time.Time).Add" {
		return false
	}
	k, ok := c.Call.Args[1].(*ssa.Const)
	return !ok || constant.Compare(constant.ToInt(k.Value), token.LSS, constant.MakeInt64(int64(coarse)))
}
