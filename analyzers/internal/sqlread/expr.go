package sqlread

import "slices"

// expr walks over an expression: columns are read, subqueries are statements.
func (p *parser) expr(lo, hi int, sc *scope) {
	for i := lo; i < hi; {
		t := p.toks[i]
		switch {
		case t.is("("):
			p.paren(i, hi, sc)
			i = p.after(i)
		case t.is("::"):
			i = p.typeName(i+1, hi)
		case t.is("*") && (i == lo || p.toks[i-1].is(",") || p.toks[i-1].is(".")):
			p.star(i, lo, sc)
			i++
		case t.class == word && reserved(t.text), t.class != word && t.class != quoted:
			i++
		default:
			i = p.reference(i, hi, sc)
		}
	}
}

func (p *parser) paren(i, hi int, sc *scope) {
	end := min(p.match[i], hi)
	switch {
	case end == i+2 && p.at(i+1, end, "*"): // count(*)
	case i+1 < end && p.begins(i+1), p.holdsQuery(i+1, end):
		first := len(p.acc.Tables)
		p.statement(i+1, end, &scope{parent: sc, sub: true})
		if i > 0 && p.toks[i-1].is("exists") {
			for n := first; n < len(p.acc.Tables); n++ {
				p.acc.Tables[n].Aggregate = true
			}
		}
	default:
		p.expr(i+1, end, sc)
	}
}

// typeName skips the name of a type behind "::".
func (p *parser) typeName(i, hi int) int {
	for i < hi && (p.toks[i].class == word && !reserved(p.toks[i].text) || p.toks[i].class == quoted || p.at(i, hi, "interval")) {
		i++
		switch {
		case p.at(i, hi, "."):
			i++
			continue
		case p.at(i, hi, "precision"), p.at(i, hi, "varying"):
			i++
		}
		break
	}
	if p.at(i, hi, "(") {
		i = p.after(i)
	}
	for p.at(i, hi, "[") {
		i++
		for i < hi && !p.at(i-1, hi, "]") {
			i++
		}
	}
	return i
}

// star reads "*" or "t.*".
func (p *parser) star(i, lo int, sc *scope) {
	qualifier := ""
	if i >= lo+2 && p.toks[i-1].is(".") {
		qualifier = p.toks[i-2].text
	}
	p.use(sc, qualifier, "*")
}

// reference reads a name: a column, or a function or type that is skipped.
func (p *parser) reference(i, hi int, sc *scope) int {
	qualifier, name, end := p.column(i, hi)
	switch {
	case p.at(end, hi, "("):
		p.function(name)
		return end
	case end < hi && p.toks[end].class == str: // date '2026-05-01'
		return end
	case p.at(end, hi, ".") && p.at(end+1, hi, "*"):
		p.use(sc, name, "*")
		return end + 2
	case i > 0 && p.toks[i-1].is("as"):
		return end
	}
	p.use(sc, qualifier, name)
	return end
}

// column reads a, t.a or s.t.a and returns the index behind it.
func (p *parser) column(i, hi int) (qualifier, name string, end int) {
	name = p.toks[i].text
	i++
	for p.at(i, hi, ".") && i+1 < hi && (p.toks[i+1].class == word || p.toks[i+1].class == quoted) {
		qualifier, name = name, p.toks[i+1].text
		i += 2
	}
	return qualifier, name, i
}

func (p *parser) function(name string) {
	if name == "get_lock" || len(name) > 11 && (name[:11] == "pg_advisory" || len(name) > 15 && name[:15] == "pg_try_advisory") {
		p.acc.Advisory = true
	}
}

// use notes that a column is read.
func (p *parser) use(sc *scope, qualifier, name string) {
	for _, n := range p.owners(sc, qualifier, name) {
		t := &p.acc.Tables[n]
		if !slices.Contains(t.Columns, name) {
			t.Columns = append(t.Columns, name)
		}
	}
}

// owners returns the tables that a column can belong to: those with that alias
// in the nearest scope, or all of the nearest scope that has any.
func (p *parser) owners(sc *scope, qualifier, name string) []int {
	for ; sc != nil; sc = sc.parent {
		if qualifier == "" {
			if len(sc.tables) > 0 {
				return sc.tables
			}
			if len(sc.others) > 0 && name != "*" {
				return nil
			}
			continue
		}
		for _, n := range sc.tables {
			if p.acc.Tables[n].Alias == qualifier {
				return []int{n}
			}
		}
		if slices.Contains(sc.others, qualifier) {
			return nil
		}
	}
	return nil
}

// only returns the one table that a column belongs to, or -1.
func (p *parser) only(sc *scope, qualifier, name string) int {
	if qualifier == "" && (len(sc.tables) != 1 || len(sc.others) > 0) {
		return -1
	}
	if o := p.owners(sc, qualifier, name); len(o) == 1 {
		return o[0]
	}
	return -1
}

// list reads a select list or RETURNING. The outermost one gives the outputs.
func (p *parser) list(lo, hi int, sc *scope) {
	if p.at(lo, hi, "distinct") || p.at(lo, hi, "all") {
		lo++
		if i := p.skip(lo, hi, "on"); i > lo && p.at(i, hi, "(") {
			p.expr(i, p.after(i), sc)
			lo = p.after(i)
		}
	}
	outermost := !sc.sub && sc.parent == nil && len(p.acc.Outputs) == 0
	p.split(lo, hi, ",", func(lo, hi int) {
		body, name := p.unalias(lo, hi)
		p.expr(lo, body, sc)
		if outermost {
			p.acc.Outputs = append(p.acc.Outputs, p.output(lo, body, name, sc))
		}
	})
}

// unalias returns where the expression ends and the name it is given, if any.
func (p *parser) unalias(lo, hi int) (body int, name string) {
	if i := p.find(lo, hi, "as"); i < hi && i+1 < hi {
		return i, p.toks[i+1].text
	}
	last := hi - 1
	if last > lo && p.isName(last, hi) && (p.toks[last-1].is(")") || p.isName(last-1, hi) || p.toks[last-1].class == param ||
		p.toks[last-1].class == number || p.toks[last-1].is("end")) {
		return last, p.toks[last].text
	}
	return hi, ""
}

func (p *parser) output(lo, hi int, name string, sc *scope) Output {
	o := Output{Name: name, Table: -1, Text: p.text(lo, hi)}
	if v := p.value(lo, hi); v.Kind == Column {
		if o.Table = p.only(sc, v.Table, v.Text); o.Table >= 0 {
			o.Column, o.Func = v.Text, v.Func
		}
		if name == "" {
			o.Name = v.Text
		}
		return o
	}
	if p.at(hi-1, hi, "*") {
		qualifier := ""
		if hi-lo >= 3 && p.at(hi-2, hi, ".") {
			qualifier = p.toks[hi-3].text
		}
		o.Name, o.Column, o.Table = "*", "*", p.only(sc, qualifier, "*")
	}
	return o
}

// aggregates reports whether the list makes one row of many.
func (p *parser) aggregates(s span) bool {
	for i := s.lo; i+1 < s.hi; i++ {
		if !p.toks[i+1].is("(") || p.toks[i].class != word {
			continue
		}
		switch p.toks[i].text {
		case "count", "sum", "min", "max", "avg", "bool_or", "bool_and", "every", "array_agg", "string_agg", "json_agg", "jsonb_agg":
			return true
		}
	}
	return false
}
