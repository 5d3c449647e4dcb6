package heapgrowth

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/ccheck/ccheck/analyzers/report"
	"github.com/ccheck/ccheck/probes/heap/series"
)

// drawing is a heap that a test draws: nodes by name, then edges.
type drawing struct {
	kinds []series.Kind
	names []string
	edges [][]drawn
	texts []string
	at    []series.Place // of closures, in order
}

type drawn struct {
	link series.Link
	name string
	to   int
}

func draw() *drawing {
	d := &drawing{}
	d.node(series.Synthetic, "")
	return d
}

func (d *drawing) node(k series.Kind, name string) int {
	d.kinds, d.names, d.edges = append(d.kinds, k), append(d.names, name), append(d.edges, nil)
	return len(d.kinds) - 1
}

func (d *drawing) edge(from int, link series.Link, name string, to int) {
	d.edges[from] = append(d.edges[from], drawn{link, name, to})
}

func (d *drawing) text(s string) uint32 {
	if i := slices.Index(d.texts, s); i >= 0 {
		return uint32(i)
	}
	d.texts = append(d.texts, s)
	return uint32(len(d.texts) - 1)
}

// graph is the drawing in columns; ids count up by two, sizes are 10.
func (d *drawing) graph() *series.Graph {
	g := &series.Graph{First: []uint32{0}, Places: d.at}
	for i, k := range d.kinds {
		g.Kind, g.Name, g.ID, g.Self = append(g.Kind, k), append(g.Name, d.text(d.names[i])), append(g.ID, uint32(2*i+1)), append(g.Self, 10)
		for _, e := range d.edges[i] {
			g.Link, g.LinkName, g.To = append(g.Link, e.link), append(g.LinkName, d.text(e.name)), append(g.To, uint32(e.to))
		}
		g.First = append(g.First, uint32(len(g.To)))
	}
	for _, s := range d.texts {
		g.Strings.Text = append(g.Strings.Text, s...)
		g.Strings.Ends = append(g.Strings.Ends, uint64(len(g.Strings.Text)))
	}
	return g
}

// judged judges a drawing in which these classes grew by 100 in each snapshot.
// The first old nodes are from before.
func (d *drawing) judged(old int, classes ...string) Result {
	s := &series.Series{Language: series.V8, Graph: d.graph(), Base: &series.IDs{}}
	for i, k := range d.kinds[:old] {
		s.Base.Add(uint32(2*i+1), series.Mark(k, 10))
	}
	for i := range 7 {
		s.Points = append(s.Points, series.Point{Name: fmt.Sprint("s", i), Bytes: int64(10000 + 1000*i), Objects: 1000, Work: int64(i * 100)})
		if i > 0 {
			s.Comparable = append(s.Comparable, 1)
		}
	}
	for _, name := range classes {
		r := series.Row{Name: name, Kind: series.Object, Unit: series.Objects}
		for i := range 7 {
			r.Cells = append(r.Cells, series.Cell{Count: int64(100 * i), Bytes: float64(1000 * i)})
		}
		s.Rows = append(s.Rows, r)
	}
	return Judge(s)
}

func only(t *testing.T, res Result) report.Growth {
	t.Helper()
	if len(res.Findings) != 1 {
		t.Fatalf("%d findings: %+v", len(res.Findings), res.Findings)
	}
	return *res.Findings[0].Growth
}

// The table of a Map is new each time it grows; the Map is the owner all the
// same, and what the entries hold goes with them.
func TestMapWithANewTable(t *testing.T) {
	d := draw()
	f, scope, m := d.node(series.Closure, "render"), d.node(series.Object, "system / Context"), d.node(series.Object, "Map")
	old := len(d.kinds)
	table := d.node(series.Array, "")
	d.edge(0, series.Element, "1", f)
	d.edge(f, series.Internal, "context", scope)
	d.edge(scope, series.Context, "pages", m)
	d.edge(m, series.Internal, "table", table)
	for range 500 {
		page, date := d.node(series.Object, "Page"), d.node(series.Object, "Date")
		d.edge(table, series.Internal, "1", page)
		d.edge(page, series.Property, "at", date)
	}
	g := only(t, d.judged(old, "Page", "Date"))
	if g.Name != "Page" || g.Owner != "Map pages in the scope of render()" || !slices.Contains(g.With, "Date") || g.Bytes != 10000 || g.Kind != "unbounded map" {
		t.Errorf("got %+v", g)
	}
}

// What two roots hold has no owner: all the ways to it are told.
func TestTwoRoots(t *testing.T) {
	d := draw()
	global, handles := d.node(series.Object, "global"), d.node(series.Object, "Queue")
	a, b := d.node(series.Object, "Set"), d.node(series.Object, "Array")
	old := len(d.kinds)
	d.edge(0, series.Element, "1", global)
	d.edge(0, series.Element, "2", handles)
	d.edge(global, series.Property, "open", a)
	d.edge(handles, series.Property, "ticks", b)
	for i := range 500 {
		s := d.node(series.Object, "Socket")
		d.edge(a, series.Property, fmt.Sprint("k", i), s)
		d.edge(b, series.Property, fmt.Sprint("t", i), s)
	}
	g := only(t, d.judged(old, "Socket"))
	if g.Owner != "" || len(g.Paths) != 2 || !strings.Contains(g.Why, "all the paths must be cut") || g.Kind != "stream or socket never closed" {
		t.Errorf("got %+v", g)
	}
}

