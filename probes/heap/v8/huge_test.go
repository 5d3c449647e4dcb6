//go:build huge

package v8

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

// TestHuge reads a file of more than 4 GB whose strings alone are longer than 32
// bits count, and one whose rows are. It needs 5 GB of disk and 8 GB of memory:
//
//	go test -tags huge -run Huge -timeout 30m ./probes/heap/v8
func TestHuge(t *testing.T) {
	tests := []struct {
		name           string
		objects, edges int // of each object
		text           int // bytes of each string
	}{
		{"strings", 2_200_000, 1, 2000},
		{"rows", 66_000_000, 3, 1},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "huge.heapsnapshot")
			size := huge(t, path, tt.objects, tt.edges, tt.text)
			if size <= 1<<32 {
				t.Fatalf("the file has %d bytes only", size)
			}
			f, err := os.Open(path)
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
			g, c, err := Read(f)
			if err != nil {
				t.Fatal(err)
			}
			last := uint32(tt.objects)
			if g.Nodes() != tt.objects+1 || len(g.To) != (tt.objects+1)*tt.edges || c.Objects != int64(tt.objects)+1 || g.To[len(g.To)-1] != last {
				t.Errorf("%d nodes, %d edges, the last to %d", g.Nodes(), len(g.To), g.To[len(g.To)-1])
			}
			if tally := c.Classes[Class{Kind: 3, Name: "Small"}]; tally.Count != int64(tt.objects) || tally.Bytes != 24*int64(tt.objects) {
				t.Errorf("%+v of Small", tally)
			}
			if got := g.Strings.At(uint32(len(g.Strings.Ends) - 1)); !strings.HasSuffix(got, "end") {
				t.Errorf("the last string ends in %q", got[max(0, len(got)-9):])
			}
			var use syscall.Rusage
			if err := syscall.Getrusage(syscall.RUSAGE_SELF, &use); err != nil {
				t.Fatal(err)
			}
			t.Logf("%d MB read, peak memory so far %d MB (%.2f of the file)", size>>20, use.Maxrss>>10, float64(use.Maxrss)*1024/float64(size))
			if use.Maxrss*1024 > 3*size {
				t.Errorf("more than three times the file in memory")
			}
		})
	}
}

// huge writes a root and that many objects, each with edges to itself and to its
// neighbours, and a string for each thousandth, or for each where they are long.
func huge(t *testing.T, path string, objects, edges, text int) int64 {
	t.Helper()
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	w := bufio.NewWriterSize(f, 1<<20)
	fmt.Fprintf(w, `{"snapshot":%s,"nodes":[`, meta(seven, objects+1, (objects+1)*edges))
	var row []byte
	for i := range objects + 1 {
		row = row[:0]
		if i > 0 {
			row = append(row, ',')
		}
		row = append(row, "3,1,"...)
		if i == 0 {
			row = append(row[:0], "9,0,"...)
		}
		row = strconv.AppendInt(row, int64(2*i+1), 10)
		row = append(row, ",24,"...)
		row = strconv.AppendInt(row, int64(edges), 10)
		row = append(row, ",0,0\n"...)
		_, _ = w.Write(row) // an error comes with Flush
	}
	_, _ = w.WriteString("],\n\"edges\":[")
	for i := range objects + 1 {
		for e := range edges {
			row = row[:0]
			if i+e > 0 {
				row = append(row, ',')
			}
			row = append(row, "2,1,"...)
			row = strconv.AppendInt(row, 7*int64(min(i+e, objects)), 10)
			row = append(row, '\n')
			_, _ = w.Write(row)
		}
	}
	_, _ = w.WriteString("],\n\"locations\":[],\n\"strings\":[\"\",\n\"Small\"")
	long := []byte(strings.Repeat("x", text))
	count := 2
	if text > 1000 {
		count = objects
	}
	for range count {
		_, _ = w.WriteString(",\n\"")
		_, _ = w.Write(long)
		_, _ = w.WriteString("\"")
	}
	_, _ = w.WriteString(",\n\"the end\"]}\n")
	if err := w.Flush(); err != nil {
		t.Fatal(err)
	}
	info, err := f.Stat()
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	return info.Size()
}
