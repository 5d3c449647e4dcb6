// Package v8 reads the heap snapshots of V8, as Node, Chrome, Deno and Edge
// write them (.heapsnapshot): the whole graph, or only how many objects of each
// class there are.
//
// It reads a stream once, into columns, and looks up every field through the
// header, so that files of any size and of old and new engines are one case. It
// judges nothing and knows no process. The format is that of V8's
// heap-snapshot-generator.cc.
package v8

import (
	"errors"
	"fmt"
	"io"

	"github.com/ccheck/ccheck/probes/heap/series"
)

// The two ways in which a file is no snapshot.
var (
	ErrTruncated = errors.New("the snapshot ends in the middle")
	ErrForeign   = errors.New("this is no V8 heap snapshot")
)

// Class is what objects are counted by: the constructor of an object, the name
// of a function, and one for all strings.
type Class struct {
	Kind series.Kind
	Name string // "" for kinds that are counted as one
}

// Tally is how much of a class there is.
type Tally struct{ Count, Bytes int64 }

// Census is a snapshot without its references.
type Census struct {
	Classes map[Class]Tally
	IDs     *series.IDs
	Objects int64
	Bytes   int64
}

// named are the kinds whose name says what a node is; that of a string is its
// text.
var named = [series.Unknown + 1]bool{
	series.Object: true, series.Closure: true, series.Native: true, series.Hidden: true, series.Wasm: true, series.Unknown: true,
}

// ReadCensus reads how much there is of each class, in memory that grows with
// the number of names alone.
func ReadCensus(r io.Reader) (*Census, error) {
	d := newReader(r)
	if err := d.read(false); err != nil {
		return nil, err
	}
	return d.census(), nil
}

// Read reads the whole graph.
func Read(r io.Reader) (*series.Graph, *Census, error) {
	d := newReader(r)
	if err := d.read(true); err != nil {
		return nil, nil, err
	}
	g, err := d.graph()
	if err != nil {
		return nil, nil, err
	}
	return g, d.census(), nil
}

// reader is one pass over a file.
type reader struct {
	*scanner
	layout *layout
	whole  bool // the edges too
	g      builder
	edges  uint64 // as the nodes say

	tallies  [series.Unknown + 1][]Tally // by name; one for kinds that have none
	far      map[far]Tally
	farNames map[uint32]bool
	ids      series.IDs
	objects  int64
	bytes    int64
	traces   traces
}

func newReader(r io.Reader) *reader {
	return &reader{scanner: newScanner(r), far: map[far]Tally{}, farNames: map[uint32]bool{}}
}

// read passes over the top level. The order of V8 is kept to where it matters:
// the header comes first.
func (d *reader) read(whole bool) error {
	d.whole = whole
	if d.peek() != '{' {
		if errors.Is(d.fail, ErrTruncated) {
			return fmt.Errorf("the file is empty: %w", ErrTruncated)
		}
		return ErrForeign
	}
	d.pos++
	for first := true; ; first = false {
		key := string(d.text(nil, true))
		if d.fail == nil && first && key != "snapshot" {
			return ErrForeign
		}
		d.expect(':')
		if d.fail == nil {
			if err := d.value(key); err != nil {
				return err
			}
		}
		switch c := d.peek(); {
		case d.fail != nil:
			return d.fail
		case c == ',':
			d.pos++
		case c == '}':
			return d.complete()
		default:
			d.broken("%q after %q", c, key)
			return d.fail
		}
	}
}

func (d *reader) value(key string) (err error) {
	switch {
	case key == "snapshot":
		d.layout, err = d.header()
		return err
	case d.layout == nil:
		return ErrForeign
	case key == "nodes":
		d.nodes()
	case key == "edges" && d.whole:
		d.links()
	case key == "locations" && d.whole && d.layout.placeWidth > 0:
		d.locations()
	case key == "trace_function_infos" && d.whole:
		d.traceInfos()
	case key == "trace_tree" && d.whole:
		d.traceTree()
	case key == "strings":
		d.strings()
	case key == "edges", key == "locations", key == "samples", key == "trace_function_infos":
		d.pass()
	default:
		d.skip()
	}
	return d.fail
}

// complete checks that the parts agree with each other.
func (d *reader) complete() error {
	switch {
	case d.layout == nil || d.objects == 0:
		return fmt.Errorf("it has no objects: %w", ErrForeign)
	case len(d.g.Strings.Ends) == 0:
		return fmt.Errorf("it has no strings: %w", ErrTruncated)
	case d.layout.nodes > 0 && d.layout.nodes != uint64(d.objects):
		return fmt.Errorf("its header says %d objects and it has %d: %w", d.layout.nodes, d.objects, ErrTruncated)
	}
	return nil
}
