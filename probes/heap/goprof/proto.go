package goprof

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/fnv"

	"github.com/ccheck/ccheck/probes/heap/series"
)

// message is a profile as profile.proto of github.com/google/pprof has it, as
// far as it is of use here. Samples stay encoded until they are looked at: there
// are many, and each is needed once. It exists beside that package because that
// one makes a tree of objects of them.
type message struct {
	types     []string
	period    int64
	samples   [][]byte
	locations []location
	functions map[uint64]function
	strings   []string
}

type location struct {
	id, address uint64
	lines       []line
}

type line struct {
	function uint64
	number   int64
}

type function struct{ name, file int64 }

var errWire = errors.New("no protocol buffer of a profile")

// fields calls do with each field of a message: its number, and its value or its
// bytes.
func fields(data []byte, do func(number int, value uint64, bytes []byte) error) error {
	for len(data) > 0 {
		tag, n := binary.Uvarint(data)
		if n <= 0 {
			return errWire
		}
		data = data[n:]
		var value uint64
		var bytes []byte
		switch tag & 7 {
		case 0:
			if value, n = binary.Uvarint(data); n <= 0 {
				return errWire
			}
		case 1:
			n = 8
		case 5:
			n = 4
		case 2:
			size, k := binary.Uvarint(data)
			if k <= 0 || size > uint64(len(data)-k) {
				return errWire
			}
			n = k + int(size)
			bytes = data[k:n:n]
		default:
			return errWire
		}
		if n > len(data) {
			return errWire
		}
		data = data[n:]
		if err := do(int(tag>>3), value, bytes); err != nil {
			return err
		}
	}
	return nil
}

// decode reads the outermost message.
func decode(data []byte) (*message, error) {
	m := &message{functions: map[uint64]function{}}
	var types []int64
	err := fields(data, func(number int, value uint64, bytes []byte) error {
		switch number {
		case 1:
			t, err := first(bytes)
			types = append(types, t)
			return err
		case 2:
			m.samples = append(m.samples, bytes)
		case 4:
			return m.location(bytes)
		case 5:
			return m.function(bytes)
		case 6:
			m.strings = append(m.strings, string(bytes))
		case 12:
			m.period = int64(value)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	if len(types) == 0 || len(m.strings) == 0 || m.strings[0] != "" {
		return nil, errWire
	}
	for _, t := range types {
		m.types = append(m.types, m.text(t))
	}
	return m, nil
}

// first is field 1 of a message.
func first(data []byte) (v int64, err error) {
	err = fields(data, func(number int, value uint64, _ []byte) error {
		if number == 1 {
			v = int64(value)
		}
		return nil
	})
	return v, err
}

func (m *message) text(i int64) string {
	if i < 0 || i >= int64(len(m.strings)) {
		return ""
	}
	return m.strings[i]
}

func (m *message) location(data []byte) error {
	var l location
	err := fields(data, func(number int, value uint64, bytes []byte) error {
		switch number {
		case 1:
			l.id = value
		case 3:
			l.address = value
		case 4:
			var at line
			err := fields(bytes, func(number int, value uint64, _ []byte) error {
				switch number {
				case 1:
					at.function = value
				case 2:
					at.number = int64(value)
				}
				return nil
			})
			l.lines = append(l.lines, at)
			return err
		}
		return nil
	})
	m.locations = append(m.locations, l)
	return err
}

func (m *message) function(data []byte) error {
	var id uint64
	var f function
	err := fields(data, func(number int, value uint64, _ []byte) error {
		switch number {
		case 1:
			id = value
		case 2:
			f.name = int64(value)
		case 4:
			f.file = int64(value)
		}
		return nil
	})
	m.functions[id] = f
	return err
}

// name is a location as frames, with a hash of their names and lines: addresses
// differ between two builds.
type name struct {
	hash   uint64
	frames []series.Frame
	own    bool // of the profiler itself
}

func (m *message) names() map[uint64]*name {
	all := make(map[uint64]*name, len(m.locations))
	for _, l := range m.locations {
		n := &name{}
		for _, at := range l.lines {
			f := m.functions[at.function]
			n.frames = append(n.frames, series.Frame{Func: m.text(f.name), File: m.text(f.file), Line: int(at.number)})
		}
		if len(l.lines) == 0 {
			n.frames = []series.Frame{{Func: fmt.Sprintf("0x%x", l.address)}}
		}
		h := fnv.New64a()
		for _, f := range n.frames {
			fmt.Fprintf(h, "%s:%d\n", f.Func, f.Line)
			n.own = n.own || ofProfiler(f.Func)
		}
		n.hash = h.Sum64()
		all[l.id] = n
	}
	return all
}

// sample is one sample; its slices are used again for the next one.
type sample struct {
	locations []uint64
	values    []int64
}

func (s *sample) decode(data []byte) error {
	s.locations, s.values = s.locations[:0], s.values[:0]
	return fields(data, func(number int, value uint64, bytes []byte) error {
		if number != 1 && number != 2 {
			return nil
		}
		if bytes == nil { // not packed
			s.add(number, value)
			return nil
		}
		for len(bytes) > 0 {
			v, n := binary.Uvarint(bytes)
			if n <= 0 {
				return errWire
			}
			bytes = bytes[n:]
			s.add(number, v)
		}
		return nil
	})
}

func (s *sample) add(number int, value uint64) {
	if number == 1 {
		s.locations = append(s.locations, value)
	} else {
		s.values = append(s.values, int64(value))
	}
}

// key names the stack in any profile of the program, in 16 bytes: two hashes of
// the hashes of its locations.
func (s *sample) key(names map[uint64]*name) (key string, own bool) {
	a, b := uint64(14695981039346656037), uint64(0x9e3779b97f4a7c15)
	for _, id := range s.locations {
		n := names[id]
		if n == nil {
			continue
		}
		own = own || n.own
		a = (a ^ n.hash) * 1099511628211
		b = (b<<13 | b>>51) + n.hash*0xbf58476d1ce4e5b9
	}
	var out [16]byte
	binary.LittleEndian.PutUint64(out[:], a)
	binary.LittleEndian.PutUint64(out[8:], b)
	return string(out[:]), own
}

func (s *sample) frames(names map[uint64]*name) []series.Frame {
	var out []series.Frame
	for _, id := range s.locations {
		if n := names[id]; n != nil {
			out = append(out, n.frames...)
		}
	}
	return out
}
