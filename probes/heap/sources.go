package heap

import (
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/ccheck/ccheck/probes/heap/series"
)

// Bounds of what is read of the sources: one file, all, and their number. A
// bundle is no source that somebody wrote.
const (
	mostSource  = 2 << 20
	mostSources = 64 << 20
	mostFiles   = 2000
)

// sources reads the files of the program that a series names, where they are on
// this machine.
func sources(s *series.Series) []series.Source {
	names := scripts(s.Graph)
	for _, r := range s.Rows {
		for _, f := range r.Stack {
			if strings.HasSuffix(f.File, ".go") && !ofToolchain(f.File) {
				names[f.File] = true
			}
		}
	}
	neighbours(names)
	var all []series.Source
	sum := 0
	for _, name := range slices.Sorted(maps.Keys(names)) {
		text, ok := source(strings.TrimPrefix(name, "file://"))
		if sum += len(text); sum > mostSources || len(all) == mostFiles {
			break
		}
		if ok {
			all = append(all, series.Source{File: name, Text: text})
		}
	}
	return all
}

// scripts are the files of the functions of a V8 heap: V8 gives a script the name
// of its file.
func scripts(g *series.Graph) map[string]bool {
	names := map[string]bool{}
	if g == nil {
		return names
	}
	used := make([]bool, len(g.Strings.Ends))
	for n, k := range g.Kind {
		if name := g.Name[n]; (k == series.Code || k == series.Hidden) && int(name) < len(used) {
			used[name] = true
		}
	}
	for i, ok := range used {
		if !ok {
			continue
		}
		switch name := g.Strings.At(uint32(i)); filepath.Ext(name) {
		case ".js", ".cjs", ".mjs", ".ts", ".cts", ".mts", ".jsx", ".tsx":
			names[name] = true
		}
	}
	return names
}

// ofToolchain reports whether a file is one of Go itself.
func ofToolchain(file string) bool {
	return strings.Contains(file, "/go/src/") && !strings.Contains(file, "/go/src/github.com/") || strings.Contains(file, "/golang.org/toolchain@")
}

// source reads a regular file that is named from the root, unless it is too large.
func source(path string) (string, bool) {
	if !filepath.IsAbs(path) {
		return "", false
	}
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() || info.Size() > mostSource {
		return "", false
	}
	f, err := os.Open(path)
	if err != nil {
		return "", false
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, mostSource))
	return string(text), err == nil
}
