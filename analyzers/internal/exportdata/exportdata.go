// Package exportdata makes the export data of a compiled package small before
// they are read. The compiler writes into them, beside what the package declares,
// all of its imports that a user may need, and the bodies of functions; and
// go/types keeps the whole text, since its names are parts of it. Where the
// imports were read already, most of that is never looked at.
//
// It knows how the text is laid out and not what it says; package gcexportdata
// reads it. Analyzers do not need it: their drivers do.
package exportdata

import (
	"encoding/binary"
)

// The sections of the text, in order ("unified IR", cmd/compile/internal/noder).
// Elements of name, obj, objExt and objDict with one index describe one object.
const (
	text = iota
	meta
	posBase
	pkg
	name
	typ
	obj
	objExt
	objDict
	body
	sections
)

// Versions of the layout that are known. A newer one may mean another thing by
// the same bytes.
const newest = 5

const fingerprint = 8 // bytes behind the last element

// Own returns export data, as gcexportdata.NewReader gives them, without what a
// reader leaves alone that knows the imports: the declarations of objects of
// which known says that they were read before, and bodies. What is laid out in
// another way comes back as it is.
func Own(data []byte, known func(path, name string) bool) []byte {
	t, ok := parse(data)
	if !ok {
		return data
	}
	k := &keeper{table: t, known: known, index: make([]uint32, len(t.ends)), self: -1}
	if !k.mark() {
		return data
	}
	return k.write()
}

// table is where the elements of a text lie.
type table struct {
	head []byte            // what comes before the numbers of elements
	all  []byte            // the elements, one behind the other
	from [sections + 1]int // the first element of each section
	ends []int             // of the elements, in all
	tail []byte
}

// parse reads the header: 'u', version, flags, for each section the number of the
// element behind its last, for each element the offset of its end.
func parse(data []byte) (*table, bool) {
	c := &cursor{data: data}
	if c.byte() != 'u' {
		return nil, false
	}
	version := c.uint32()
	if version > newest || version >= 1 && c.uint32() != 0 { // flags: with marks between the parts
		return nil, false
	}
	t := &table{head: data[:c.at]}
	for s := range sections {
		if t.from[s+1] = int(c.uint32()); t.from[s+1] < t.from[s] {
			return nil, false
		}
	}
	n := t.from[sections]
	if c.bad || n > (len(data)-c.at)/4 {
		return nil, false
	}
	t.ends = make([]int, n)
	last := 0
	for i := range t.ends {
		if t.ends[i] = int(c.uint32()); t.ends[i] < last {
			return nil, false
		}
		last = t.ends[i]
	}
	if len(data)-c.at != last+fingerprint {
		return nil, false
	}
	t.all, t.tail = data[c.at:c.at+last], data[c.at+last:]
	return t, !c.bad && t.from[meta+1] > t.from[meta]
}

// element returns the bytes of one.
func (t *table) element(i int) []byte {
	start := 0
	if i > 0 {
		start = t.ends[i-1]
	}
	return t.all[start:t.ends[i]]
}

// at is the number of an element among all; -1 when there is none.
func (t *table) at(section, index int) int {
	if section < 0 || section >= sections || index < 0 || index >= t.from[section+1]-t.from[section] {
		return -1
	}
	return t.from[section] + index
}

// reference is how one element names another.
type reference struct{ section, index int }

// references reads the list at the head of an element, and returns the rest. A
// text has none.
func (t *table) references(section int, element []byte) (refs []reference, rest []byte, ok bool) {
	if section == text {
		return nil, element, true
	}
	c := &cursor{data: element}
	n := c.uvarint()
	if n > len(element) {
		return nil, nil, false
	}
	for range n {
		r := reference{c.uvarint(), c.uvarint()}
		if t.at(r.section, r.index) < 0 {
			return nil, nil, false
		}
		refs = append(refs, r)
	}
	return refs, element[c.at:], !c.bad
}

// cursor reads numbers; bad says that one was not there.
type cursor struct {
	data []byte
	at   int
	bad  bool
}

func (c *cursor) byte() byte {
	if c.at >= len(c.data) {
		c.bad = true
		return 0
	}
	c.at++
	return c.data[c.at-1]
}

func (c *cursor) uint32() uint32 {
	if len(c.data)-c.at < 4 {
		c.bad = true
		return 0
	}
	c.at += 4
	return binary.LittleEndian.Uint32(c.data[c.at-4:])
}

func (c *cursor) uvarint() int {
	x, n := binary.Uvarint(c.data[c.at:])
	if n <= 0 || x > 1<<31 {
		c.bad = true
		return 0
	}
	c.at += n
	return int(x)
}
