package v8

import (
	"fmt"
	"io/fs"
	"math"

	"github.com/ccheck/ccheck/probes/heap/series"
)

// left is how many bytes of the file there are to come, as far as that is known.
func (d *reader) left() (n int64, ok bool) {
	switch r := d.r.(type) {
	case interface{ Len() int }:
		return int64(r.Len()) + int64(d.end-d.pos), true
	case interface{ Stat() (fs.FileInfo, error) }:
		if info, err := r.Stat(); err == nil && info.Mode().IsRegular() {
			return max(info.Size()-d.offset(), 0), true
		}
	}
	return 0, false
}

// room is how many rows to make room for: what the header says, bounded by what
// the file can hold, so that a header that lies costs nothing.
func (d *reader) room(said uint64, width int) int {
	most := uint64(1 << 24)
	if n, ok := d.left(); ok {
		most = uint64(n)
	}
	return int(min(said, most/uint64(2*width)+1))
}

// nodes reads the nodes, and counts them while they pass.
func (d *reader) nodes() {
	l := d.layout
	if !d.expect('[') {
		return
	}
	if d.whole {
		d.g.grow(d.room(l.nodes, l.nodeWidth))
	}
	var row [maxWidth]uint64
	for d.row(l.nodeWidth, &row) {
		d.node(&row)
	}
}

func (d *reader) node(row *[maxWidth]uint64) {
	l := d.layout
	kind := series.Unknown
	if t := row[l.kind]; t < uint64(len(l.kinds)) {
		kind = l.kinds[t]
	}
	name, self := row[l.name], uint32(min(row[l.self], math.MaxUint32))
	d.edges += row[l.edges]
	if name > maxNames || d.edges > math.MaxUint32 || d.objects == math.MaxUint32 {
		d.broken("a heap of more than 4 thousand million objects, references or strings")
		return
	}
	d.objects++
	d.bytes += int64(self)
	d.count(kind, uint32(name), int64(self))
	d.ids.Add(uint32(row[l.id]), series.Mark(kind, self))
	if d.whole {
		trace := uint32(0)
		if l.trace >= 0 {
			trace = uint32(row[l.trace])
		}
		d.g.add(kind, uint32(name), uint32(row[l.id]), self, uint32(d.edges), trace)
	}
}

// maxNames bounds the index of a string; the largest heaps seen have 10 million.
const maxNames = 1 << 28

// count tallies by name where the name is a class. V8 numbers strings as it
// first needs them, so a table by number is dense; a number far beyond what was
// read goes to a map, lest a small file ask for a large table.
func (d *reader) count(kind series.Kind, name uint32, self int64) {
	if !named[kind] {
		name = 0
	} else if int64(name) > 4*d.objects+1<<16 {
		k := far{kind, name}
		t := d.far[k]
		d.far[k] = Tally{t.Count + 1, t.Bytes + self}
		d.farNames[name] = true
		return
	}
	t := d.tallies[kind]
	if int(name) >= len(t) {
		t = append(t, make([]Tally, int(name)+1-len(t))...)
		d.tallies[kind] = t
	}
	t[name].Count++
	t[name].Bytes += self
}

type far struct {
	kind series.Kind
	name uint32
}

// wanted marks the strings that name a class.
func (d *reader) wanted() []bool {
	var all []bool
	for kind, t := range d.tallies {
		if !named[kind] {
			continue
		}
		all = append(all, make([]bool, max(len(t)-len(all), 0))...)
		for name := range t {
			all[name] = all[name] || t[name].Count > 0
		}
	}
	return all
}

// links reads the edges.
func (d *reader) links() {
	l := d.layout
	if !d.expect('[') {
		return
	}
	room := d.room(max(l.edgeCount, d.edges), l.edgeWidth)
	d.g.Link, d.g.LinkName, d.g.To = make([]series.Link, 0, room), make([]uint32, 0, room), make([]uint32, 0, room)
	var row [maxWidth]uint64
	for d.row(l.edgeWidth, &row) {
		link := series.UnknownLink
		if t := row[l.link]; t < uint64(len(l.links)) {
			link = l.links[t]
		}
		to := row[l.to] / uint64(l.nodeWidth)
		if to*uint64(l.nodeWidth) != row[l.to] || to >= uint64(d.objects) {
			d.broken("a reference to object %d, which there is not", row[l.to])
			return
		}
		d.g.Link = append(d.g.Link, link)
		d.g.LinkName = append(d.g.LinkName, uint32(row[l.linkName]))
		d.g.To = append(d.g.To, uint32(to))
	}
}

func (d *reader) locations() {
	l := d.layout
	if !d.expect('[') {
		return
	}
	var row [maxWidth]uint64
	for d.row(l.placeWidth, &row) {
		d.g.Places = append(d.g.Places, series.Place{
			Node: uint32(row[l.placeNode] / uint64(l.nodeWidth)), Script: uint32(row[l.script]),
			Line: int(row[l.line]&math.MaxInt32) + 1, Column: int(row[l.colm]&math.MaxInt32) + 1,
		})
	}
}

// strings keeps all strings, or those that name a class.
func (d *reader) strings() {
	if !d.expect('[') {
		return
	}
	if d.peek() == ']' {
		d.pos++
		return
	}
	t, wanted := &d.g.Strings, d.wanted()
	if n, ok := d.left(); ok && d.whole {
		t.Text = make([]byte, 0, n) // they are the last part of the file
	}
	for i := 0; d.fail == nil; i++ {
		keep := d.whole || i < len(wanted) && wanted[i] || d.farNames[uint32(i)]
		t.Text = d.text(t.Text, keep)
		t.Ends = append(t.Ends, uint64(len(t.Text)))
		if c := d.peek(); c == ']' {
			d.pos++
			return
		}
		d.expect(',')
	}
}

// graph hands out the graph when its parts agree.
func (d *reader) graph() (*series.Graph, error) {
	g := d.g.Graph // a copy: a pointer into the reader would keep its tables
	if uint64(len(g.To)) != d.edges {
		return nil, fmt.Errorf("its objects have %d references and it lists %d: %w", d.edges, len(g.To), ErrTruncated)
	}
	sortPlaces(g.Places)
	g.Traces = d.traces.frames(&g)
	return &g, nil
}

func (d *reader) census() *Census {
	c := &Census{Classes: map[Class]Tally{}, IDs: &d.ids, Objects: d.objects, Bytes: d.bytes}
	for kind, names := range d.tallies {
		for name, t := range names {
			c.add(d, series.Kind(kind), uint32(name), t)
		}
	}
	for k, t := range d.far {
		c.add(d, k.kind, k.name, t)
	}
	return c
}

func (c *Census) add(d *reader, kind series.Kind, name uint32, t Tally) {
	if t.Count == 0 {
		return
	}
	class := Class{Kind: kind}
	if named[kind] {
		class.Name = d.g.Strings.At(name)
	}
	sum := c.Classes[class]
	c.Classes[class] = Tally{sum.Count + t.Count, sum.Bytes + t.Bytes}
}
