package scenario

import (
	"fmt"
	"strings"

	"github.com/ccheck/ccheck/probes/history"
	"github.com/ccheck/ccheck/probes/internal/sqltext"
)

// SQL puts the parameters into text: :name becomes an integer or a quoted
// literal. Strings, quoted identifiers, dollar quotes, comments and casts (::)
// are left alone, as psql does; a :name that is no parameter is an error.
// Counters for Params come from Counts.
func SQL(text string, params ...[]Param) (string, error) {
	var b strings.Builder
	done := 0
	for _, p := range placeholders(text) {
		literal, ok := literalOf(p.name, params)
		if !ok {
			return "", &Error{Msg: fmt.Sprintf("unknown variable :%s", p.name), Hint: oneOf(p.name, namesOf(params...), "there are no parameters")}
		}
		b.WriteString(text[done:p.start])
		b.WriteString(literal)
		done = p.end
	}
	b.WriteString(text[done:])
	return b.String(), nil
}

// literalOf finds the parameter, in the last list that has it.
func literalOf(name string, params [][]Param) (string, bool) {
	literal, found := "", false
	for _, list := range params {
		for _, p := range list {
			if p.Name == name {
				literal, found = p.literal(), true
			}
		}
	}
	return literal, found
}

// literal is the parameter as SQL. A negative integer is in parentheses, or
// "a - :b" would become a comment.
func (p Param) literal() string {
	switch {
	case !p.Quoted && strings.HasPrefix(p.Value, "-"):
		return "(" + p.Value + ")"
	case !p.Quoted:
		return p.Value
	}
	quoted := "'" + strings.ReplaceAll(p.Value, "'", "''") + "'"
	if strings.Contains(p.Value, `\`) {
		// Right whatever standard_conforming_strings says.
		return " E" + strings.ReplaceAll(quoted, `\`, `\\`)
	}
	return quoted
}

func namesOf(params ...[]Param) []string {
	var names []string
	for _, list := range params {
		for _, p := range list {
			names = append(names, p.Name)
		}
	}
	return names
}

// Count is how the calls of one actor ended, since the last reset.
type Count struct {
	Actor                        string
	OK, Refused, Failed, Unknown int64
}

// Add counts a call by how it ended.
func (c *Count) Add(o history.Outcome) {
	switch o {
	case history.Accepted:
		c.OK++
	case history.Refused:
		c.Refused++
	case history.Failed:
		c.Failed++
	case history.Unknown:
		c.Unknown++
	}
}

// counterPrefixes are those of the variables that an end invariant has for
// each actor.
var counterPrefixes = [...]string{"ok_", "refused_", "failed_", "unknown_"}

// Counters are the variables of an end invariant: for each actor :ok_NAME,
// :refused_NAME, :failed_NAME and :unknown_NAME, how many of its calls ended
// so since the last reset. An actor without a Count has zeros.
func (s *Scenario) Counters(counts []Count) []Param {
	by := map[string]Count{}
	for _, c := range counts {
		by[c.Actor] = c
	}
	var params []Param
	for _, name := range s.Names() {
		c := by[name]
		for i, n := range [...]int64{c.OK, c.Refused, c.Failed, c.Unknown} {
			params = append(params, Param{Name: counterPrefixes[i] + name, Value: history.Int(n).Text})
		}
	}
	return params
}

// placeholder is a :name in text.
type placeholder struct {
	name       string
	start, end int // of the colon and of the byte after the name
}

// placeholders finds the variables of text.
func placeholders(text string) []placeholder {
	var found []placeholder
	for i := 0; i < len(text); {
		if end := sqltext.Skip(text, i); end > i {
			i = end
			continue
		}
		if strings.HasPrefix(text[i:], "::") {
			i += 2
			continue
		}
		if text[i] == ':' {
			// No name begins with a digit, so that a[1:2] is a slice.
			if n := sqltext.Word(text[i+1:]); n > 0 && !sqltext.Digit(text[i+1]) {
				found = append(found, placeholder{text[i+1 : i+1+n], i, i + 1 + n})
				i += 1 + n
				continue
			}
		}
		i++
	}
	return found
}

// at is the place of the byte at offset in the source.
func (s Source) at(offset int) Position {
	p := s.Where
	before := s.Text[:offset]
	if n := strings.Count(before, "\n"); n > 0 {
		p.Line += n
		p.Column = offset - strings.LastIndexByte(before, '\n') + s.indent
		return p
	}
	p.Column += offset
	return p
}
