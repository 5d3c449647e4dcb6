package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"strings"
	"testing"

	"golang.org/x/tools/go/packages"
)

// The systems of a release that tests do not run on. All packages of ccheck are
// type-checked for them, tests too; compiling and linking, which finds nothing
// more here, takes ten times as long.
func TestOtherSystemsTypeCheck(t *testing.T) {
	for _, goos := range []string{"darwin", "windows"} {
		t.Run(goos, func(t *testing.T) {
			t.Parallel()
			for _, fault := range faults(t, goos, "./...") {
				t.Error(fault)
			}
		})
	}
}

// A check that finds nothing says as little as one that looks at nothing.
func TestOtherSystemsFaultIsFound(t *testing.T) {
	found := faults(t, "windows", "./cmd/ccheck/testdata/unixonly")
	if len(found) != 1 || !strings.Contains(found[0].Msg, "Kill") {
		t.Errorf("faults of a package that calls syscall.Kill, for Windows: %v", found)
	}
}

// faults returns the type errors of ccheck's packages on a system. What they
// import is read without the bodies of its functions.
func faults(t *testing.T, goos, pattern string) []packages.Error {
	t.Helper()
	const root = "../.."
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	own := strings.TrimSuffix(dir, "cmd/ccheck")
	loaded, err := packages.Load(&packages.Config{
		Dir:   root,
		Env:   append(os.Environ(), "GOOS="+goos, "CGO_ENABLED=0"),
		Tests: true,
		Mode: packages.NeedName | packages.NeedFiles | packages.NeedCompiledGoFiles | packages.NeedImports |
			packages.NeedDeps | packages.NeedTypes | packages.NeedTypesSizes,
		ParseFile: func(fset *token.FileSet, name string, src []byte) (*ast.File, error) {
			file, err := parser.ParseFile(fset, name, src, parser.SkipObjectResolution)
			if file != nil && !strings.HasPrefix(name, own) {
				dropBodies(file)
			}
			return file, err
		},
	}, pattern)
	if err != nil {
		t.Fatal(err)
	}
	if len(loaded) == 0 {
		t.Fatalf("no package matches %s", pattern)
	}
	var found []packages.Error
	for _, p := range loaded {
		found = append(found, p.Errors...)
	}
	return found
}

func dropBodies(file *ast.File) {
	for _, decl := range file.Decls {
		f, ok := decl.(*ast.FuncDecl)
		if ok && f.Name.Name != "init" && f.Name.Name != "main" && f.Type.TypeParams == nil {
			f.Body = nil
		}
	}
}
