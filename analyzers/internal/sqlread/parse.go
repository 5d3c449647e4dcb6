package sqlread

import "strings"

// parser walks over ranges [lo, hi) of tokens. match gives for every "(" the
// index of its ")", or the end of the source.
type parser struct {
	src   string
	toks  []token
	match []int
	acc   Access
	deep  bool // nested beyond what is read
}

// scope is the tables that column names can mean, innermost first.
type scope struct {
	parent *scope
	tables []int    // indexes into Access.Tables
	others []string // aliases of subqueries, functions and CTEs: their columns belong to no table
	ctes   []string // names that a WITH introduced here
	sub    bool
}

func newParser(src string) *parser {
	p := &parser{src: src, toks: lex(src)}
	p.match = make([]int, len(p.toks))
	var open []int
	for i, t := range p.toks {
		p.acc.Params = max(p.acc.Params, t.n)
		switch {
		case t.is("("):
			open = append(open, i)
			p.deep = p.deep || len(open) > maxDepth
			p.match[i] = len(p.toks)
		case t.is(")") && len(open) > 0:
			p.match[open[len(open)-1]] = i
			open = open[:len(open)-1]
		}
	}
	return p
}

// maxDepth bounds the recursion: PostgreSQL's own limit on the stack is
// reached at some thousands of parentheses, and nobody writes a hundred.
const maxDepth = 200

// script reads statements up to each semicolon.
func (p *parser) script() {
	if p.deep {
		p.unknown(0, len(p.toks), nil)
		return
	}
	lo := 0
	for i := 0; i <= len(p.toks); i++ {
		if i < len(p.toks) && !p.toks[i].is(";") {
			continue
		}
		if i > lo {
			p.statement(lo, i, nil)
		}
		lo = i + 1
	}
}

func (p *parser) at(i, hi int, s string) bool { return i < hi && p.toks[i].is(s) }

// skip returns i behind the words, or i when they are not all there.
func (p *parser) skip(i, hi int, words ...string) int {
	for n, w := range words {
		if !p.at(i+n, hi, w) {
			return i
		}
	}
	return i + len(words)
}

// after returns the index behind the token at i, behind its group for a "(".
func (p *parser) after(i int) int {
	if p.toks[i].is("(") {
		return min(p.match[i]+1, len(p.toks))
	}
	return i + 1
}

// find returns the first index in [lo, hi) outside of parentheses at which a
// clause begins with the word, or hi.
func (p *parser) find(lo, hi int, w string) int {
	for i := lo; i < hi; i = p.after(i) {
		if p.toks[i].is(w) && !p.isLabel(i, lo) {
			return i
		}
	}
	return hi
}

// isLabel reports whether the word at i is a name because of what is before
// it: "t.order", "AS limit".
func (p *parser) isLabel(i, lo int) bool {
	return i > lo && (p.toks[i-1].is(".") || p.toks[i-1].is("as"))
}

// split cuts [lo, hi) at every top-level word or comma and gives each part to f.
func (p *parser) split(lo, hi int, w string, f func(lo, hi int)) {
	for lo < hi {
		i := p.find(lo, hi, w)
		if i > lo {
			f(lo, i)
		}
		lo = i + 1
	}
}

func (p *parser) text(lo, hi int) string {
	if lo >= hi {
		return ""
	}
	return strings.Join(strings.Fields(p.src[p.toks[lo].lo:p.toks[hi-1].hi]), " ")
}

// statement reads one statement. outer is nil except inside of a WITH.
func (p *parser) statement(lo, hi int, outer *scope) {
	if lo >= hi {
		return
	}
	sc := outer
	if sc == nil {
		sc = &scope{}
	}
	switch t := p.toks[lo]; {
	case t.is("with"):
		p.with(lo+1, hi, sc)
	case t.is("select") || t.is("values") || t.is("table") || t.is("("):
		p.query(lo, hi, sc)
	case t.is("insert"):
		p.insert(lo+1, hi, sc)
	case t.is("update"):
		p.update(lo+1, hi, sc)
	case t.is("delete"):
		p.delete(lo+1, hi, sc)
	case t.is("merge"):
		p.merge(lo+1, hi, sc)
	default:
		p.utility(lo, hi, sc)
	}
}

// with reads the CTEs and then the statement they are for.
func (p *parser) with(i, hi int, sc *scope) {
	i = p.skip(i, hi, "recursive")
	for i < hi {
		name := p.toks[i].text
		as := p.find(i, hi, "as")
		body := as + 1
		body = p.skip(body, hi, "not")
		body = p.skip(body, hi, "materialized")
		if !p.at(body, hi, "(") {
			p.unknown(i, hi, sc)
			return
		}
		sc.ctes = append(sc.ctes, name)
		p.statement(body+1, min(p.match[body], hi), &scope{parent: sc, sub: true})
		i = p.after(body)
		if !p.at(i, hi, ",") {
			break
		}
		i++
	}
	p.statement(i, hi, sc)
}

