package flow

import (
	"go/constant"
	"go/types"
	"regexp"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// hole stands in a text for what is not known before the program runs. It is an
// identifier, so that a statement stays readable.
const hole = "ccheck_hole"

// textOf is the text that a description stands for: constants folded, holes for
// the rest; "" when nothing of it is known.
func textOf(d Desc) string {
	text, known := fold(d)
	if !known {
		return ""
	}
	return text
}

func fold(d Desc) (text string, known bool) {
	switch {
	case d.Root == Const && d.Path == "":
		return d.Name, true
	case d.Root == Expr && d.Name == "+":
		return join(d.Args)
	case d.Root == Expr && strings.HasPrefix(d.Name, "fmt.Sprint") && len(d.Args) > 0:
		return format(d.Args)
	case d.Root == Expr && (d.Name == "strings.TrimSpace" || d.Name == "strings.ToLower") && len(d.Args) == 1:
		return fold(d.Args[0])
	case d.Root == Unknown && d.Name == "phi":
		return longest(d.Args)
	}
	return standIn(d), false
}

// tableField are names of fields that hold the name of a table.
var tableField = regexp.MustCompile(`(?i)^[a-z_]*(table|relation)(_?name)?$`)

// standIn is a hole, or for a field that holds the name of a table a name that
// is the same wherever the field is used: "store_table".
func standIn(d Desc) string {
	class := d.Class[strings.LastIndexByte(d.Class, '/')+1:]
	parts := strings.Split(class, ".")
	if len(parts) != 3 || !tableField.MatchString(parts[2]) {
		return hole
	}
	return strings.ToLower(parts[1] + "_" + parts[2])
}

func join(ds []Desc) (string, bool) {
	var b strings.Builder
	any := false
	for _, d := range ds {
		text, known := fold(d)
		b.WriteString(text)
		any = any || known
	}
	return b.String(), any
}

// longest is the most that a text can become: of two versions of a statement
// the one with more clauses says more.
func longest(ds []Desc) (string, bool) {
	best, any := "", false
	for _, d := range ds {
		if text, known := fold(d); known && len(text) > len(best) {
			best, any = text, true
		}
	}
	return best, any
}

// format does what Sprintf does, as far as the arguments are known.
func format(args []Desc) (string, bool) {
	layout, known := fold(args[0])
	if !known {
		return "", false
	}
	var b strings.Builder
	next := 1
	for i := 0; i < len(layout); i++ {
		if layout[i] != '%' || i+1 == len(layout) {
			b.WriteByte(layout[i])
			continue
		}
		i++
		for i < len(layout)-1 && strings.IndexByte("+-# 0123456789.[]*", layout[i]) >= 0 {
			i++
		}
		if layout[i] == '%' {
			b.WriteByte('%')
			continue
		}
		text := hole
		if next < len(args) {
			text, _ = fold(args[next])
		}
		next++
		b.WriteString(text)
	}
	return b.String(), true
}

// constText is a constant as a program would print it.
func constText(c *ssa.Const) string {
	if c.Value == nil {
		return "nil"
	}
	if c.Value.Kind() == constant.String {
		return constant.StringVal(c.Value)
	}
	return c.Value.ExactString()
}

func isString(t types.Type) bool {
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Info()&types.IsString != 0
}

func isError(t types.Type) bool {
	return types.Identical(t, types.Universe.Lookup("error").Type())
}
