package sqlread

import "slices"

// where reads a condition: its columns are read, and each part of an AND that
// speaks of one column becomes a Pred of its table.
func (p *parser) where(lo, hi int, sc *scope) {
	if lo >= hi {
		return
	}
	p.conjuncts(lo, hi, func(lo, hi int) { p.conjunct(lo, hi, sc) })
	p.spread(sc)
}

// conjuncts cuts at every AND that is not the one of BETWEEN, and goes through
// parentheses that hold the whole part.
func (p *parser) conjuncts(lo, hi int, f func(lo, hi int)) {
	if p.at(lo, hi, "(") && p.match[lo] == hi-1 && !p.holdsQuery(lo, hi) && p.find(lo+1, hi-1, "or") == hi-1 && p.find(lo+1, hi-1, ",") == hi-1 {
		p.conjuncts(lo+1, hi-1, f)
		return
	}
	if p.find(lo, hi, "or") < hi {
		f(lo, hi)
		return
	}
	start, between := lo, false
	for i := lo; i <= hi; {
		switch {
		case i == hi || p.toks[i].is("and") && !between:
			if i > start {
				p.part(start, i, start == lo && i == hi, f)
			}
			start = i + 1
		case p.toks[i].is("and"):
			between = false
		case p.toks[i].is("between"):
			between = true
		}
		if i == hi {
			return
		}
		i = p.after(i)
	}
}

func (p *parser) part(lo, hi int, whole bool, f func(lo, hi int)) {
	if !whole && p.at(lo, hi, "(") && p.match[lo] == hi-1 {
		p.conjuncts(lo, hi, f)
		return
	}
	f(lo, hi)
}

func (p *parser) conjunct(lo, hi int, sc *scope) {
	before := len(p.acc.Tables)
	p.expr(lo, hi, sc)
	asks := p.askers(lo, hi, sc)
	pred, table := p.pred(lo, hi, sc)
	if table < 0 || len(p.acc.Tables) > before && pred.Op == "expr" {
		p.inexact(asks)
		return
	}
	pred.Text = p.text(lo, hi)
	t := &p.acc.Tables[table]
	t.Preds = append(t.Preds, pred)
	if pred.Op == "expr" || len(p.acc.Tables) > before {
		t.Exact = false
	}
	// a = b is a condition on b as well.
	if pred.Op == "=" && pred.Values[0].Kind == Column {
		p.mirror(pred, table, sc)
	}
}

func (p *parser) mirror(pred Pred, table int, sc *scope) {
	v := pred.Values[0]
	other := p.only(sc, v.Table, v.Text)
	if other < 0 || v.Func != "" || pred.Func != "" {
		p.acc.Tables[table].Exact = false
		return
	}
	t := &p.acc.Tables[other]
	if other != table && !slices.Contains(sc.tables, other) {
		p.acc.Tables[table].Exact = false
		return
	}
	back := Value{Kind: Column, Text: pred.Column, Table: p.acc.Tables[table].Alias}
	t.Preds = append(t.Preds, Pred{Column: v.Text, Op: "=", Values: []Value{back}, Text: pred.Text})
	t.Exact, p.acc.Tables[table].Exact = false, false
}

// spread carries the constants of one table over a join: a.id = b.id and
// b.id = $1 give a.id = $1.
func (p *parser) spread(sc *scope) {
	for _, n := range sc.tables {
		t := &p.acc.Tables[n]
		for _, pr := range t.Preds {
			if pr.Op != "=" || pr.Values[0].Kind != Column {
				continue
			}
			other := p.only(sc, pr.Values[0].Table, pr.Values[0].Text)
			if other < 0 || other == n {
				continue
			}
			for _, o := range p.acc.Tables[other].Preds {
				if o.Column == pr.Values[0].Text && o.Func == "" && (o.Op == "=" || o.Op == "in") && constant(o.Values) && !has(t.Preds, pr.Column) {
					t.Preds = append(t.Preds, Pred{Column: pr.Column, Op: o.Op, Values: o.Values, Text: o.Text})
				}
			}
		}
	}
}

func has(preds []Pred, column string) bool {
	return slices.ContainsFunc(preds, func(p Pred) bool { return p.Column == column && p.Op != "expr" && constant(p.Values) })
}

func constant(vs []Value) bool {
	return !slices.ContainsFunc(vs, func(v Value) bool { return v.Kind == Column || v.Kind == Expr })
}

// askers returns the tables of this scope that a condition names.
func (p *parser) askers(lo, hi int, sc *scope) []int {
	var out []int
	for i := lo; i < hi; i++ {
		if !p.isName(i, hi) || p.at(i+1, hi, "(") {
			continue
		}
		q, name, end := p.column(i, hi)
		for _, n := range p.owners(sc, q, name) {
			if !slices.Contains(out, n) {
				out = append(out, n)
			}
		}
		i = end - 1
	}
	if len(out) == 0 {
		return sc.tables
	}
	return out
}

func (p *parser) inexact(tables []int) {
	for _, n := range tables {
		p.acc.Tables[n].Exact = false
	}
}

