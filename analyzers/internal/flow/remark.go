package flow

import (
	"go/ast"
	"strings"
)

// remark is what the comments on the line of a place, just above it, and above
// the function around it say.
func (b *builder) remark(at Pos) string {
	var texts []string
	for _, f := range b.pass.Files {
		if b.pos(f.FileStart).File != at.File {
			continue
		}
		for _, c := range f.Comments {
			if end := b.pos(c.End()).Line; end == at.Line || end == at.Line-1 {
				texts = append(texts, c.Text())
			}
		}
		for _, d := range f.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if ok && fn.Doc != nil && b.pos(fn.Pos()).Line <= at.Line && at.Line <= b.pos(fn.End()).Line {
				texts = append(texts, fn.Doc.Text())
			}
		}
	}
	return strings.Join(texts, " ")
}
