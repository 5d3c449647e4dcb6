package flow

import (
	"go/types"
	"reflect"
	"strconv"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/ccheck/ccheck/analyzers/internal/libs"
)

func (m *maker) field(x ssa.Value, n int) Desc {
	if embedsHandle(x.Type(), n) || libs.HandleOf(x.Type()) != libs.NoHandle && libs.Entity(structField(x.Type(), n)) {
		return m.desc(x)
	}
	name, class := fieldName(x.Type(), n)
	root, base := address(x)
	if d, ok := m.returned(root, n)["."+name]; ok && base == "" {
		return d
	}
	if text := m.b.fields[class]; isSQL(text) && isString(structField(x.Type(), n)) {
		return Desc{Root: Const, Name: text}
	}
	d := m.desc(x).Part("." + name)
	d.Class = class
	if w := m.b.wires[class]; w.known {
		d.Handle, d.Given = w.handle, w.name
	}
	return d
}

// returned names the fields of what a function made and returned, also where it was
// put into a variable of which nobody has set the field since.
func (m *maker) returned(root ssa.Value, n int) map[string]Desc {
	a, ok := root.(*ssa.Alloc)
	if !ok {
		return m.shape(root)
	}
	for _, r := range *a.Referrers() {
		switch r := r.(type) {
		case *ssa.FieldAddr:
			if r.Field == n && written(r) {
				return nil
			}
		case *ssa.Store, *ssa.UnOp, *ssa.DebugRef:
		default:
			return nil // its address goes somewhere
		}
	}
	if from := m.copied(a); from != nil {
		return m.shape(from)
	}
	return nil
}

func structField(t types.Type, n int) types.Type {
	if p, ok := t.Underlying().(*types.Pointer); ok {
		t = p.Elem()
	}
	if st, ok := t.Underlying().(*types.Struct); ok {
		return st.Field(n).Type()
	}
	return types.Typ[types.Invalid]
}

// isSQL reports whether a text in a field is a statement: other texts are names
// that somebody may set later.
func isSQL(text string) bool {
	verb, _, ok := strings.Cut(strings.TrimSpace(text), " ")
	switch strings.ToUpper(verb) {
	case "SELECT", "INSERT", "UPDATE", "DELETE", "WITH":
		return ok
	}
	return false
}

// embedsHandle reports whether a field is the handle inside of a handle, as
// *sql.Tx is in sqlx.Tx: both are one.
func embedsHandle(t types.Type, n int) bool {
	if libs.HandleOf(t) == libs.NoHandle {
		return false
	}
	if p, ok := t.Underlying().(*types.Pointer); ok {
		t = p.Elem()
	}
	st, ok := t.Underlying().(*types.Struct)
	return ok && st.Field(n).Embedded() && libs.HandleOf(st.Field(n).Type()) != libs.NoHandle
}

// fieldName is the name of a field: the column, where a tag names one. class is
// the declaration.
func fieldName(t types.Type, n int) (name, class string) {
	if p, ok := t.Underlying().(*types.Pointer); ok {
		t = p.Elem()
	}
	st, ok := t.Underlying().(*types.Struct)
	if !ok {
		return strconv.Itoa(n), ""
	}
	f := st.Field(n)
	if tn := libs.TypeName(t); tn != "" {
		class = libs.Path(t) + "." + tn + "." + f.Name()
	}
	if c := columnTag(st.Tag(n)); c != "" {
		return c, class
	}
	return f.Name(), class
}

// columnTag is the column that a tag of sqlx, bun, pgx, xorm or gorm names.
func columnTag(tag string) string {
	st := reflect.StructTag(tag)
	for _, key := range []string{"db", "bun"} {
		name, _, _ := strings.Cut(st.Get(key), ",")
		if name != "" && name != "-" && !strings.Contains(name, ":") {
			return name
		}
	}
	if tag := st.Get("xorm"); tag != "" && tag != "-" {
		return xormColumn(tag, "")
	}
	for part := range strings.SplitSeq(st.Get("gorm"), ";") {
		if name, ok := strings.CutPrefix(strings.TrimSpace(part), "column:"); ok {
			return name
		}
	}
	return ""
}
