package exportdata

import (
	"encoding/binary"
)

// keeper finds out which elements are looked at, and writes a text of these.
type keeper struct {
	*table
	known func(path, name string) bool

	index []uint32 // by element: its new index and one more; 0 when it is dropped
	todo  []int
	self  int // the element of the package itself
}

// mark keeps all that can be reached from the root, the list of what the package
// declares and of what a user may need of others.
func (k *keeper) mark() bool {
	root := k.at(meta, 0)
	refs, _, ok := k.references(meta, k.element(root))
	if !ok || len(refs) == 0 || refs[0].section != pkg {
		return false
	}
	k.self = k.at(pkg, refs[0].index)
	for i := k.from[meta]; i < k.from[meta+1]; i++ {
		k.index[i] = 1 // roots are known by their number
	}
	for k.todo = append(k.todo, root); len(k.todo) > 0; {
		i := k.todo[len(k.todo)-1]
		k.todo = k.todo[:len(k.todo)-1]
		refs, _, ok := k.references(k.section(i), k.element(i))
		if !ok {
			return false
		}
		for _, r := range refs {
			if !k.reach(r) {
				return false
			}
		}
	}
	return true
}

// reach keeps what a reference names. Of an object that is known the name will do.
func (k *keeper) reach(r reference) bool {
	if r.section != obj && r.section != name && r.section != objExt && r.section != objDict {
		k.keep(k.at(r.section, r.index))
		return true
	}
	n := k.at(name, r.index)
	if n < 0 || k.index[n] != 0 {
		return n >= 0
	}
	k.keep(n)
	own, ok := k.own(n)
	if ok && own {
		for _, s := range []int{obj, objDict} {
			i := k.at(s, r.index)
			if i < 0 {
				return false
			}
			k.keep(i)
		}
	}
	return ok
}

func (k *keeper) keep(i int) {
	if k.index[i] == 0 {
		k.index[i] = 1
		k.todo = append(k.todo, i)
	}
}

// own reports whether the object with the name at n must be read from this text.
func (k *keeper) own(n int) (own, ok bool) {
	refs, rest, ok := k.references(name, k.element(n))
	c := &cursor{data: rest}
	in, called := c.uvarint(), c.uvarint()
	if !ok || c.bad || in >= len(refs) || called >= len(refs) || refs[in].section != pkg || refs[called].section != text {
		return false, false
	}
	of := k.at(pkg, refs[in].index)
	if of == k.self {
		return true, true
	}
	path, ok := k.path(of)
	return ok && !k.known(path, string(k.element(k.at(text, refs[called].index)))), ok
}

// path is the import path of the package at p.
func (k *keeper) path(p int) (string, bool) {
	refs, rest, ok := k.references(pkg, k.element(p))
	c := &cursor{data: rest}
	i := c.uvarint()
	if !ok || c.bad || i >= len(refs) || refs[i].section != text {
		return "", false
	}
	return string(k.element(k.at(text, refs[i].index))), true
}

func (k *keeper) section(i int) int {
	s := 0
	for i >= k.from[s+1] {
		s++
	}
	return s
}

// write lays out what is kept, with new indexes.
func (k *keeper) write() []byte {
	counts := k.number()
	out := append([]byte(nil), k.head...)
	for _, n := range counts {
		out = binary.LittleEndian.AppendUint32(out, uint32(n))
	}
	var ends, all []byte
	for s := range sections {
		for i := k.from[s]; i < k.from[s+1]; i++ {
			if k.index[i] == 0 && !k.named(s, i) {
				continue
			}
			if k.index[i] != 0 && (s != meta || i == k.from[meta]) {
				all = k.renumbered(all, s, i)
			}
			ends = binary.LittleEndian.AppendUint32(ends, uint32(len(all)))
		}
	}
	out = append(out, ends...)
	out = append(out, all...)
	return append(out, k.tail...)
}

// number gives the kept elements their new indexes; counts are the elements up to
// the end of each section.
func (k *keeper) number() (counts [sections]int) {
	total := 0
	for s := range sections {
		n := uint32(0)
		for i := k.from[s]; i < k.from[s+1]; i++ {
			if k.index[i] != 0 || k.named(s, i) {
				n++
				if k.index[i] != 0 {
					k.index[i] = n
				}
			}
		}
		total += int(n)
		counts[s] = total
	}
	return counts
}

// named tells whether an element takes a place because the name of the same
// object does, though it is left empty.
func (k *keeper) named(section, i int) bool {
	if section != obj && section != objExt && section != objDict {
		return false
	}
	n := k.at(name, i-k.from[section])
	return n >= 0 && k.index[n] != 0
}

// renumbered appends an element with its references in new indexes.
func (k *keeper) renumbered(all []byte, section, i int) []byte {
	refs, rest, _ := k.references(section, k.element(i))
	if section == text {
		return append(all, rest...)
	}
	all = binary.AppendUvarint(all, uint64(len(refs)))
	for _, r := range refs {
		all = binary.AppendUvarint(all, uint64(r.section))
		all = binary.AppendUvarint(all, uint64(k.renamed(r)))
	}
	return append(all, rest...)
}

// renamed is the new index behind a reference.
func (k *keeper) renamed(r reference) uint32 {
	s := r.section
	if s == obj || s == objExt || s == objDict {
		s = name
	}
	return k.index[k.at(s, r.index)] - 1
}
