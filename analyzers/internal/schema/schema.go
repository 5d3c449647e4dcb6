// Package schema reads which columns are unique out of the DDL that a module
// carries: migrations, embedded .sql files, statements in Go strings.
//
// It reads no more than that, and forgives everything: what it does not
// understand adds nothing. It runs no migration, so a key that was dropped later
// still counts.
package schema

import (
	"slices"
	"strings"
)

// Schema has the unique keys of tables, by the table's name in lower case
// without its schema.
type Schema map[string][][]string

// Unique reports whether two rows of the table that agree in all of these
// columns cannot both exist: some unique key has no other column.
func (s Schema) Unique(table string, columns []string) bool {
	var have []string
	for _, c := range columns {
		have = append(have, name(c))
	}
	return slices.ContainsFunc(s[name(table)], func(key []string) bool {
		return !slices.ContainsFunc(key, func(c string) bool { return !slices.Contains(have, c) })
	})
}

// Has reports whether anything is known of the table.
func (s Schema) Has(table string) bool {
	_, ok := s[name(table)]
	return ok
}

// Add adds the keys of another schema.
func (s Schema) Add(other Schema) {
	for table, keys := range other {
		for _, key := range keys {
			s.add(table, key)
		}
	}
}

func (s Schema) add(table string, key []string) {
	if len(key) > 0 && !slices.ContainsFunc(s[table], func(k []string) bool { return slices.Equal(k, key) }) {
		s[table] = append(s[table], key)
	}
}

// Read adds the keys of a text of statements.
func (s Schema) Read(text string) {
	lower := strings.ToLower(text)
	if !strings.Contains(lower, "create") && !strings.Contains(lower, "alter") {
		return
	}
	for _, words := range statements(text) {
		p := &parser{words: words}
		switch {
		case p.skip("create", "unique", "index"):
			s.index(p)
		case p.skip("create", "table"), p.skip("create", "unlogged", "table"):
			s.table(p)
		case p.skip("alter", "table"):
			s.alter(p)
		}
	}
}

// index reads CREATE UNIQUE INDEX from behind these words. A partial index
// says nothing about the rows that it leaves out.
func (s Schema) index(p *parser) {
	for !p.end() && !p.skip("on") {
		p.next()
	}
	p.skip("only")
	table := p.ident()
	if p.skip("using") {
		p.next()
	}
	key := p.columns()
	for ; !p.end(); p.next() {
		if p.is("where") {
			return
		}
	}
	s.add(table, key)
}

// table reads CREATE TABLE from behind these words.
func (s Schema) table(p *parser) {
	p.skip("if", "not", "exists")
	table := p.ident()
	if !p.skip("(") {
		return
	}
	for _, item := range p.items() {
		s.item(table, &parser{words: item})
	}
}

// item reads a column or a constraint of a table.
func (s Schema) item(table string, p *parser) {
	if p.skip("constraint") {
		p.next()
	}
	if p.skip("unique") || p.skip("primary", "key") {
		for !p.end() && !p.is("(") {
			p.next()
		}
		s.add(table, p.columns())
		return
	}
	column := p.ident()
	for depth := 0; !p.end(); p.next() {
		switch {
		case p.is("("):
			depth++
		case p.is(")"):
			depth--
		case depth == 0 && (p.is("unique") || p.is("primary")):
			s.add(table, []string{column})
		}
	}
}

// alter reads ALTER TABLE from behind these words.
func (s Schema) alter(p *parser) {
	p.skip("if", "exists")
	p.skip("only")
	table := p.ident()
	for _, item := range p.items() {
		q := &parser{words: item}
		if !q.skip("add") {
			continue
		}
		q.skip("column")
		q.skip("if", "not", "exists")
		s.item(table, q)
	}
}

// name is an identifier as it is compared: in lower case, without quotes and
// without the schema.
func name(ident string) string {
	if i := strings.LastIndexByte(ident, '.'); i >= 0 {
		ident = ident[i+1:]
	}
	return strings.ToLower(strings.Trim(ident, "\"`[]"))
}
