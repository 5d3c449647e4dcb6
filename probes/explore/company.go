package explore

import (
	"slices"

	"github.com/ccheck/ccheck/probes/internal/sqltext"
)

// Company is what the application did by itself during a round.
type Company struct {
	// Aside are tables that only it has written, and that no request uses: they
	// are no part of the outcome.
	Aside []string
	// Mixed are tables that requests use, too; what the round left says nothing.
	Mixed []string
	// Odd are statements that wrote something, by their fingerprints, and of which
	// it is not known who sends them.
	Odd map[string]string
	// Passing says that one of those is still on its way: it is told of as odd when
	// it is answered, so that one that is slow is not taken for one that comes twice.
	Passing bool
}

// Disturbed reports whether the round says nothing about its requests.
func (c Company) Disturbed() bool { return len(c.Mixed)+len(c.Odd) > 0 || c.Passing }

// take tells what the application has done by itself since the last time. What
// came while the rows were looked at may show in the next look, so it is told
// twice.
func (w *Wire) take() (c Company) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, e := range w.by.before {
		if w.alone(e) {
			c.note(w.words.names(e.sql), w.by.uses)
		}
	}
	for _, e := range w.by.writes {
		switch {
		case w.alone(e):
			c.note(w.words.names(e.sql), w.by.uses)
		case !w.by.own[e.print]:
			c.odd(e)
		}
	}
	for _, e := range w.underway() {
		switch {
		case w.alone(e):
			c.note(w.words.names(e.sql), w.by.uses)
		case !w.by.own[e.print]:
			c.Passing = true
		}
	}
	w.by.before, w.by.writes = w.by.writes, nil
	return c
}

// underway are statements whose rows may be there already, though the server's
// answer, or that to COMMIT, has not come through the gate.
func (w *Wire) underway() (list []edit) {
	for _, l := range w.links {
		list = append(list, l.wrote...)
		for _, s := range l.sent {
			for _, sql := range s.texts {
				if sqltext.MayWrite(sql) {
					list = append(list, w.edit(s, sql))
				}
			}
		}
	}
	return list
}

func (w *Wire) edit(s *sent, sql string) edit {
	return edit{sqltext.Fingerprint(sql), sql, s.lane == nil && len(w.lanes) > 0}
}

// alone reports whether a statement is none of a request.
func (w *Wire) alone(e edit) bool {
	return e.nobodys || w.by.idle[e.print] && !w.by.own[e.print]
}

func (c *Company) odd(e edit) {
	if c.Odd == nil {
		c.Odd = map[string]string{}
	}
	c.Odd[e.print] = e.sql
}

// note adds what a statement has written that is none of a request. Where no
// table is named it can be any.
func (c *Company) note(names []string, uses map[string]bool) {
	if len(names) == 0 {
		names = []string{someTable}
	}
	for _, name := range names {
		if uses[name] || name == someTable {
			c.Mixed = union(c.Mixed, []string{name})
		} else {
			c.Aside = union(c.Aside, []string{name})
		}
	}
}

const someTable = "some table"

// accompanied is what the application did by itself. What it has written alone is
// not recorded.
func (w *world) accompanied() (c Company) {
	if w.gate == nil {
		return c
	}
	c = w.gate.take()
	if w.triggers() {
		c.Mixed, c.Aside = append(c.Mixed, c.Aside...), nil // what they touch is not known
	}
	return c
}

// union adds the names that are not in the list.
func union(list, names []string) []string {
	for _, name := range names {
		if !slices.Contains(list, name) {
			list = append(list, name)
		}
	}
	return list
}
