package v8

import (
	"slices"

	"github.com/ccheck/ccheck/probes/heap/series"
)

// builder is a graph that grows.
type builder struct{ series.Graph }

func (b *builder) grow(nodes int) {
	b.Kind = make([]series.Kind, 0, nodes)
	b.Name, b.ID, b.Self = make([]uint32, 0, nodes), make([]uint32, 0, nodes), make([]uint32, 0, nodes)
	b.First = append(make([]uint32, 0, nodes+1), 0)
}

// add appends a node whose edges end at that index. Traces are rare: the column
// is made at the first one.
func (b *builder) add(kind series.Kind, name, id, self, ends, trace uint32) {
	if trace != 0 && b.Trace == nil {
		b.Trace = make([]uint32, len(b.Kind), cap(b.Kind))
	}
	if b.Trace != nil {
		b.Trace = append(b.Trace, trace)
	}
	b.Kind = append(b.Kind, kind)
	b.Name = append(b.Name, name)
	b.ID = append(b.ID, id)
	b.Self = append(b.Self, self)
	b.First = append(b.First, ends)
}

func sortPlaces(ps []series.Place) {
	byNode := func(a, b series.Place) int { return int(a.Node) - int(b.Node) }
	if !slices.IsSortedFunc(ps, byNode) {
		slices.SortFunc(ps, byNode)
	}
}

// traces are the allocation stacks that V8 records when it is told to before
// (HeapProfiler.startTrackingHeapObjects with trackAllocations).
type traces struct {
	infos []traceInfo
	nodes map[uint32]uint32 // node of the tree → index of its function
}

type traceInfo struct{ name, script, line uint32 }

func (d *reader) traceInfos() {
	fields := d.layout.traceFields
	name, script, line := slices.Index(fields, "name"), slices.Index(fields, "script_name"), slices.Index(fields, "line")
	if min(name, script, line) < 0 || len(fields) > maxWidth {
		d.skip()
		return
	}
	if !d.expect('[') {
		return
	}
	var row [maxWidth]uint64
	for d.row(len(fields), &row) {
		d.traces.infos = append(d.traces.infos, traceInfo{uint32(row[name]), uint32(row[script]), uint32(row[line])})
	}
}

// traceTree reads the tree of calls: id, function, count, size and the children
// as an array of the same.
func (d *reader) traceTree() {
	d.traces.nodes = map[uint32]uint32{}
	if !d.expect('[') {
		return
	}
	column := []int{0}
	var id uint64
	for len(column) > 0 && d.fail == nil {
		at := &column[len(column)-1]
		switch c := d.peek(); {
		case c == '[':
			d.pos++
			column = append(column, 0)
		case c == ']':
			d.pos++
			column = column[:len(column)-1]
			if len(column) > 0 {
				column[len(column)-1] = 0
			}
		case c == ',':
			d.pos++
		case c-'0' < 10:
			n, _ := d.digits()
			switch *at {
			case 0:
				id = n
			case 1:
				d.traces.nodes[uint32(id)] = uint32(n)
			}
			*at++
		default:
			d.broken("%q in the tree of allocations", c)
		}
		if len(column) > maxDepth {
			d.broken("%w", errDeep)
		}
	}
}

// frames gives each node of the tree the function that allocated.
func (t *traces) frames(g *series.Graph) map[uint32]series.Frame {
	if len(t.infos) == 0 || len(t.nodes) == 0 || g.Trace == nil {
		return nil
	}
	out := map[uint32]series.Frame{}
	for id, i := range t.nodes {
		if int(i) < len(t.infos) {
			info := t.infos[i]
			out[id] = series.Frame{Func: g.Strings.At(info.name), File: g.Strings.At(info.script), Line: int(info.line)}
		}
	}
	return out
}