// pred understands one condition. The table is -1 when it speaks of none, of
// several, or of one that cannot be told.
func (p *parser) pred(lo, hi int, sc *scope) (Pred, int) {
	if pr, table := p.boolean(lo, hi, sc); table >= 0 {
		return pr, table
	}
	for i := lo; i < hi; i = p.after(i) {
		op, width := p.comparison(i, hi)
		if width == 0 {
			continue
		}
		if pr, table := p.compare(lo, i, op, i+width, hi, sc); table >= 0 {
			return pr, table
		}
		break
	}
	return p.loose(lo, hi, sc)
}

// comparison tells whether an operator stands at i.
func (p *parser) comparison(i, hi int) (op string, width int) {
	t := p.toks[i]
	if t.class != word && t.class != special {
		return "", 0
	}
	switch t.text {
	case "=", "<>", "<", "<=", ">", ">=", "in", "between":
		return t.text, 1
	case "!=":
		return "<>", 1
	case "isnull":
		return "null", 1
	case "notnull":
		return "notnull", 1
	case "is":
		switch {
		case p.at(i+1, hi, "null"):
			return "null", 2
		case p.at(i+1, hi, "not") && p.at(i+2, hi, "null"):
			return "notnull", 3
		case p.at(i+1, hi, "true"):
			return "true", 2
		case p.at(i+1, hi, "false"):
			return "false", 2
		}
	}
	return "", 0
}

var mirrored = [...][2]string{{"=", "="}, {"<>", "<>"}, {"<", ">"}, {"<=", ">="}, {">", "<"}, {">=", "<="}}

// compare reads "left op right" where one side is a column.
func (p *parser) compare(lo, mid int, op string, right, hi int, sc *scope) (Pred, int) {
	left := p.value(lo, mid)
	if left.Kind != Column || p.only(sc, left.Table, left.Text) < 0 {
		for _, m := range mirrored {
			v := p.value(right, hi)
			if m[0] == op && v.Kind == Column && left.Kind != 0 && p.only(sc, v.Table, v.Text) >= 0 {
				return Pred{Column: v.Text, Func: v.Func, Op: m[1], Values: []Value{left}}, p.only(sc, v.Table, v.Text)
			}
		}
		return Pred{}, -1
	}
	pr := Pred{Column: left.Text, Func: left.Func, Op: op}
	table := p.only(sc, left.Table, left.Text)
	switch op {
	case "null", "notnull":
		return pr, table
	case "true", "false":
		pr.Op, pr.Values = "=", []Value{{Kind: Literal, Text: op[:1]}}
		return pr, table
	case "in":
		return p.in(pr, right, hi, table)
	case "between":
		and := p.find(right, hi, "and")
		pr.Values = []Value{p.value(right, and), p.value(and+1, hi)}
		return pr, table
	}
	if op == "=" && p.at(right, hi, "any") && p.at(right+1, hi, "(") {
		return p.any(pr, right+1, hi, table)
	}
	pr.Values = []Value{p.value(right, hi)}
	return pr, table
}

func (p *parser) in(pr Pred, i, hi, table int) (Pred, int) {
	if !p.at(i, hi, "(") || p.match[i] != hi-1 || p.holdsQuery(i, hi) {
		return pr, -1
	}
	p.split(i+1, hi-1, ",", func(lo, hi int) { pr.Values = append(pr.Values, p.value(lo, hi)) })
	return pr, table
}

// any reads "= ANY ($1)", where $1 is an array.
func (p *parser) any(pr Pred, i, hi, table int) (Pred, int) {
	if p.match[i] != hi-1 || p.holdsQuery(i, hi) {
		return pr, -1
	}
	v := p.value(i+1, hi-1)
	v.Array = true
	pr.Op, pr.Values = "in", []Value{v}
	return pr, table
}

// boolean reads "archived" and "NOT archived".
func (p *parser) boolean(lo, hi int, sc *scope) (Pred, int) {
	text, i := "t", lo
	if p.at(i, hi, "not") {
		text, i = "f", i+1
	}
	v := p.value(i, hi)
	if v.Kind != Column || v.Func != "" {
		return Pred{}, -1
	}
	return Pred{Column: v.Text, Op: "=", Values: []Value{{Kind: Literal, Text: text}}}, p.only(sc, v.Table, v.Text)
}

// loose makes an expr of a condition that speaks of one column of one table.
func (p *parser) loose(lo, hi int, sc *scope) (Pred, int) {
	column, table := "", -1
	for i := lo; i < hi; i++ {
		t := p.toks[i]
		if t.is("::") {
			i = p.typeName(i+1, hi) - 1
			continue
		}
		if t.class != quoted && (t.class != word || reserved(t.text)) || p.at(i+1, hi, "(") || i+1 < hi && p.toks[i+1].class == str {
			continue
		}
		q, name, end := p.column(i, hi)
		n := p.only(sc, q, name)
		if n < 0 || table >= 0 && (n != table || name != column) {
			return Pred{}, -1
		}
		column, table, i = name, n, end-1
	}
	return Pred{Column: column, Op: "expr"}, table
}
