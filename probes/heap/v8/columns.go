package v8

import (
	"fmt"
	"io/fs"
	"math"

	"github.com/ccheck/ccheck/probes/heap/series"
)

// room is how many rows to make room for: what the header says, bounded by what
// the file can hold, so that a header that lies costs nothing.
func (d *reader) room(said uint64, width int) int {
	most := uint64(1 << 24)
	switch r := d.r.(type) {
	case interface{ Len() int }:
		most = uint64(r.Len()) + uint64(d.end)
	case interface{ Stat() (fs.FileInfo, error) }:
		if info, err := r.Stat(); err == nil && info.Mode().IsRegular() {
			most = uint64(info.Size())
		}
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
	for {
		n, ok := d.number()
		if !ok {
			return
		}
		row[0] = n
		for i := 1; i < l.nodeWidth; i++ {
			if row[i], ok = d.number(); !ok {
				d.broken("half a row of nodes")
				return
			}
		}
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
	for {
		n, ok := d.number()
		if !ok {
			return
		}
		row[0] = n
		for i := 1; i < l.edgeWidth; i++ {
			if row[i], ok = d.number(); !ok {
				d.broken("half a row of edges")
				return
			}
		}
		link := series.UnknownLink
		if t := row[l.link]; t < uint64(len(l.links)) {
			link = l.links[t]
		}
		to := row[l.to] / uint64(l.nodeWidth)
		if row[l.to]%uint64(l.nodeWidth) != 0 || to >= uint64(d.objects) {
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
	for {
		for i := range l.placeWidth {
			n, ok := d.number()
			if !ok {
				if i != 0 {
					d.broken("half a row of locations")
				}
				return
			}
			row[i] = n
		}
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
	g := &d.g.Graph
	if uint64(len(g.To)) != d.edges {
		return nil, fmt.Errorf("its objects have %d references and it lists %d: %w", d.edges, len(g.To), ErrTruncated)
	}
	sortPlaces(g.Places)
	g.Traces = d.traces.frames(g)
	return g, nil
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
