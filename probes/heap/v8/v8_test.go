package v8

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"

	"github.com/ccheck/ccheck/probes/heap/series"
)

// meta writes a header with these columns of nodes.
func meta(fields string, nodes, edges int) string {
	types := strings.Repeat(`"number",`, strings.Count(fields[:strings.Index(fields, `"type"`)], ","))
	return fmt.Sprintf(`{"meta":{"node_fields":[%s],"node_types":[%s["hidden","array","string","object","code","closure","regexp","number","native","synthetic"]],`+
		`"edge_fields":["type","name_or_index","to_node"],"edge_types":[["context","element","property","internal","hidden","shortcut","weak"],"string_or_number","node"],`+
		`"location_fields":["object_index","script_id","line","column"]},"node_count":%d,"edge_count":%d}`, fields, types, nodes, edges)
}

// The columns that Node 20 writes, and those of engines before detachedness.
const (
	seven = `"type","name","id","self_size","edge_count","trace_node_id","detachedness"`
	six   = `"type","name","id","self_size","edge_count","trace_node_id"`
	mixed = `"detachedness","id","edge_count","type","more","self_size","name"` // of an engine that there is not
)

// snapshot is the root, a Map with two entries of Foo, one of which is weak.
func snapshot(fields string) string {
	rows := map[string]string{
		seven: "9,0,1,0,1,0,0,\n3,1,3,32,2,0,0,\n3,2,5,16,0,0,0,\n3,2,7,16,0,0,0",
		six:   "9,0,1,0,1,0,\n3,1,3,32,2,0,\n3,2,5,16,0,0,\n3,2,7,16,0,0",
		mixed: "0,1,1,9,0,0,0,\n0,3,2,3,0,32,1,\n0,5,0,3,0,16,2,\n0,7,0,3,0,16,2",
	}
	width := strings.Count(fields, ",") + 1
	return fmt.Sprintf(`{"snapshot":%s,"nodes":[%s],"edges":[2,3,%d,1,0,%d,6,1,%d],"trace_function_infos":[],"trace_tree":[],"samples":[],`+
		`"locations":[%d,5,0,7],"strings":["","Map","Foo","caf\u00e9 \ud83d\ude00\n"]}`,
		meta(fields, 4, 3), rows[fields], width, 2*width, 3*width, 2*width)
}

// TestColumns reads the same heap from every layout.
func TestColumns(t *testing.T) {
	for _, fields := range []string{seven, six, mixed} {
		for name, wrap := range map[string]func(string) *Census{"graph": func(text string) *Census {
			g, c, err := Read(strings.NewReader(text))
			if err != nil {
				t.Fatal(err)
			}
			want := &series.Graph{
				Kind: []series.Kind{series.Synthetic, series.Object, series.Object, series.Object}, Name: []uint32{0, 1, 2, 2},
				ID: []uint32{1, 3, 5, 7}, Self: []uint32{0, 32, 16, 16}, First: []uint32{0, 1, 3, 3, 3},
				Link: []series.Link{series.Property, series.Element, series.Weak}, LinkName: []uint32{3, 0, 1}, To: []uint32{1, 2, 3},
				Strings: g.Strings, Places: []series.Place{{Node: 2, Script: 5, Line: 1, Column: 8}},
			}
			if diff := cmp.Diff(want, g); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
			if got := g.Strings.At(3); got != "café 😀\n" {
				t.Errorf("the string is %q", got)
			}
			return c
		}, "census": func(text string) *Census {
			c, err := ReadCensus(iotest.OneByteReader(strings.NewReader(text)))
			if err != nil {
				t.Fatal(err)
			}
			return c
		}} {
			t.Run(name, func(t *testing.T) {
				c := wrap(snapshot(fields))
				want := map[Class]Tally{{series.Synthetic, ""}: {1, 0}, {series.Object, "Map"}: {1, 32}, {series.Object, "Foo"}: {2, 32}}
				if diff := cmp.Diff(want, c.Classes); diff != "" {
					t.Errorf("(-want +got)\n%s", diff)
				}
				if c.Objects != 4 || c.Bytes != 64 || !c.IDs.Has(7, series.Mark(series.Object, 16)) {
					t.Errorf("%d objects, %d bytes", c.Objects, c.Bytes)
				}
			})
		}
	}
}

