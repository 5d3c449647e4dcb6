package schema

import (
	"slices"
	"strings"
)

// Columns has the types of columns by table, as DDL writes them; all names are
// in lower case, without the schema.
type Columns map[string]map[string]string

// Read adds the columns that a text of statements declares. The first type that
// is said of a column counts.
func (c Columns) Read(text string) {
	lower := strings.ToLower(text)
	if !strings.Contains(lower, "create") && !strings.Contains(lower, "alter") {
		return
	}
	for _, words := range statements(text) {
		p := &parser{words: words}
		switch {
		case p.skip("create", "table"), p.skip("create", "unlogged", "table"):
			p.skip("if", "not", "exists")
			table := p.ident()
			if !p.skip("(") {
				continue
			}
			for _, item := range p.items() {
				c.column(table, &parser{words: item})
			}
		case p.skip("alter", "table"):
			c.alter(p)
		}
	}
}

func (c Columns) alter(p *parser) {
	p.skip("if", "exists")
	p.skip("only")
	table := p.ident()
	for _, item := range p.items() {
		q := &parser{words: item}
		if !q.skip("add") || q.is("constraint") {
			continue
		}
		q.skip("column")
		q.skip("if", "not", "exists")
		c.column(table, q)
	}
}

// constraints are the words that begin an item which is no column, and those
// that end a column's type.
var constraints = []string{"constraint", "primary", "unique", "check", "foreign", "exclude", "like", "not", "null", "default", "references", "generated", "collate"}

func (c Columns) column(table string, p *parser) {
	if p.end() || slices.ContainsFunc(constraints, p.is) {
		return
	}
	column := p.ident()
	var typ []string
	for !p.end() && !slices.ContainsFunc(constraints, p.is) {
		typ = append(typ, strings.ToLower(p.next()))
	}
	if len(typ) == 0 || table == "" {
		return
	}
	if c[table] == nil {
		c[table] = map[string]string{}
	}
	if _, known := c[table][column]; !known {
		c[table][column] = strings.Join(typ, " ")
	}
}
