package sqlread

import "slices"

// The clauses of a SELECT in the order in which they are written.
const (
	selectList = iota
	fromClause
	whereClause
	groupClause
	havingClause
	windowClause
	orderClause
	limitClause
	forClause
	clauses
)

type span struct{ lo, hi int }

// query reads SELECT, VALUES, TABLE or a parenthesised query, with what UNION
// and its like add.
func (p *parser) query(lo, hi int, sc *scope) {
	for i := lo; i < hi; i = p.after(i) {
		if t := p.toks[i]; (t.is("union") || t.is("intersect") || t.is("except")) && !p.isLabel(i, lo) {
			p.branch(lo, i, sc)
			next := p.skip(p.skip(i+1, hi, "all"), hi, "distinct")
			p.query(next, hi, &scope{parent: sc, sub: sc.sub})
			return
		}
	}
	p.branch(lo, hi, sc)
}

// branch reads one side of a UNION.
func (p *parser) branch(lo, hi int, sc *scope) {
	switch {
	case p.at(lo, hi, "("):
		p.statement(lo+1, min(p.match[lo], hi), &scope{parent: sc, sub: sc.sub})
		p.expr(p.after(lo), hi, sc)
	case p.at(lo, hi, "with"):
		p.with(lo+1, hi, sc)
	case p.at(lo, hi, "table"):
		p.fromItems(lo+1, hi, sc)
		p.use(sc, "", "*")
	case p.at(lo, hi, "select"):
		p.selects(lo+1, hi, sc)
	default:
		p.expr(lo, hi, sc)
	}
}

func (p *parser) selects(lo, hi int, sc *scope) {
	c := p.cut(lo, hi)
	first := len(p.acc.Tables)
	p.fromItems(c[fromClause].lo, c[fromClause].hi, sc)
	own := slices.Clone(sc.tables)
	own = slices.DeleteFunc(own, func(t int) bool { return t < first })
	p.where(c[whereClause].lo, c[whereClause].hi, sc)
	for _, n := range []int{groupClause, havingClause, windowClause, orderClause, limitClause} {
		p.expr(c[n].lo, c[n].hi, sc)
	}
	p.list(c[selectList].lo, c[selectList].hi, sc)
	p.locking(c[forClause].lo, c[forClause].hi, own)
	p.finish(c, own, hi)
}

// finish notes what holds for all tables of one SELECT.
func (p *parser) finish(c [clauses]span, own []int, hi int) {
	aggregate := p.aggregates(c[selectList]) || c[groupClause].lo < c[groupClause].hi || c[havingClause].lo < c[havingClause].hi
	for _, n := range own {
		t := &p.acc.Tables[n]
		t.Aggregate = t.Aggregate || aggregate
		t.Limited = t.Limited || c[limitClause].lo < c[limitClause].hi
		if t.Tail == 0 && hi > 0 {
			t.Tail = p.toks[hi-1].hi
		}
	}
}

// cut finds the clauses of a SELECT whose list starts at lo.
func (p *parser) cut(lo, hi int) [clauses]span {
	var c [clauses]span
	now, start := selectList, lo
	for i := lo; i < hi; i = p.after(i) {
		next, width := p.clause(i, lo, hi)
		if width == 0 {
			continue
		}
		p.close(&c, now, start, i)
		now, start = next, i+width
	}
	p.close(&c, now, start, hi)
	return c
}

// close ends a clause; a second one of its kind (LIMIT and OFFSET, two FOR)
// reaches from the first to here.
func (p *parser) close(c *[clauses]span, n, lo, hi int) {
	if c[n].hi > c[n].lo {
		lo = c[n].lo
	}
	c[n] = span{lo, hi}
}

// clause tells which clause begins at i and how many words its head has; 0
// when none does.
func (p *parser) clause(i, lo, hi int) (which, width int) {
	t := p.toks[i]
	if t.class != word || p.isLabel(i, lo) {
		return 0, 0
	}
	switch t.text {
	case "from":
		if i > lo && p.toks[i-1].is("distinct") && i > lo+1 {
			return 0, 0 // IS DISTINCT FROM
		}
		return fromClause, 1
	case "where":
		return whereClause, 1
	case "group":
		return groupClause, 2 * (p.skip(i+1, hi, "by") - i - 1)
	case "order":
		return orderClause, 2 * (p.skip(i+1, hi, "by") - i - 1)
	case "having":
		return havingClause, 1
	case "window":
		return windowClause, 1
	case "limit", "offset", "fetch":
		return limitClause, 1
	case "for":
		return forClause, 1
	}
	return 0, 0
}

