package series

import "testing"

func TestIDs(t *testing.T) {
	var a, b IDs
	for id := uint32(1); id < 20001; id += 2 {
		a.Add(id, Mark(Code, id%64))
		if id > 2000 {
			b.Add(id, Mark(Code, id%64))
		}
	}
	for id := uint32(20001); id < 21001; id += 2 {
		b.Add(id, 7)
	}
	if shared, added := a.Compare(&b); shared != 0.9 || added != 500 {
		t.Errorf("shared %v, added %d", shared, added)
	}
	if !a.Has(1, Mark(Code, 1)) || a.Has(2, Mark(Code, 2)) || a.Has(1<<31, 1) || (*IDs)(nil).Has(1, 1) {
		t.Error("Has is wrong")
	}
	// Another session gives the same ids to other objects.
	var other IDs
	for id := uint32(1); id < 20001; id += 2 {
		other.Add(id, Mark(Shape, id%48))
	}
	if shared, _ := a.Compare(&other); shared > 0.5 {
		t.Errorf("two sessions share %v", shared)
	}
}

// A cache whose entries all come and go is no other session.
func TestChurn(t *testing.T) {
	var a, b IDs
	for id := uint32(1); id < 2001; id += 2 {
		a.Add(id, Mark(Code, 64))
		b.Add(id, Mark(Code, 64))
	}
	for id := uint32(3001); id < 9001; id += 2 {
		a.Add(id, Mark(Object, 32))
		b.Add(id+6000, Mark(Object, 32))
	}
	if shared, added := a.Compare(&b); shared != 1 || added != 3000 {
		t.Errorf("shared %v, added %d", shared, added)
	}
}

// Ids that no V8 gives must not make the table larger than the file.
func TestScatteredIDs(t *testing.T) {
	var s IDs
	for i := range uint32(20000) {
		s.Add(i*200000, 1)
	}
	chunks := 0
	for _, c := range s.chunks {
		if c != nil {
			chunks++
		}
	}
	if !s.scattered || chunks > 10000 {
		t.Errorf("%d chunks, scattered %v", chunks, s.scattered)
	}
	if shared, _ := s.Compare(&s); shared != 0 {
		t.Errorf("scattered ids are compared: %v", shared)
	}
}

func TestGraphFrom(t *testing.T) {
	g := Graph{Kind: make([]Kind, 4), First: []uint32{0, 2, 2, 3, 3}}
	for edge, want := range []uint32{0, 0, 2} {
		if got := g.From(uint32(edge)); got != want {
			t.Errorf("edge %d comes from %d, want %d", edge, got, want)
		}
	}
}