// utility reads what is no DML.
func (p *parser) utility(lo, hi int, sc *scope) {
	switch p.toks[lo].text {
	case "begin", "start":
		p.acc.Control, p.acc.Level = Begin, p.level(lo, hi)
	case "commit", "end":
		p.acc.Control = Commit
	case "abort", "rollback":
		p.rollback(lo, hi)
	case "savepoint":
		p.acc.Control = Savepoint
	case "release":
		p.acc.Control = Release
	case "set":
		p.set(lo, hi)
	case "explain":
		p.explain(lo+1, hi, sc)
	case "declare", "prepare":
		p.inner(lo+1, hi, sc)
	case "truncate":
		p.named(p.skip(p.skip(lo+1, hi, "table"), hi, "only"), hi, Delete, ForUpdate)
	case "lock":
		p.named(p.skip(p.skip(lo+1, hi, "table"), hi, "only"), hi, Lock, ForUpdate)
	case "copy":
		p.copy(lo+1, hi, sc)
	case "show", "reset", "listen", "notify", "unlisten", "discard", "deallocate", "close", "analyze", "vacuum", "checkpoint", "load":
		p.acc.Control = Other
	case "create", "alter", "drop", "grant", "revoke", "comment", "reindex", "cluster", "refresh", "security", "import":
		p.acc.Control = Other
		p.mentioned(lo, hi, sc)
	default:
		p.unknown(lo, hi, sc)
	}
}

func (p *parser) rollback(lo, hi int) {
	p.acc.Control = Rollback
	if i := p.find(lo, hi, "to"); i < hi {
		p.acc.Control = RollbackTo
	}
}

func (p *parser) set(lo, hi int) {
	p.acc.Control = Other
	if p.level(lo, hi) != "" {
		p.acc.Control, p.acc.Level = SetTransaction, p.level(lo, hi)
	}
}

// level returns the isolation level named in [lo, hi).
func (p *parser) level(lo, hi int) string {
	i := p.find(lo, hi, "isolation")
	if i = p.skip(i, hi, "isolation", "level"); i >= hi {
		return ""
	}
	if p.at(i, hi, "serializable") {
		return "serializable"
	}
	return strings.ToLower(p.text(i, min(i+2, hi)))
}

// explain reads what is explained: with ANALYZE it runs.
func (p *parser) explain(i, hi int, sc *scope) {
	for i < hi && !p.begins(i) {
		i = p.after(i)
	}
	p.statement(i, hi, sc)
}

func (p *parser) begins(i int) bool {
	switch p.toks[i].text {
	case "select", "insert", "update", "delete", "with", "values", "merge", "table":
		return p.toks[i].class == word
	}
	return false
}

// inner reads the statement inside DECLARE … FOR or PREPARE … AS.
func (p *parser) inner(i, hi int, sc *scope) {
	for ; i < hi; i = p.after(i) {
		if (p.at(i, hi, "for") || p.at(i, hi, "as")) && i+1 < hi && p.begins(i+1) {
			p.statement(i+1, hi, sc)
			return
		}
	}
	p.unknown(i, hi, sc)
}

// named reads a list of tables to which the same is done as a whole.
func (p *parser) named(i, hi int, k Kind, s Strength) {
	p.split(i, hi, ",", func(lo, hi int) {
		t := Table{Kind: k, Lock: s, Columns: []string{"*"}}
		if p.name(lo, hi, &t) > lo {
			p.add(t, nil)
		}
	})
}

func (p *parser) copy(i, hi int, sc *scope) {
	if p.at(i, hi, "(") {
		p.statement(i+1, min(p.match[i], hi), sc)
		return
	}
	t := Table{Kind: Select, Columns: []string{"*"}}
	if p.find(i, hi, "to") == hi {
		t.Kind, t.Lock = Insert, ForUpdate
	}
	if p.name(i, hi, &t) > i {
		p.add(t, nil)
	}
}

// unknown widens: the statement may do anything with the tables it names.
func (p *parser) unknown(lo, hi int, sc *scope) {
	p.acc.Opaque = true
	p.mentioned(lo, hi, sc)
}

// mentioned adds a write of every table that is named where a table can stand.
func (p *parser) mentioned(lo, hi int, sc *scope) {
	for i := lo; i+1 < hi; i++ {
		switch p.toks[i].text {
		case "from", "join", "into", "update", "table", "on", "only", "references", "exists", "using":
			t := Table{Kind: Update, Lock: ForUpdate, Columns: []string{"*"}, Sub: true}
			if end := p.name(i+1, hi, &t); end > i+1 && !sc.isCTE(t.Name) {
				p.add(t, nil)
			}
		}
	}
}

// name reads [schema.]table into t and returns the index behind it, or i.
func (p *parser) name(i, hi int, t *Table) int {
	if !p.isName(i, hi) {
		return i
	}
	t.Name = p.toks[i].text
	i++
	for p.at(i, hi, ".") && i+1 < hi && (p.toks[i+1].class == word || p.toks[i+1].class == quoted) {
		t.Schema, t.Name = t.Name, p.toks[i+1].text
		i += 2
	}
	t.Alias = t.Name
	return i
}

// isName reports whether an identifier stands at i.
func (p *parser) isName(i, hi int) bool {
	if i >= hi {
		return false
	}
	t := p.toks[i]
	return t.class == quoted || t.class == word && !reserved(t.text)
}

// add appends a table and makes it known in the scope.
func (p *parser) add(t Table, sc *scope) int {
	n := len(p.acc.Tables)
	p.acc.Tables = append(p.acc.Tables, t)
	if sc != nil {
		sc.tables = append(sc.tables, n)
	}
	return n
}

func (s *scope) isCTE(name string) bool {
	for ; s != nil; s = s.parent {
		for _, c := range s.ctes {
			if c == name {
				return true
			}
		}
	}
	return false
}
