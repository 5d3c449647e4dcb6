package explore

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/ccheck/ccheck/analyzers/history/serial"
	"github.com/ccheck/ccheck/analyzers/report"
	"github.com/ccheck/ccheck/probes/actor/script"
	"github.com/ccheck/ccheck/probes/explore"
	"github.com/ccheck/ccheck/probes/scenario"
)

// ready is a fix that can be made without knowing what the scenario is for. It
// is tried on what breaks, and told with what came of it.
type ready struct {
	name   string
	edit   func(text string) string // of every script; nil leaves them
	retry  bool                     // calls start over on 40001 and 40P01
	setup  string                   // SQL after the scenario's own
	refuse []string                 // SQLSTATEs that are answered with a refusal
	fits   func(f *report.Fix, sameLevel bool, level scenario.Isolation) bool
}

func kind(k report.FixKind) func(*report.Fix, bool, scenario.Isolation) bool {
	return func(f *report.Fix, sameLevel bool, _ scenario.Isolation) bool { return f.Kind == k && sameLevel }
}

// general are the fixes that may suit any script.
var general = []*ready{
	{name: "with a retry", retry: true, fits: func(f *report.Fix, sameLevel bool, level scenario.Isolation) bool {
		return f.Kind == report.Isolation && level == scenario.Serializable || f.Kind == report.Retry && sameLevel
	}},
	{name: "FOR UPDATE, retry", retry: true, edit: lockReads, fits: kind(report.Pessimistic)},
	{name: "guard, retry", retry: true, edit: guardWrites, fits: kind(report.Optimistic)},
	{name: "on the primary, FOR UPDATE, retry", retry: true, edit: readPrimary, fits: kind(report.Route)},
}

// violations are what a constraint answers: unique_violation, check_violation
// and exclusion_violation.
var violations = []string{"23505", "23514", "23P01"}

// constraints are the fixes of the findings that a table can keep by itself.
func (s *session) constraints() []*ready {
	var list []*ready
	for i := range s.findings {
		for _, f := range s.findings[i].Fixes {
			if f.Kind != report.Constraint || f.SQL == "" || slices.ContainsFunc(list, func(r *ready) bool { return r.setup == f.SQL }) {
				continue
			}
			sql := f.SQL
			list = append(list, &ready{
				name: "constraint, retry", setup: sql, retry: true, refuse: violations,
				fits: func(f *report.Fix, sameLevel bool, _ scenario.Isolation) bool { return f.SQL == sql && sameLevel },
			})
		}
	}
	if len(list) > 1 {
		for n, r := range list {
			r.name = fmt.Sprintf("constraint %d, retry", n+1)
		}
	}
	return list
}

// tries explores what breaks with each ready fix.
func (s *session) tries(ctx context.Context, cells []*cell, sink report.Sink) error {
	s.verifyOwn()
	if s.o.Untried || ctx.Err() != nil {
		return nil
	}
	list, err := s.o.fixes(s.faulty(cells), append(slices.Clone(general), s.constraints()...))
	if err != nil || len(list) == 0 {
		return err
	}
	results, err := s.start(ctx, list, sink)
	if err != nil {
		return err
	}
	for _, c := range list {
		r := <-results[c]
		if c.fix.setup != "" && errors.As(r.err, new(*explore.SetupError)) {
			s.impossible(c, r.err)
			continue
		}
		if r.err != nil {
			return r.err
		}
		s.table.add(r.done)
		s.verify(r.done)
		s.forget(r.done)
		if ctx.Err() != nil {
			return nil
		}
	}
	return nil
}

// faulty are the cells whose lanes break at some level and claim nothing else.
func (s *session) faulty(cells []*cell) []*cell {
	return slices.DeleteFunc(slices.Clone(cells), func(c *cell) bool {
		return c.sc.Fixed || c.schedule != nil || !s.broken[c.team()]
	})
}

// team names a version with its lanes, at any level.
func (c *cell) team() string { return c.sc.Version + "\x00" + strings.Join(c.actors, ",") }

