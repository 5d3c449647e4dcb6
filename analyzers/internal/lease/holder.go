package lease

import (
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/ccheck/ccheck/analyzers/internal/flow"
	"github.com/ccheck/ccheck/analyzers/internal/sqlread"
)

// credentialName: a column that is filled anew when it has run out, and compared, and
// is shown by whoever the row is about: nobody holds the row.
var credentialName = regexp.MustCompile(`(?i)code|otp|pin|reset|verif|confirm|invit|passw|secret|hash|session|cookie|challenge|nonce|captcha`)

// holders are the columns, "table.column", that say who holds a row, whatever they
// are called: a statement fills the column where it is empty or the time is up, and
// another one compares it beside the key.
func holders(own []*flow.Summary) map[string]bool {
	taken, compared := map[string]bool{}, map[string]bool{}
	for _, s := range own {
		for i := range s.Events {
			t := Written(&s.Events[i])
			if t == nil {
				continue
			}
			for _, column := range filled(&s.Events[i], t) {
				taken[t.Name+"."+column] = true
			}
			if asked := equalities(t); len(asked) > 1 {
				for _, column := range asked {
					compared[t.Name+"."+column] = true
				}
			}
		}
	}
	maps.DeleteFunc(taken, func(column string, _ bool) bool { return !compared[column] })
	return taken
}

// filled are the columns that a statement gives a value of the caller's where they
// are empty or a time is up.
func filled(e *flow.Event, t *sqlread.Table) (out []string) {
	if t.Kind != sqlread.Update || !timeUp.MatchString(e.SQL) {
		return nil
	}
	sql := strings.Join(strings.Fields(strings.ToLower(e.SQL)), " ")
	for _, w := range t.Writes {
		if w.Value.Kind == sqlread.Param && strings.Contains(sql, w.Column+" is null or ") && !credentialName.MatchString(w.Column) {
			out = append(out, w.Column)
		}
	}
	return out
}

// equalities are the columns that a statement compares with what it is given.
func equalities(t *sqlread.Table) (out []string) {
	for _, p := range t.Preds {
		if p.Op == "=" && len(p.Values) == 1 && p.Values[0].Kind == sqlread.Param {
			out = append(out, p.Column)
		}
	}
	return out
}

// TakesOver tells whether an event takes a row as a lock with a lease: see Row; or
// it fills the column of the holder.
func (c *Claims) TakesOver(e *flow.Event) bool {
	if Row(e) {
		return true
	}
	t := Written(e)
	return t != nil && slices.ContainsFunc(filled(e, t), func(column string) bool { return c.holders[t.Name+"."+column] })
}

// Empties tells whether an assignment takes its holder from a row.
func (c *Claims) Empties(t *sqlread.Table, w sqlread.Write) bool {
	return c.holders[t.Name+"."+w.Column] && strings.EqualFold(strings.TrimSpace(w.Text), "null")
}

// Asks tells whether the condition of a statement names the holder of the row.
func (c *Claims) Asks(t *sqlread.Table) bool {
	return slices.ContainsFunc(equalities(t), func(column string) bool { return c.holders[t.Name+"."+column] })
}

// Stated tells whether event i is a statement of this function: one whose text it
// has, where the functions that it calls, all beside it, are given the text.
func (c *Claims) Stated(s *flow.Summary, i int) bool {
	site := s.Events[i].Site
	if len(site) == 1 {
		return true
	}
	return !c.stated[place(site[1:])] && !slices.ContainsFunc(site, func(p flow.Pos) bool {
		return filepath.Dir(p.File) != filepath.Dir(s.Pos.File)
	})
}

// statements are the places of the statements whose text a package knows.
func statements(own []*flow.Summary) map[string]bool {
	all := map[string]bool{}
	for _, s := range own {
		for i := range s.Events {
			if e := &s.Events[i]; e.SQL != "" {
				all[place(e.Site)] = true
			}
		}
	}
	return all
}

// place is the way to an event as one word.
func place(site []flow.Pos) string {
	words := make([]string, len(site))
	for i, p := range site {
		words[i] = p.String()
	}
	return strings.Join(words, " ")
}
