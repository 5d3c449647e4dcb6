package flow

import (
	"go/ast"
	"go/token"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"
)

// largestSQL is the size, in bytes, of an embedded file that can be a statement.
const largestSQL = 64 << 10

// embedded adds the texts of the string variables that //go:embed fills from a
// file of SQL. A file that cannot be read is none: the compiler will say so. A
// pass lends no embedded files, so that they are read from the disk.
func embedded(pass *analysis.Pass, pkg *ssa.Package, into map[string]Constant) {
	for _, f := range pass.Files {
		dir := filepath.Dir(pass.Fset.Position(f.FileStart).Filename)
		for _, d := range f.Decls {
			decl, ok := d.(*ast.GenDecl)
			if !ok || decl.Tok != token.VAR {
				continue
			}
			for _, s := range decl.Specs {
				spec := s.(*ast.ValueSpec)
				name := embeddedFile(decl, spec)
				if name == "" || len(spec.Names) != 1 {
					continue
				}
				g := pkg.Var(spec.Names[0].Name)
				text, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(name)))
				if g != nil && err == nil && len(text) <= largestSQL && isString(pass.TypesInfo.Defs[spec.Names[0]].Type()) {
					into[g.String()] = Constant{Name: g.String(), Text: string(text)}
				}
			}
		}
	}
}

// embeddedFile is the one file of SQL that the comment above a variable names,
// "" when there is none.
func embeddedFile(decl *ast.GenDecl, spec *ast.ValueSpec) string {
	for _, doc := range []*ast.CommentGroup{spec.Doc, decl.Doc} {
		if doc == nil {
			continue
		}
		for _, c := range doc.List {
			name, ok := strings.CutPrefix(c.Text, "//go:embed ")
			if name = strings.Trim(strings.TrimSpace(name), "\"`"); ok && strings.HasSuffix(name, ".sql") && !strings.ContainsAny(name, "*?[ ") {
				return name
			}
		}
	}
	return ""
}
