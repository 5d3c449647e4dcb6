package script

import "strings"

// What the comments that begin with "-- @" say. pgbench ignores them, so a script
// that has them still runs there.
const (
	sayRetry   = "@retry"
	sayRefuse  = "@refuse"
	sayOutside = "@outside"
	sayOn      = "@on"
	sayDecide  = "@decide"
	sayRows    = "@rows"
)

var directives = []string{sayRetry, sayRefuse, sayOutside, sayOn, sayDecide, sayRows}

// directive is a comment under way.
type directive struct {
	*builder
	st   *statement
	at   int
	word string
	args []string
	rest string
}

// comment takes a comment that begins with @ and a letter. It must be one of
// ours: a misspelt "-- @retry" that is silently ignored would change the
// verdict.
func (b *builder) comment(text string, at int, st *statement) error {
	text = strings.TrimRight(text, cSpace)
	word, rest, _ := strings.Cut(strings.ReplaceAll(text, "\t", " "), " ")
	d := &directive{b, st, at, word, strings.Fields(strings.ReplaceAll(rest, ",", " ")), strings.TrimSpace(rest)}
	switch word {
	case sayRetry:
		return d.codes(&b.script.Retry)
	case sayRefuse:
		return d.codes(&b.script.Refuse)
	case sayOutside:
		if d.rest != "" {
			return d.errorf("takes no argument; it must stand on a line of its own")
		}
		return d.elsewhere(placeOutside)
	case sayOn:
		if d.rest != "replica" {
			e := d.errorf("unknown server %q", d.rest)
			e.Hint = "write -- @on replica"
			return e
		}
		return d.elsewhere(placeReplica)
	case sayDecide:
		return d.decide()
	case sayRows:
		return d.countRows()
	}
	return d.unknown()
}

func (d *directive) errorf(format string, args ...any) *SyntaxError {
	return d.scan.errorAt(d.at, d.word, format, args...)
}

func (d *directive) unknown() error {
	e := d.errorf("unknown comment")
	if n := nearest(strings.ToLower(d.word), directives); n != "" {
		e.Hint = "did you mean -- " + n + "?"
	} else {
		e.Hint = "a comment that begins with @ must be one of " + strings.Join(directives, ", ")
	}
	return e
}

// codes reads SQLSTATEs: five digits or capital letters each.
func (d *directive) codes(list *[]string) error {
	if len(d.args) == 0 {
		e := d.errorf("no SQLSTATE given")
		e.Hint = "write -- " + d.word + " 40001 40P01, for example"
		return e
	}
	for _, code := range d.args {
		if !isSQLState(code) {
			e := d.errorf("%q is not an SQLSTATE", code)
			e.Hint = "an SQLSTATE is five digits or capital letters, such as 40001 or 23P01"
			return e
		}
		*list = append(*list, code)
	}
	return nil
}

func isSQLState(s string) bool {
	return len(s) == 5 && strings.Trim(s, "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ") == ""
}

// elsewhere reads @outside and @on, which speak of the next statement.
func (d *directive) elsewhere(p place) error {
	if !d.st.empty() {
		return d.errorf("must stand before the statement, not inside it")
	}
	if d.place != placeMain && d.place != p {
		return d.errorf("contradicts %s for the same statement", d.mark)
	}
	d.place, d.placeAt, d.mark = p, d.at, d.word
	return nil
}

// decide reads the condition on which the application goes on.
func (d *directive) decide() error {
	if !d.st.empty() {
		e := d.errorf("cannot stand inside a statement")
		e.Hint = `end the statement before it with ; or \gset`
		return e
	}
	c := command{verb: verbDecide, line: d.scan.line(d.at)}
	if d.rest != "" {
		// The expression is read in its place in the text, so that its errors
		// have the right column.
		src := *d.scan.source
		end := src.pos
		src.pos = d.at + len(d.word)
		root, err := parseCondition(&src, end)
		if err != nil {
			return err
		}
		c.expr = &Expr{root: root, origin: d.rest}
	}
	d.add(c, false)
	return nil
}

// countRows reads the variable for the number of rows of a statement: the one it
// stands in, or else the one before.
func (d *directive) countRows() error {
	switch {
	case len(d.args) != 1 || !validName(d.args[0]):
		e := d.errorf("takes the name of one variable")
		e.Hint = "write -- @rows n, for example, and :n after it"
		return e
	case !d.st.empty():
		d.rows = d.args[0]
		return nil
	case d.lastSQL < 0:
		return d.errorf("must follow an SQL command")
	case d.pipe.state == pipeOpen:
		return d.errorf("is not allowed in pipeline mode")
	}
	d.script.commands[d.lastSQL].rows = d.args[0]
	return nil
}