func TestBadInput(t *testing.T) {
	whole := snapshot(seven)
	tests := []struct {
		name, text string
		want       error
		says       string
	}{
		{"empty", "", ErrTruncated, "empty"},
		{"no JSON", "heap profile: 1", ErrForeign, ""},
		{"other JSON", `{"nodes":[]}`, ErrForeign, ""},
		{"a list", `[1]`, ErrForeign, ""},
		{"no columns", `{"snapshot":{"meta":{}},"nodes":[]}`, ErrForeign, "no column"},
		{"header of another type", `{"snapshot":7}`, ErrForeign, ""},
		{"cut in the nodes", whole[:strings.Index(whole, "3,2,7")], ErrTruncated, ""},
		{"cut in a string", whole[:len(whole)-10], ErrTruncated, ""},
		{"cut before the last bracket", whole[:len(whole)-1], ErrTruncated, ""},
		{"a node is missing", strings.Replace(whole, ",\n3,2,7,16,0,0,0", "", 1), nil, ""},
		{"half a row", strings.Replace(whole, "3,2,7,16,0,0,0", "3,2,7", 1), nil, "half a row"},
		{"an edge to nowhere", strings.Replace(whole, "6,1,21", "6,1,700", 1), nil, "there is not"},
		{"an edge into a row", strings.Replace(whole, "6,1,21", "6,1,22", 1), nil, "there is not"},
		{"fewer edges than said", strings.Replace(whole, ",6,1,21", "", 1), ErrTruncated, "references"},
		{"a fraction", strings.Replace(whole, "3,2,7,16", "3,2,7.5,16", 1), nil, "not whole"},
		{"a huge number", strings.Replace(whole, "3,2,7,16", "3,2,77777777777777777777777,16", 1), nil, "20 digits"},
		{"a word", strings.Replace(whole, "3,2,7,16", "3,2,null,16", 1), nil, "whole numbers"},
		{"a bad escape", strings.Replace(whole, `\n"`, `\x"`, 1), nil, "escape"},
		{"no strings", strings.Replace(whole, `,"strings":["","Map","Foo","caf\u00e9 \ud83d\ude00\n"]`, "", 1), ErrTruncated, "no strings"},
		{"deep", `{"snapshot":` + meta(seven, 0, 0) + `,"x":` + strings.Repeat("[", 5000), nil, "deep"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, _, err := Read(strings.NewReader(tt.text))
			if err == nil || tt.want != nil && !errors.Is(err, tt.want) || !strings.Contains(err.Error(), tt.says) {
				t.Errorf("got %v", err)
			}
		})
	}
}

// TestLies bounds what a small file can make the reader allocate.
func TestLies(t *testing.T) {
	for _, text := range []string{
		strings.Replace(snapshot(seven), `"node_count":4,"edge_count":3`, `"node_count":4,"edge_count":4000000000`, 1),
		strings.Replace(snapshot(seven), "3,2,7,16", "3,268435455,4294967295,16", 1),
	} {
		got := testing.Benchmark(func(b *testing.B) {
			for b.Loop() {
				_, _, _ = Read(strings.NewReader(text))
			}
		})
		if got.AllocedBytesPerOp() > 64<<20 {
			t.Errorf("%d bytes of input make it allocate %d MB", len(text), got.AllocedBytesPerOp()>>20)
		}
	}
}

func FuzzRead(f *testing.F) {
	for _, fields := range []string{seven, six, mixed} {
		f.Add([]byte(snapshot(fields)))
	}
	f.Add([]byte(`{"snapshot":{"meta":{}}}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		g, c, err := Read(bytes.NewReader(data))
		light, lightErr := ReadCensus(bytes.NewReader(data))
		if err != nil {
			return
		}
		if lightErr != nil {
			t.Fatalf("whole it can be read, light it cannot: %v", lightErr)
		}
		if diff := cmp.Diff(c.Classes, light.Classes); diff != "" {
			t.Errorf("the counts differ (-whole +light)\n%s", diff)
		}
		for n := range g.Nodes() {
			for e := g.First[n]; e < g.First[n+1]; e++ {
				if int(g.To[e]) >= g.Nodes() || g.From(e) != uint32(n) {
					t.Fatalf("edge %d leads from %d to %d", e, g.From(e), g.To[e])
				}
			}
			_ = g.Text(uint32(n))
		}
	})
}
