package v8

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/ccheck/ccheck/probes/heap/series"
)

// header is the first value of a snapshot. Which column is what is only said
// here: it was six columns, is seven, and an engine may add others.
type header struct {
	Meta struct {
		NodeFields      []string          `json:"node_fields"`
		NodeTypes       []json.RawMessage `json:"node_types"`
		EdgeFields      []string          `json:"edge_fields"`
		EdgeTypes       []json.RawMessage `json:"edge_types"`
		LocationFields  []string          `json:"location_fields"`
		TraceInfoFields []string          `json:"trace_function_info_fields"`
		TraceNodeFields []string          `json:"trace_node_fields"`
	} `json:"meta"`
	NodeCount uint64 `json:"node_count"`
	EdgeCount uint64 `json:"edge_count"`
}

// maxHeader bounds the header; those of V8 have two kilobytes.
const maxHeader = 1 << 20

// layout is where the columns are.
type layout struct {
	nodeWidth, edgeWidth          int
	kind, name, id, self, edges   int
	trace                         int // -1 without
	link, linkName, to            int
	kinds                         []series.Kind
	links                         []series.Link
	placeWidth                    int
	placeNode, script, line, colm int
	traceFields                   []string
	nodes, edgeCount              uint64 // as the header says; a hint
}

// header reads the first value and learns the layout from it.
func (s *scanner) header() (*layout, error) {
	raw, err := s.raw()
	if err != nil {
		return nil, err
	}
	var h header
	if err := json.Unmarshal(raw, &h); err != nil {
		return nil, fmt.Errorf("reading its header: %w", err)
	}
	return newLayout(&h)
}

// raw keeps one object as it is.
func (s *scanner) raw() ([]byte, error) {
	var raw []byte
	depth, inside := 0, false
	if s.peek() != '{' {
		return nil, ErrForeign
	}
	for {
		c := s.one()
		if s.fail != nil {
			return nil, s.fail
		}
		raw = append(raw, c)
		switch {
		case inside && c == '\\':
			raw = append(raw, s.one())
		case c == '"':
			inside = !inside
		case inside:
		case c == '{' || c == '[':
			depth++
		case c == '}' || c == ']':
			if depth--; depth == 0 {
				return raw, nil
			}
		}
		if len(raw) > maxHeader {
			return nil, ErrForeign
		}
	}
}

func newLayout(h *header) (*layout, error) {
	m := &h.Meta
	l := &layout{
		nodeWidth: len(m.NodeFields), edgeWidth: len(m.EdgeFields), placeWidth: len(m.LocationFields),
		nodes: h.NodeCount, edgeCount: h.EdgeCount, traceFields: m.TraceInfoFields,
	}
	missing := ""
	at := func(fields []string, name string) int {
		i := slices.Index(fields, name)
		if i < 0 {
			missing = name
		}
		return i
	}
	l.kind, l.name, l.id = at(m.NodeFields, "type"), at(m.NodeFields, "name"), at(m.NodeFields, "id")
	l.self, l.edges = at(m.NodeFields, "self_size"), at(m.NodeFields, "edge_count")
	l.link, l.linkName, l.to = at(m.EdgeFields, "type"), at(m.EdgeFields, "name_or_index"), at(m.EdgeFields, "to_node")
	if missing != "" {
		return nil, fmt.Errorf("its header names no column %s: %w", missing, ErrForeign)
	}
	if l.nodeWidth > maxWidth || l.edgeWidth > maxWidth || l.placeWidth > maxWidth {
		return nil, fmt.Errorf("its header has more than %d columns: %w", maxWidth, ErrForeign)
	}
	l.trace = slices.Index(m.NodeFields, "trace_node_id")
	l.places(m.LocationFields)
	l.kinds = words(m.NodeTypes, l.kind, kindNames, series.Unknown)
	l.links = words(m.EdgeTypes, l.link, linkNames, series.UnknownLink)
	return l, nil
}

// maxWidth bounds the columns of a row.
const maxWidth = 32

func (l *layout) places(fields []string) {
	l.placeNode, l.script = slices.Index(fields, "object_index"), slices.Index(fields, "script_id")
	l.line, l.colm = slices.Index(fields, "line"), slices.Index(fields, "column")
	if min(l.placeNode, l.script, l.line, l.colm) < 0 {
		l.placeWidth = 0
	}
}

// words maps the numbers of a type column to what they mean here: the header
// has the names in the order of the numbers.
func words[T ~uint8](types []json.RawMessage, column int, known []string, other T) []T {
	var names []string
	if column < len(types) {
		_ = json.Unmarshal(types[column], &names) // no list of names leaves all types unknown
	}
	out := make([]T, len(names))
	for i, name := range names {
		out[i] = other
		if k := slices.Index(known, name); k >= 0 {
			out[i] = T(k)
		}
	}
	return out
}

// The names in the header, in the order of the constants of series.
var (
	kindNames = []string{
		"hidden", "array", "string", "object", "code", "closure", "regexp", "number", "native", "synthetic",
		"concatenated string", "sliced string", "symbol", "bigint", "object shape", "wasm object",
	}
	linkNames = []string{"context", "element", "property", "internal", "hidden", "shortcut", "weak"}
)
