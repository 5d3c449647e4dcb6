package sqlread

// target reads the table that a statement changes.
func (p *parser) target(i, hi int, k Kind, s Strength, sc *scope) (table, end int) {
	i = p.skip(i, hi, "only")
	t := Table{Kind: k, Lock: s, Exact: true, Sub: sc.sub}
	end = p.name(i, hi, &t)
	if end == i {
		p.unknown(i, hi, sc)
		return -1, hi
	}
	end = p.skip(end, hi, "*")
	if !p.at(end, hi, "(") && !p.at(end, hi, "overriding") {
		if a := p.skip(end, hi, "as"); p.isName(a, hi) {
			t.Alias, end = p.toks[a].text, a+1
		}
	}
	return p.add(t, sc), end
}

// insert reads INSERT behind its first word.
func (p *parser) insert(i, hi int, sc *scope) {
	table, i := p.target(p.skip(i, hi, "into"), hi, Insert, ForUpdate, sc)
	if table < 0 {
		return
	}
	if p.at(i, hi, "(") && !p.holdsQuery(i, hi) {
		p.split(i+1, p.match[i], ",", func(lo, _ int) {
			p.acc.Tables[table].Into = append(p.acc.Tables[table].Into, p.toks[lo].text)
		})
		i = p.after(i)
	}
	if p.at(i, hi, "overriding") {
		i = min(i+3, hi)
	}
	returning := p.find(i, hi, "returning")
	conflict := p.conflictAt(i, returning)
	p.source(i, conflict, table, sc)
	p.onConflict(conflict, returning, table, sc)
	p.list(returning+1, hi, sc)
}

func (p *parser) conflictAt(i, hi int) int {
	for ; i < hi; i = p.after(i) {
		if p.at(i, hi, "on") && p.at(i+1, hi, "conflict") {
			return i
		}
	}
	return hi
}

// source reads VALUES or the query of an INSERT.
func (p *parser) source(i, hi, table int, sc *scope) {
	switch {
	case p.at(i, hi, "default"):
		p.acc.Tables[table].Rows = [][]Value{{}}
	case p.at(i, hi, "values"):
		p.split(i+1, hi, ",", func(lo, hi int) {
			if p.at(lo, hi, "(") {
				p.row(lo+1, min(p.match[lo], hi), table, sc)
			}
		})
	default:
		inner := &scope{parent: sc, sub: true}
		p.statement(i, hi, &scope{parent: inner, sub: true})
		p.selected(i, hi, table)
	}
}

func (p *parser) row(lo, hi, table int, sc *scope) {
	var row []Value
	p.split(lo, hi, ",", func(lo, hi int) { row = append(row, p.value(lo, hi)) })
	p.expr(lo, hi, &scope{parent: &scope{parent: sc.parent}, sub: true})
	p.acc.Tables[table].Rows = append(p.acc.Tables[table].Rows, row)
}

// selected takes the values of INSERT … SELECT from its list: the parameters
// and literals are those of every row.
func (p *parser) selected(lo, hi, table int) {
	if !p.at(lo, hi, "select") || p.find(lo, hi, "union") < hi {
		return
	}
	c := p.cut(lo+1, hi)
	var row []Value
	p.split(c[selectList].lo, c[selectList].hi, ",", func(lo, hi int) {
		body, _ := p.unalias(lo, hi)
		v := p.value(lo, body)
		if v.Kind == Column {
			v.Kind = Expr
		}
		row = append(row, v)
	})
	p.acc.Tables[table].Rows = [][]Value{row}
}

// onConflict reads ON CONFLICT [target] DO … .
func (p *parser) onConflict(i, hi, table int, sc *scope) {
	if i >= hi {
		return
	}
	t := &p.acc.Tables[table]
	do := p.find(i, hi, "do")
	if p.at(i+2, hi, "(") {
		p.split(i+3, p.match[i+2], ",", func(lo, hi int) { t.Target = append(t.Target, p.text(lo, hi)) })
	}
	t.OnConflict = "nothing"
	if p.at(do+1, hi, "update") {
		t.OnConflict = "update"
		where := p.find(do, hi, "where")
		p.assignments(p.find(do, hi, "set")+1, where, table, sc)
		p.expr(where+1, hi, sc)
	}
}

// update reads UPDATE behind its first word.
func (p *parser) update(i, hi int, sc *scope) {
	table, i := p.target(i, hi, Update, NoKeyUpdate, sc)
	if table < 0 {
		return
	}
	set := p.find(i, hi, "set")
	returning := p.find(set, hi, "returning")
	where := p.find(set, returning, "where")
	from := p.fromAt(set, where)
	if set == hi {
		p.unknown(i, hi, sc)
	}
	p.fromItems(from+1, where, sc)
	p.where(where+1, returning, sc)
	p.assignments(set+1, from, table, sc)
	p.list(returning+1, hi, sc)
}

// fromAt finds the FROM of an UPDATE, which is not that of IS DISTINCT FROM.
func (p *parser) fromAt(lo, hi int) int {
	for i := lo; i < hi; i = p.after(i) {
		if p.toks[i].is("from") && !p.toks[i-1].is("distinct") && !p.isLabel(i, lo) {
			return i
		}
	}
	return hi
}

