package heap

import (
	"go/parser"
	"go/token"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// neighbours adds to the Go files that stacks name those of their packages, and of the
// packages of the same module that they import: what bounds a cache is seldom on the
// stack of what is put into it.
func neighbours(names map[string]bool) {
	m := modules{}
	for _, file := range slices.Sorted(maps.Keys(names)) {
		if !strings.HasSuffix(file, ".go") || !filepath.IsAbs(file) || ofModuleCache(file) {
			continue
		}
		folders := []string{filepath.Dir(file)}
		if text, ok := source(file); ok {
			folders = append(folders, m.imported(file, text)...)
		}
		for _, dir := range folders {
			all, _ := filepath.Glob(filepath.Join(dir, "*.go")) // the pattern is malformed: no files
			for _, other := range all {
				if !strings.HasSuffix(other, "_test.go") && len(names) < mostFiles {
					names[other] = true
				}
			}
		}
	}
}

// ofModuleCache reports whether a file is of a module that was downloaded.
func ofModuleCache(file string) bool { return strings.Contains(file, "/pkg/mod/") }

// module is the path of a Go module and the folder of its go.mod.
type module struct{ path, root string }

// modules are the modules by folders in them.
type modules map[string]module

// of finds the module of a folder, the zero module for none.
func (m modules) of(dir string) module {
	if known, ok := m[dir]; ok {
		return known
	}
	found := module{}
	if text, ok := source(filepath.Join(dir, "go.mod")); ok {
		found = module{modulePath(text), dir}
	} else if up := filepath.Dir(dir); up != dir {
		found = m.of(up)
	}
	m[dir] = found
	return found
}

// modulePath reads the module line of a go.mod, "" for none.
func modulePath(text string) string {
	for line := range strings.Lines(text) {
		if words := strings.Fields(line); len(words) >= 2 && words[0] == "module" {
			return strings.Trim(words[1], `"`)
		}
	}
	return ""
}

// imported are the folders of the packages of its own module that a file imports.
func (m modules) imported(file, text string) []string {
	own := m.of(filepath.Dir(file))
	tree, _ := parser.ParseFile(token.NewFileSet(), file, text, parser.ImportsOnly) // half a file is better than none
	if own.path == "" || tree == nil {
		return nil
	}
	var all []string
	for _, i := range tree.Imports {
		of, err := strconv.Unquote(i.Path.Value)
		if rest, ok := strings.CutPrefix(of, own.path+"/"); ok && err == nil {
			all = append(all, filepath.Join(own.root, filepath.FromSlash(rest)))
		}
	}
	return all
}
