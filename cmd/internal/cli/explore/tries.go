package explore

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/ccheck/ccheck/analyzers/history/serial"
	"github.com/ccheck/ccheck/analyzers/report"
	"github.com/ccheck/ccheck/probes/actor/script"
	"github.com/ccheck/ccheck/probes/scenario"
)

// Ready fixes: changes that can be made to a script without knowing what it is
// for. They are tried on what breaks, and told with what came of them.
const (
	withRetry = "with a retry"
	withLocks = "FOR UPDATE, retry"
)

// tries explores what breaks with each ready fix.
func (s *session) tries(ctx context.Context, cells []*cell, sink report.Sink) error {
	if s.o.Untried || ctx.Err() != nil {
		return nil
	}
	list, err := s.o.fixes(s.faulty(cells))
	if err != nil || len(list) == 0 {
		return err
	}
	results, err := s.start(ctx, list, sink)
	if err != nil {
		return err
	}
	for _, c := range list {
		r := <-results[c]
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
func (o *Options) fixes(cells []*cell) ([]*cell, error) {
	var list []*cell
	for _, fix := range []string{withRetry, withLocks} {
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
func (o *Options) fixed(c *cell, fix string) (v *scenario.Scenario, changed bool, err error) {
	fresh, err := o.reopen(c.sc.Version)
	if err != nil {
		return nil, false, err
	}
	copied := *fresh
	copied.Actors = slices.Clone(fresh.Actors)
	for i := range copied.Actors {
		a := &copied.Actors[i]
		text := a.Text
		if fix == withLocks {
			text = lockReads(text)
		}
		s, err := script.Parse(a.Name, a.Script.File, text)
		if err != nil {
			return nil, false, fmt.Errorf("trying a fix of %s: %w", a.Script.File, err)
		}
		for _, code := range []string{"40001", "40P01"} {
			if !slices.Contains(s.Retry, code) {
				s.Retry = append(s.Retry, code)
				changed = changed || fix == withRetry
			}
		}
		changed = changed || text != a.Text
		a.Script, a.Text = s, text
	}
	return &copied, changed, nil
}

var query = regexp.MustCompile(`(?im)^select\b[^;\\]*`)

// lockReads adds FOR UPDATE to the queries that can carry it.
func lockReads(text string) string {
	return query.ReplaceAllStringFunc(text, func(sql string) string {
		body := strings.TrimRight(sql, " \t\r\n")
		if locked, ok := serial.Lock(body); ok {
			return locked + sql[len(body):]
		}
		return sql
	})
}

// verify tells the fixes of the findings what came of them.
func (s *session) verify(d *done) {
	said := d.word()
	for i := range s.findings {
		if s.teams[i] != d.team() {
			continue
		}
		for k := range s.findings[i].Fixes {
			f := &s.findings[i].Fixes[k]
			if d.fix == withLocks && f.Kind == report.Pessimistic && d.level == s.levels[i] ||
				d.fix == withRetry && f.Kind == report.Isolation && d.level == scenario.Serializable ||
				d.fix == withRetry && f.Kind == report.Retry && d.level == s.levels[i] {
				f.Verified = fmt.Sprintf("tried as %q at %s: %s", d.fix, d.level, said)
			}
		}
	}
}