// fixes are the cells with each fix in.
func (o *Options) fixes(cells []*cell, all []*ready) ([]*cell, error) {
	var list []*cell
	for _, fix := range all {
		for _, c := range cells {
			sc, changed, err := o.fixed(c, fix)
			if err != nil {
				return nil, err
			}
			if changed {
				list = append(list, &cell{sc: sc, actors: c.actors, level: c.level, fix: fix})
			}
		}
	}
	return list, nil
}

// fixed is the version with the fix in all of its scripts.
func (o *Options) fixed(c *cell, fix *ready) (v *scenario.Scenario, changed bool, err error) {
	fresh, err := o.reopen(c.sc.Version)
	if err != nil {
		return nil, false, err
	}
	copied := *fresh
	copied.Actors = slices.Clone(fresh.Actors)
	for i := range copied.Actors {
		a := &copied.Actors[i]
		text := a.Text
		if fix.edit != nil {
			text = fix.edit(text)
		}
		parsed, err := script.Parse(a.Name, a.Script.File, text)
		if err != nil {
			return nil, false, fmt.Errorf("trying a fix of %s: %w", a.Script.File, err)
		}
		changed = changed || text != a.Text
		changed = fix.handle(parsed) && fix.edit == nil || changed
		a.Script, a.Text = parsed, text
	}
	if fix.setup != "" {
		copied.Setup, changed = append(slices.Clone(copied.Setup), scenario.Source{Text: fix.setup}), true
	}
	return &copied, changed, nil
}

// handle adds the answers that the caller gives to errors, and reports whether
// there were others before.
func (r *ready) handle(s *script.Script) (changed bool) {
	for _, code := range []string{"40001", "40P01"} {
		if r.retry && !slices.Contains(s.Retry, code) {
			s.Retry, changed = append(s.Retry, code), true
		}
	}
	for _, code := range r.refuse {
		if !slices.Contains(s.Refuse, code) {
			s.Refuse, changed = append(s.Refuse, code), true
		}
	}
	return changed
}

var query = regexp.MustCompile(`(?im)^select\b[^;\\]*`)

// onReplica is the comment that sends the next statement to a replica.
var onReplica = regexp.MustCompile(`(?m)^--[ \t]*@on[ \t]+replica[ \t]*\n`)

// readPrimary has everything read on the primary, with locks.
func readPrimary(text string) string {
	if !onReplica.MatchString(text) {
		return text
	}
	return lockReads(onReplica.ReplaceAllString(text, ""))
}

// lockReads adds FOR UPDATE to the queries that can carry it. A replica has no
// locks.
func lockReads(text string) string {
	if onReplica.MatchString(text) {
		return text
	}
	return query.ReplaceAllStringFunc(text, func(sql string) string {
		body := strings.TrimRight(sql, " \t\r\n")
		if locked, ok := serial.Lock(body); ok {
			return locked + sql[len(body):]
		}
		return sql
	})
}

var (
	fetch  = regexp.MustCompile(`(?im)^(select\b[^;\\]*)\\[ga]set(?:[ \t]+(\w+))?`)
	update = regexp.MustCompile(`(?im)^update\b[^;\\]*;`)
	set    = regexp.MustCompile(`(?im)^\\set[ \t]+(\w+)`)
)

// changedSince is what a guarded UPDATE of no row does: the call starts over.
const changedSince = `
-- @rows ccheck_rows
\if :ccheck_rows = 0
DO $$ BEGIN RAISE EXCEPTION 'the row has changed since it was read' USING ERRCODE = '40001'; END $$;
\endif`

