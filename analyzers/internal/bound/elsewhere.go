package bound

import (
	"go/ast"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// elsewhere are the bounds in other files of the program: of its own package and of
// those that the file imports, in the functions that f hands something to, by their
// names, and in what those call in turn. Types are not known, so a function of the same name in one
// of these packages counts as well. A package of caches that is no part of the program
// is known by its name.
func (p *Program) elsewhere(g *goFile, f *ast.FuncDecl) []Sign {
	var all []Sign
	names := puts(f)
	for _, name := range p.beside(g) {
		other := p.file(name)
		if other == nil || other == g {
			continue
		}
		for _, call := range names {
			for _, called := range other.functions[callee(call)] {
				found := other.bounds(called)
				for _, next := range other.called(called) {
					found = append(found, other.bounds(next)...)
				}
				all = append(all, other.signs(found, nil)...)
			}
		}
	}
	if s, ok := g.kept(names); ok {
		all = append(all, s)
	}
	return all
}

// puts are the calls of a function that hand something to one that may keep it.
func puts(f *ast.FuncDecl) []*ast.CallExpr {
	var all []*ast.CallExpr
	ast.Inspect(f.Body, func(n ast.Node) bool {
		if c, ok := n.(*ast.CallExpr); ok && len(c.Args) > 0 && putting.MatchString(callee(c)) {
			all = append(all, c)
		}
		return true
	})
	return all
}

// beside are the files of the program in the folder of a file and in those of the
// packages that it imports, in order.
func (p *Program) beside(g *goFile) []string {
	own := filepath.ToSlash(filepath.Dir(g.name))
	var all []string
	for name := range p.text {
		dir := filepath.ToSlash(filepath.Dir(name))
		if dir == own || slices.ContainsFunc(g.imports(), func(of string) bool { return folderOf(dir, of) }) {
			all = append(all, name)
		}
	}
	slices.Sort(all)
	return all
}

func (g *goFile) imports() []string {
	var all []string
	for _, i := range g.tree.Imports {
		if of, err := strconv.Unquote(i.Path.Value); err == nil {
			all = append(all, of)
		}
	}
	return all
}

// folderOf reports whether a folder may be that of a package, by the last two elements
// of its path. A package of the standard library is in none of the program's.
func folderOf(dir, of string) bool {
	parts := strings.Split(of, "/")
	n := len(parts)
	return n > 1 && strings.HasSuffix(dir, "/"+parts[n-2]+"/"+parts[n-1])
}

// Caches are names of packages whose caches have a bound.
var Caches = regexp.MustCompile(`(?i)(?:^|[/.])[\w-]*lru[\w-]*(?:[/.]|$)|ristretto|bigcache|freecache|ttlcache|/otter(?:[/.]|$)`)

// putting are the names of functions that keep what they are given.
var putting = regexp.MustCompile(`(?i)^(?:add|append|cache|contains?OrAdd|enqueue|getOr|insert|keep|loadOrStore|log|note|observe|peekOrAdd|publish|push|put|record|register|remember|save|send|set|store|track|write)`)

// storing are the names of the methods of caches that put something into them.
var storing = regexp.MustCompile(`^(?:Add|Set|Put|Store|ContainsOrAdd|PeekOrAdd|GetOrSet|LoadOrStore)`)

// kept is a call that puts something into a cache of a package with a bound, where the
// file imports one.
func (g *goFile) kept(names []*ast.CallExpr) (Sign, bool) {
	of := slices.IndexFunc(g.imports(), Caches.MatchString)
	at := slices.IndexFunc(names, func(c *ast.CallExpr) bool { return storing.MatchString(callee(c)) })
	if of < 0 || at < 0 {
		return Sign{}, false
	}
	return Sign{File: g.name, Line: g.line(names[at]), Does: "puts it into what bounds itself, by its name: " + g.imports()[of]}, true
}