// assignments reads the list behind SET.
func (p *parser) assignments(lo, hi, table int, sc *scope) {
	p.split(lo, hi, ",", func(lo, hi int) {
		eq := p.find(lo, hi, "=")
		if p.at(lo, hi, "(") {
			p.assignRow(lo, eq, hi, table, sc)
			return
		}
		if eq == hi || eq == lo {
			return
		}
		p.expr(eq+1, hi, sc)
		p.assign(p.toks[lo].text, eq+1, hi, table)
	})
}

// assignRow reads (a, b) = (x, y) and (a, b) = (SELECT …).
func (p *parser) assignRow(lo, eq, hi, table int, sc *scope) {
	p.expr(eq+1, hi, sc)
	var names []string
	p.split(lo+1, p.match[lo], ",", func(lo, _ int) { names = append(names, p.toks[lo].text) })
	right := p.skip(eq+1, hi, "row")
	var parts []span
	if p.at(right, hi, "(") && !p.holdsQuery(right, hi) {
		p.split(right+1, min(p.match[right], hi), ",", func(lo, hi int) { parts = append(parts, span{lo, hi}) })
	}
	for n, name := range names {
		if n < len(parts) {
			p.assign(name, parts[n].lo, parts[n].hi, table)
			continue
		}
		t := &p.acc.Tables[table]
		t.Writes = append(t.Writes, Write{Column: name, Kind: Computed, Value: Value{Kind: Expr, Text: p.text(right, hi)}, Text: p.text(right, hi)})
	}
}

// assign classifies one assignment.
func (p *parser) assign(name string, lo, hi, table int) {
	t := &p.acc.Tables[table]
	w := Write{Column: name, Kind: Absolute, Value: p.value(lo, hi), Text: p.text(lo, hi)}
	if sign, v, ok := p.relative(name, t.Alias, lo, hi); ok {
		w.Kind, w.Sign, w.Value = Relative, sign, v
	} else if p.mentionsRow(lo, hi, t.Alias) {
		w.Kind = Computed
	}
	t.Writes = append(t.Writes, w)
}

// relative understands "c + x", "c - x" and "x + c", also inside of
// coalesce(c, 0).
func (p *parser) relative(name, alias string, lo, hi int) (sign string, v Value, ok bool) {
	for p.at(lo, hi, "(") && p.match[lo] == hi-1 {
		lo, hi = lo+1, hi-1
	}
	if end := p.self(name, alias, lo, hi); end > lo && end < hi && (p.at(end, hi, "+") || p.at(end, hi, "-")) && !p.mentionsRow(end+1, hi, alias) {
		return p.toks[end].text, p.value(end+1, hi), true
	}
	plus := p.find(lo, hi, "+")
	if plus > lo && plus < hi && p.self(name, alias, plus+1, hi) == hi && !p.mentionsRow(lo, plus, alias) {
		return "+", p.value(lo, plus), true
	}
	return "", Value{}, false
}

// self returns the index behind the column itself, or lo.
func (p *parser) self(name, alias string, lo, hi int) int {
	if p.at(lo, hi, "coalesce") && p.at(lo+1, hi, "(") && p.self(name, alias, lo+2, min(p.match[lo+1], hi)) > lo+2 {
		return p.after(lo + 1)
	}
	if !p.isName(lo, hi) {
		return lo
	}
	q, n, end := p.column(lo, hi)
	if n != name || q != "" && q != alias {
		return lo
	}
	return end
}

// mentionsRow reports whether the expression looks at a column, outside of
// subqueries.
func (p *parser) mentionsRow(lo, hi int, alias string) bool {
	for i := lo; i < hi; i++ {
		switch {
		case p.toks[i].is("(") && p.holdsQuery(i, hi):
			i = p.after(i) - 1
		case p.toks[i].is("::"):
			i = p.typeName(i+1, hi) - 1
		case p.isName(i, hi):
			q, _, end := p.column(i, hi)
			if !p.at(end, hi, "(") && !(end < hi && p.toks[end].class == str) && q != "excluded" {
				return true
			}
			i = end - 1
		}
	}
	return false
}

// delete reads DELETE behind its first word.
func (p *parser) delete(i, hi int, sc *scope) {
	table, i := p.target(p.skip(i, hi, "from"), hi, Delete, ForUpdate, sc)
	if table < 0 {
		return
	}
	returning := p.find(i, hi, "returning")
	where := p.find(i, returning, "where")
	using := p.find(i, where, "using")
	p.fromItems(using+1, where, sc)
	p.where(where+1, returning, sc)
	p.list(returning+1, hi, sc)
}

// merge reads MERGE as what it may do at most.
func (p *parser) merge(i, hi int, sc *scope) {
	table, i := p.target(p.skip(i, hi, "into"), hi, Update, NoKeyUpdate, sc)
	if table < 0 {
		return
	}
	when := p.find(i, hi, "when")
	p.fromItems(p.find(i, when, "using")+1, when, sc)
	p.expr(when, hi, sc)
	t := &p.acc.Tables[table]
	t.Exact, t.Preds = false, nil
	t.Writes = []Write{{Column: "*", Kind: Computed, Value: Value{Kind: Expr}, Text: p.text(when, hi)}}
	p.add(Table{Name: t.Name, Schema: t.Schema, Alias: t.Alias, Kind: Insert, Lock: ForUpdate, Sub: true}, nil)
}