// guardWrites lets an UPDATE go through only while the row has the values that
// the script has read.
func guardWrites(text string) string {
	var seen []serial.Seen
	read := 0 // where the last query that was read ends
	for _, m := range fetch.FindAllStringSubmatchIndex(text, -1) {
		prefix := ""
		if m[4] >= 0 {
			prefix = text[m[4]:m[5]]
		}
		if s, ok := serial.See(text[m[2]:m[3]], prefix); ok {
			seen, read = append(seen, s), m[1]
		}
	}
	if len(seen) == 0 {
		return text
	}
	computed := map[string]bool{} // variables that no longer hold what was read
	for _, m := range set.FindAllStringSubmatch(text[read:], -1) {
		computed[m[1]] = true
	}
	return update.ReplaceAllStringFunc(text, func(sql string) string {
		guarded, ok := serial.Guard(strings.TrimSuffix(sql, ";"), seen, func(v string) bool { return computed[v] })
		if !ok {
			return sql
		}
		return guarded + ";" + changedSince
	})
}

// verify tells the fixes of the findings what came of them. A retry is no fix of
// what breaks with it, too.
func (s *session) verify(d *done) {
	what := fmt.Sprintf("tried as %q at %s: %s", d.fix.name, d.level, d.word())
	broken := d.broken() > 0
	s.each(d.cell, func(f *report.Finding, k int) bool {
		switch fix := &f.Fixes[k]; {
		case !broken:
			fix.Verified = what
		case fix.Kind == report.Retry && wrong(*f):
			return false
		default:
			fix.Note = strings.TrimPrefix(fix.Note+"; not enough by itself, "+what, "; ")
		}
		return true
	})
}

// ofVariant finds the version of the scenario that a fix in its own words names.
var ofVariant = regexp.MustCompile(`\(variant ([^)]+)\)`)

func variantOf(f *report.Fix) string {
	if m := ofVariant.FindStringSubmatch(f.Title); m != nil {
		return m[1]
	}
	return ""
}

// of returns what came of the cell's lanes and level in another version, or nil.
func (s *session) of(c *cell, version string) *done {
	i := slices.IndexFunc(s.done, func(d *done) bool {
		return d.sc.Version == version && d.level == c.level && slices.Equal(d.actors, c.actors)
	})
	if version == "" || i < 0 {
		return nil
	}
	return s.done[i]
}

// verifyOwn tells the fixes that are versions of the scenario what came of these.
func (s *session) verifyOwn() {
	for i := range s.findings {
		f := &s.findings[i]
		for k := range f.Fixes {
			fix := &f.Fixes[k]
			version := variantOf(fix)
			d := s.of(s.seen[i], version)
			if d == nil {
				continue
			}
			switch what := fmt.Sprintf("%s at %s: %s", version, d.level, d.word()); {
			case d.verdict.Verdict == report.Clean:
				fix.Verified = what
			case d.broken() > 0:
				fix.Note = strings.TrimPrefix(fix.Note+"; not enough, "+what, "; ")
			}
		}
	}
}

// untried says of the other fixes that nobody knows yet whether they hold.
func (s *session) untried() {
	for i := range s.findings {
		for k := range s.findings[i].Fixes {
			if f := &s.findings[i].Fixes[k]; f.Verified == "" && !strings.Contains(f.Note, "not enough") {
				f.Note = strings.TrimPrefix(f.Note+"; not tried", "; ")
			}
		}
	}
}

// impossible tells that a constraint cannot be made on the tables as they are.
func (s *session) impossible(c *cell, err error) {
	s.each(c, func(f *report.Finding, k int) bool {
		f.Fixes[k].Verified = "tried: the server refused it: " + err.Error()
		return true
	})
}

// each calls keep for every fix that was tried in the cell, and takes out those
// that are not to be kept.
func (s *session) each(c *cell, keep func(f *report.Finding, k int) bool) {
	for i := range s.findings {
		f := &s.findings[i]
		if s.teams[i] != c.team() {
			continue
		}
		for k := len(f.Fixes) - 1; k >= 0; k-- {
			if variantOf(&f.Fixes[k]) == "" && c.fix.fits(&f.Fixes[k], c.level == s.levels[i], c.level) && !keep(f, k) {
				f.Fixes = slices.Delete(f.Fixes, k, k+1)
			}
		}
	}
}
