package flow

// importers are for each package those that know it: itself, and what imports
// it at any distance, as indexes into pkgs. Imports come before their importers.
func importers(pkgs []*Package) map[string]Bits {
	index := make(map[string]int, len(pkgs))
	reach, known := make([]Bits, len(pkgs)), make([]Bits, len(pkgs))
	for i, p := range pkgs {
		index[p.Path] = i
		reach[i].Set(i)
		for _, path := range p.Imports {
			if k, ok := index[path]; ok {
				reach[i].add(reach[k])
			}
		}
		for r := range i + 1 {
			if reach[i].Has(r) {
				known[r].Set(i)
			}
		}
	}
	all := make(map[string]Bits, len(pkgs))
	for i, p := range pkgs {
		all[p.Path] = known[i]
	}
	return all
}

func (b *Bits) add(more Bits) {
	for len(*b) < len(more) {
		*b = append(*b, 0)
	}
	for i, w := range more {
		(*b)[i] |= w
	}
}

func (b Bits) meets(other Bits) bool {
	for i := range min(len(b), len(other)) {
		if b[i]&other[i] != 0 {
			return true
		}
	}
	return false
}
