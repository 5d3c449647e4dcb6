package serial

import (
	"cmp"
	"hash/fnv"
	"io"
	"strconv"

	"github.com/ccheck/ccheck/probes/history"
)

// Accidental values get names in the order of their rows. Where rows differ in
// such values alone, that order must not depend on them: a random id is small in
// one run and large in the next. Values are told apart by the company they keep
// instead, by colour refinement (Weisfeiler and Leman, 1968): the tint of a value
// comes from the rows that it stands in, and theirs from the tints in them.

// refinements are enough for references over two tables.
const refinements = 4

// tints are those of accidental values, by class and value.
type tints map[column]map[string]uint64

// tint computes them for the rows that came.
func (n *namer) tint(all []delta) {
	n.tints = tints{}
	for range refinements {
		next := tints{}
		for _, d := range all {
			if !d.added {
				continue
			}
			for _, row := range d.rows {
				n.spread(next, d, row)
			}
		}
		n.tints = next
	}
}

// spread adds a row to the tints of its accidental values. The sum does not
// depend on the order of the rows.
func (n *namer) spread(next tints, d delta, row []history.Value) {
	whole := n.tintOf(d, row)
	for i, v := range row {
		class, ok := n.accidental(column{table: d.table, name: d.columns[i]}, v)
		if !ok {
			continue
		}
		if next[class] == nil {
			next[class] = map[string]uint64{}
		}
		next[class][v.Text] += hash(d.columns[i], strconv.FormatUint(whole, 16))
	}
}

// tintOf is what a row looks like with tints in the place of accidental values.
func (n *namer) tintOf(d delta, row []history.Value) uint64 {
	parts := []string{d.table}
	for i, v := range row {
		part := text(v)
		if class, ok := n.accidental(column{table: d.table, name: d.columns[i]}, v); ok {
			part = strconv.FormatUint(n.tints[class][v.Text], 16)
		}
		parts = append(parts, part)
	}
	return hash(parts...)
}

// accidental returns the class of a value that has no meaning of its own.
func (n *namer) accidental(col column, v history.Value) (class column, ok bool) {
	if !n.columns[col] || v.Null {
		return column{}, false
	}
	class = n.class(col)
	return class, !n.known[class][v.Text]
}

// tinted orders by tint; values of rows of after setup come first, as they are.
func (n *namer) tinted(col column, a, b history.Value) int {
	x, free := n.accidental(col, a)
	y, other := n.accidental(col, b)
	switch {
	case free && other:
		return cmp.Compare(n.tints[x][a.Text], n.tints[y][b.Text])
	case free:
		return 1
	case other:
		return -1
	}
	return compare(a, b)
}

func hash(parts ...string) uint64 {
	h := fnv.New64a()
	for _, p := range parts {
		_, _ = io.WriteString(h, p) // a hash takes everything
		_, _ = h.Write([]byte{0})
	}
	return h.Sum64()
}
