package exportdata_test

import (
	"bytes"
	"go/token"
	"go/types"
	"io"
	"os"
	"slices"
	"testing"

	"golang.org/x/tools/go/gcexportdata"
	"golang.org/x/tools/go/packages"

	"github.com/ccheck/ccheck/analyzers/internal/exportdata"
)

// compiled are packages with all that they import, imports first.
func compiled(t testing.TB) []*packages.Package {
	t.Helper()
	cfg := &packages.Config{Mode: packages.NeedName | packages.NeedExportFile | packages.NeedImports | packages.NeedDeps}
	roots, err := packages.Load(cfg, "net/http", "database/sql", "golang.org/x/tools/go/ssa")
	if err != nil || packages.PrintErrors(roots) > 0 {
		t.Fatal(err)
	}
	var all []*packages.Package
	packages.Visit(roots, nil, func(p *packages.Package) {
		if p.ExportFile != "" && p.PkgPath != "unsafe" {
			all = append(all, p)
		}
	})
	return all
}

func data(t testing.TB, p *packages.Package) []byte {
	t.Helper()
	f, err := os.Open(p.ExportFile)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	r, err := gcexportdata.NewReader(f) //lint:ignore SA1019 a compiler's archive is what go list -export names
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// world is what was read so far.
type world map[string]*types.Package

func (w world) known(path, name string) bool {
	p := w[path]
	return p != nil && p.Complete() && p.Scope().Lookup(name) != nil
}

func (w world) read(t *testing.T, p *packages.Package, text []byte) {
	t.Helper()
	if _, err := gcexportdata.Read(bytes.NewReader(text), token.NewFileSet(), w, p.PkgPath); err != nil {
		t.Fatalf("%s: %v", p.PkgPath, err)
	}
}

// declarations are the objects of a package in words, with fields and methods.
func declarations(p *types.Package) []string {
	var all []string
	for _, name := range p.Scope().Names() {
		o := p.Scope().Lookup(name)
		all = append(all, o.String())
		if n, ok := o.Type().(*types.Named); ok {
			all = append(all, n.Underlying().String())
			for m := range n.Methods() {
				all = append(all, m.String())
			}
		}
	}
	for _, i := range p.Imports() {
		all = append(all, "import "+i.Path())
	}
	return all
}

func TestOwnSaysTheSame(t *testing.T) {
	whole, small := world{}, world{}
	before, after := 0, 0
	for _, p := range compiled(t) {
		text := data(t, p)
		if text[0] != 'u' {
			t.Fatalf("%s is laid out as %q, of which nothing is left out: has this package become useless?", p.PkgPath, text[0])
		}
		own := exportdata.Own(text, small.known)
		before, after = before+len(text), after+len(own)
		whole.read(t, p, text)
		small.read(t, p, own)
		if want, got := declarations(whole[p.PkgPath]), declarations(small[p.PkgPath]); !slices.Equal(want, got) {
			t.Errorf("%s: %q, want %q", p.PkgPath, got, want)
		}
	}
	if after > before/2 {
		t.Errorf("%d bytes of %d are left, want less than half", after, before)
	}
}

// Nothing of what is not known may be missing.
func TestOwnAlone(t *testing.T) {
	for _, p := range compiled(t) {
		text := data(t, p)
		whole, alone := world{}, world{}
		whole.read(t, p, text)
		alone.read(t, p, exportdata.Own(text, func(string, string) bool { return false }))
		for path := range whole {
			if !slices.Equal(declarations(whole[path]), declarations(alone[path])) {
				t.Errorf("%s, from %s: %q, want %q", path, p.PkgPath, declarations(alone[path]), declarations(whole[path]))
			}
		}
	}
}

func FuzzOwn(f *testing.F) {
	for _, p := range compiled(f) {
		if text := data(f, p); len(text) < 8<<10 {
			f.Add(text)
		}
	}
	f.Add([]byte("u"))
	f.Fuzz(func(t *testing.T, text []byte) {
		own := exportdata.Own(text, func(_, name string) bool { return len(name)%2 == 0 })
		if again := exportdata.Own(own, func(string, string) bool { return false }); len(again) > len(own) {
			t.Errorf("%d bytes grow to %d", len(own), len(again))
		}
	})
}