// What the engine holds has no variable: the function that lives with it says where it
// was made, and what Node keeps for it is no leak of its own.
func TestPorts(t *testing.T) {
	d := draw()
	handles := d.node(series.Synthetic, "(Global handles)")
	old := len(d.kinds)
	d.edge(0, series.Element, "1", handles)
	for range 500 {
		port, data := d.node(series.Object, "MessagePort"), d.node(series.Object, "Node / MessagePortData")
		listener, run := d.node(series.Object, "Listener"), d.node(series.Closure, "onAnswer")
		shared, script := d.node(series.Code, ""), d.node(series.Hidden, "/app/jobs.js")
		d.edge(handles, series.Element, "1", port)
		d.edge(handles, series.Element, "2", data)
		d.edge(port, series.Property, "next", listener)
		d.edge(listener, series.Property, "listener", run)
		d.edge(run, series.Internal, "shared", shared)
		d.edge(shared, series.Internal, "script", script)
		d.at = append(d.at, series.Place{Node: uint32(run), Line: 10})
	}
	g := only(t, d.judged(old, "MessagePort", "Node / MessagePortData"))
	if last := g.Paths[0][len(g.Paths[0])-1]; g.Kind != stream.name || last.Where != "/app/jobs.js:10" {
		t.Errorf("got %+v", g)
	}
}

// A list of 20000 listeners must not cost the square of its length, and its owner
// is who holds the list.
func TestLongList(t *testing.T) {
	d := draw()
	target := d.node(series.Object, "EventTarget")
	d.edge(0, series.Element, "1", target)
	last := target
	old := 0
	for i := range 20000 {
		n := d.node(series.Object, "Listener")
		d.edge(last, series.Property, "next", n)
		if i > 0 {
			d.edge(n, series.Property, "previous", last)
		}
		if last = n; i == 5000 {
			old = len(d.kinds)
		}
	}
	g := only(t, d.judged(old, "Listener"))
	if !strings.HasPrefix(g.Owner, "EventTarget") || g.Kind != "listener never removed" || len(g.Paths[0]) > maxSteps {
		t.Errorf("owner %q, kind %q, %d steps", g.Owner, g.Kind, len(g.Paths[0]))
	}
}

// The value of a WeakMap is held by its key, and a weak reference holds nothing.
func TestWhatHoldsNothing(t *testing.T) {
	d := draw()
	weak, table, list := d.node(series.Object, "WeakMap"), d.node(series.Array, ""), d.node(series.Object, "Array")
	old := len(d.kinds)
	d.edge(0, series.Element, "1", weak)
	d.edge(0, series.Element, "2", list)
	d.edge(weak, series.Internal, "table", table)
	for i := range 300 {
		key, value := d.node(series.Object, "Request"), d.node(series.Object, "Note")
		pair := fmt.Sprintf("%d / part of key (Request @%d) -> value (Note @%d) pair in WeakMap (table @%d)", i, 2*key+1, 2*value+1, 2*table+1)
		d.edge(list, series.Property, fmt.Sprint("k", i), key)
		d.edge(key, series.Internal, pair, value)
		d.edge(table, series.Internal, pair, value)
		d.edge(table, series.Weak, "x", key)
	}
	g := only(t, d.judged(old, "Request", "Note"))
	if g.Name != "Request" || !strings.HasPrefix(g.Owner, "Array") || g.Bytes != 6000 {
		t.Errorf("got %+v", g)
	}
}

// A path through a prototype is the last choice: it would blame whoever made the
// class for what somebody else keeps.
func TestPrototypesAreNoPath(t *testing.T) {
	d := draw()
	proto, ctor, scope := d.node(series.Object, "Object"), d.node(series.Closure, "Row"), d.node(series.Object, "system / Context")
	global, wrapper, cache := d.node(series.Object, "global"), d.node(series.Object, "Store"), d.node(series.Object, "Map")
	old := len(d.kinds)
	d.edge(0, series.Element, "1", proto)
	d.edge(proto, series.Property, "constructor", ctor)
	d.edge(ctor, series.Internal, "context", scope)
	d.edge(scope, series.Context, "cache", cache)
	d.edge(0, series.Element, "2", global)
	d.edge(global, series.Property, "store", wrapper)
	d.edge(wrapper, series.Property, "rows", cache)
	for i := range 300 {
		d.edge(cache, series.Property, fmt.Sprint("k", i), d.node(series.Object, "Row"))
	}
	if g := only(t, d.judged(old, "Row")); g.Owner != "Map rows of Store store of global" {
		t.Errorf("owner %q by %v", g.Owner, g.Paths)
	}
}

// Few snapshots tell who holds what grew, and convict nobody.
func TestFewSnapshots(t *testing.T) {
	d := draw()
	m := d.node(series.Object, "Map")
	d.edge(0, series.Element, "1", m)
	for i := range 300 {
		d.edge(m, series.Property, fmt.Sprint("k", i), d.node(series.Object, "Row"))
	}
	s := &series.Series{Language: series.V8, Graph: d.graph(), Comparable: []float64{1, 1}}
	r := series.Row{Name: "Row", Kind: series.Object, Unit: series.Objects}
	for i := range 3 {
		s.Points = append(s.Points, series.Point{Bytes: int64(1000 * i), Work: int64(i)})
		r.Cells = append(r.Cells, series.Cell{Count: int64(150 * i), Bytes: float64(1500 * i)})
	}
	s.Rows = []series.Row{r}
	res := Judge(s)
	if res.Verdict != report.Unknown || len(res.Findings) != 0 || len(res.Heap.Growths) != 1 || !strings.HasPrefix(res.Heap.Growths[0].Owner, "Map") {
		t.Errorf("%s, %+v", res.Verdict, res.Heap.Growths)
	}
}