// fromItems reads a FROM clause: its tables first, then the join conditions,
// which can name all of them.
func (p *parser) fromItems(lo, hi int, sc *scope) {
	var conditions []span
	var inner []bool
	outer := false
	for i := lo; i < hi; {
		switch {
		case p.at(i, hi, "on"):
			end := p.conditionEnd(i+1, hi)
			conditions, inner = append(conditions, span{i + 1, end}), append(inner, !outer)
			i, outer = end, false
		case p.at(i, hi, "left"), p.at(i, hi, "right"), p.at(i, hi, "full"):
			outer = true
			i++
		case p.at(i, hi, "using") && p.at(i+1, hi, "("):
			i = p.after(i + 1)
			p.widen(sc)
		case p.at(i, hi, "natural"), p.at(i, hi, "join"), p.at(i, hi, "inner"), p.at(i, hi, "outer"), p.at(i, hi, "cross"),
			p.at(i, hi, ","), p.at(i, hi, "lateral"), p.at(i, hi, "only"):
			i++
		default:
			i = max(p.fromItem(i, hi, sc), i+1)
		}
	}
	for n, c := range conditions {
		if inner[n] {
			p.where(c.lo, c.hi, sc)
			continue
		}
		p.expr(c.lo, c.hi, sc)
		p.widen(sc)
	}
}

// conditionEnd returns where a join condition ends.
func (p *parser) conditionEnd(i, hi int) int {
	for ; i < hi; i = p.after(i) {
		t := p.toks[i]
		if t.is(",") || t.is("on") {
			return i
		}
		if t.class == word && slices.Contains([]string{"join", "inner", "left", "right", "full", "cross", "natural"}, t.text) && !p.at(i+1, hi, "(") {
			return i
		}
	}
	return hi
}

// widen notes that more is asked of the scope's tables than their Preds say.
func (p *parser) widen(sc *scope) {
	for _, n := range sc.tables {
		p.acc.Tables[n].Exact = false
	}
}

// fromItem reads a table, a subquery, a function or a parenthesised join.
func (p *parser) fromItem(i, hi int, sc *scope) int {
	if p.at(i, hi, "(") {
		return p.group(i, hi, sc)
	}
	t := Table{Kind: Select, Exact: true, Sub: sc.sub}
	end := p.name(i, hi, &t)
	if end == i {
		return i
	}
	if p.at(end, hi, "(") { // a function
		p.expr(i, p.after(end), sc)
		return p.otherAlias(p.after(end), hi, t.Name, sc)
	}
	end = p.skip(end, hi, "*")
	name := t.Name
	end = p.alias(end, hi, &t.Alias)
	if t.Schema == "" && sc.isCTE(name) {
		sc.others = append(sc.others, t.Alias)
		return end
	}
	p.add(t, sc)
	if p.at(end, hi, "tablesample") {
		p.widen(sc)
		for end < hi && !p.at(end, hi, "(") {
			end++
		}
		if end < hi {
			end = p.after(end)
		}
	}
	return end
}

func (p *parser) group(i, hi int, sc *scope) int {
	end := min(p.match[i], hi)
	if i+1 < end && (p.begins(i+1) || p.at(i+1, end, "(") && p.holdsQuery(i+1, end)) {
		p.statement(i+1, end, &scope{parent: sc, sub: true})
		return p.otherAlias(p.after(i), hi, "", sc)
	}
	p.fromItems(i+1, end, sc)
	return p.after(i)
}

// holdsQuery reports whether nested parentheses begin with a query.
func (p *parser) holdsQuery(i, hi int) bool {
	for i < hi && p.at(i, hi, "(") {
		i++
	}
	return i < hi && p.begins(i)
}

func (p *parser) otherAlias(i, hi int, name string, sc *scope) int {
	if p.at(i, hi, "with") { // WITH ORDINALITY
		i += 2
	}
	end := p.alias(i, hi, &name)
	sc.others = append(sc.others, name)
	return end
}

// alias reads [AS] name [(columns)].
func (p *parser) alias(i, hi int, name *string) int {
	i = p.skip(i, hi, "as")
	if !p.isName(i, hi) {
		return i
	}
	*name = p.toks[i].text
	i++
	if p.at(i, hi, "(") {
		i = p.after(i)
	}
	return i
}

// locking reads FOR UPDATE [OF …] [NOWAIT | SKIP LOCKED].
func (p *parser) locking(lo, hi int, own []int) {
	for i := lo; i < hi; i++ {
		s := strength(p.toks[i].text)
		if s == NoLock || i > lo && !p.at(i-1, hi, "for") {
			continue
		}
		end := p.find(i+1, hi, "for")
		of := p.find(i, end, "of")
		for _, n := range own {
			if of < end && !p.lists(of+1, end, p.acc.Tables[n].Alias) {
				continue
			}
			t := &p.acc.Tables[n]
			t.Kind, t.Lock = Lock, max(t.Lock, s)
			t.SkipLocked = p.find(i, end, "skip") < end
			t.NoWait = p.find(i, end, "nowait") < end
		}
	}
}

// strength tells the lock from the word behind FOR.
func strength(word string) Strength {
	switch word {
	case "update":
		return ForUpdate
	case "no":
		return NoKeyUpdate
	case "share":
		return Share
	case "key":
		return KeyShare
	}
	return NoLock
}

func (p *parser) lists(lo, hi int, name string) bool {
	for i := lo; i < hi; i++ {
		if p.toks[i].text == name {
			return true
		}
	}
	return false
}
