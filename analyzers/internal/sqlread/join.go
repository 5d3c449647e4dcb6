package sqlread

import "strings"

// made is an expression that can be told from the arguments alone.
type made interface {
	resolve(args Args) (texts []string, ok bool)
}

// join is "'c' || $1" or concat('c', $1): a text that is put together in the
// statement, such as a key.
type join []Value

// join reads the terms in [lo, hi); it is nil when one of them is more than
// parameters and literals, and for a single one.
func (p *parser) join(lo, hi int) made {
	sep := "||"
	if p.at(lo, hi, "concat") && p.at(lo+1, hi, "(") && p.match[lo+1] == hi-1 {
		lo, hi, sep = lo+2, hi-1, ","
	}
	var j join
	for i := lo; i < hi; {
		end := p.after(i)
		for end < hi && !p.toks[end].is(sep) {
			end = p.after(end)
		}
		if i == lo && end >= hi {
			return nil
		}
		v := p.value(i, min(end, hi))
		if v.Kind != Param && v.Kind != Literal && v.made == nil || v.Array {
			return nil
		}
		j = append(j, v)
		i = end + 1
	}
	if len(j) < 2 {
		return nil
	}
	return j
}

func (j join) resolve(args Args) ([]string, bool) {
	var b strings.Builder
	for _, v := range j {
		texts, ok := v.Resolve(args)
		if !ok || len(texts) != 1 {
			return nil, false
		}
		b.WriteString(texts[0])
	}
	return []string{b.String()}, true
}
