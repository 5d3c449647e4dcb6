package flow

import (
	"go/types"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/ccheck/ccheck/analyzers/internal/schema"
)

// models are the unique keys that the tags of xorm and gorm declare, by table: Sync
// and AutoMigrate make the tables out of them, and there is no DDL to read. In a
// package that uses one of these, a structure without such a tag is a table without
// such a key.
func models(pkg *ssa.Package) schema.Schema {
	found := schema.Schema{}
	for _, named := range namedTypes(pkg.Pkg) {
		st, ok := named.Underlying().(*types.Struct)
		if !ok || named.TypeParams().Len() > 0 {
			continue
		}
		keys := append(uniqueTags(st), gormKeys(st)...)
		// A package that imports the type knows no more than its name.
		for _, table := range []string{tableName(pkg.Prog, named), plural(snake(named.Obj().Name()))} {
			switch {
			case table == "":
			case len(keys) > 0:
				found.Read("CREATE TABLE " + table + " (" + strings.Join(keys, ", ") + ")")
			case mapsModels(pkg.Pkg) && found[table] == nil:
				found[table] = [][]string{}
			}
		}
	}
	return found
}

// mapsModels reports whether a package uses a library that makes tables of structures.
func mapsModels(pkg *types.Package) bool {
	return slices.ContainsFunc(pkg.Imports(), func(p *types.Package) bool {
		return p.Path() == "gorm.io/gorm" || p.Path() == "github.com/jinzhu/gorm" || p.Path() == "xorm.io/xorm" || p.Path() == "github.com/go-xorm/xorm"
	})
}

// uniqueTag is a key in a tag of xorm: unique, or unique(name) for one of several
// columns.
var uniqueTag = regexp.MustCompile(`(?i)\bunique(?:\((\w+)\))?(?:\s|$)`)

// uniqueTags are the keys of a structure, as constraints of a table.
func uniqueTags(st *types.Struct) []string {
	groups := map[string][]string{}
	for i := range st.NumFields() {
		tag := reflect.StructTag(st.Tag(i)).Get("xorm")
		if m := uniqueTag.FindStringSubmatch(tag); m != nil {
			column := xormColumn(tag, st.Field(i).Name())
			name := m[1]
			if name == "" {
				name = " " + column
			}
			groups[name] = append(groups[name], column)
		}
	}
	var keys []string
	for _, name := range slices.Sorted(maps.Keys(groups)) {
		keys = append(keys, "UNIQUE ("+strings.Join(groups[name], ", ")+")")
	}
	return keys
}

// gormKeys are the keys of a structure, as constraints of a table: the fields that
// are its primary key, each that is unique, and those of each unique index. An index
// with a condition says nothing about the rows that it leaves out.
func gormKeys(st *types.Struct) []string {
	groups := map[string][]string{}
	for i := range st.NumFields() {
		tag := reflect.StructTag(st.Tag(i)).Get("gorm")
		column := snake(st.Field(i).Name())
		for item := range strings.SplitSeq(tag, ";") {
			if k, v, ok := strings.Cut(item, ":"); ok && strings.EqualFold(strings.TrimSpace(k), "column") {
				column = v
			}
		}
		for item := range strings.SplitSeq(tag, ";") {
			if group := gormGroup(item, column); group != "" {
				groups[group] = append(groups[group], column)
			}
		}
	}
	var keys []string
	for _, name := range slices.Sorted(maps.Keys(groups)) {
		keys = append(keys, "UNIQUE ("+strings.Join(groups[name], ", ")+")")
	}
	return keys
}

// gormGroup names the key that one setting of a tag puts its column into, "" for none.
func gormGroup(setting, column string) string {
	name, options, _ := strings.Cut(setting, ":")
	switch strings.ToLower(strings.TrimSpace(name)) {
	case "primarykey", "primary_key":
		return "primary"
	case "unique":
		return "unique " + column
	case "uniqueindex", "unique_index":
		if strings.Contains(options, "where:") {
			return ""
		}
		index, _, _ := strings.Cut(options, ",")
		if index == "" || strings.Contains(index, ":") {
			return "index " + column
		}
		return "index of " + index
	}
	return ""
}

// columnWord is the last word of a tag of xorm, where it names the column.
var columnWord = regexp.MustCompile(`(?:^|\s)'?([a-z][a-z0-9_]*)'?$`)

// notColumn are words of xorm's tags that name no column.
var notColumn = regexp.MustCompile(`^(not|null|pk|autoincr|index|unique|created|updated|deleted|version|extends|text|json|bool|int|bigint)$`)

func xormColumn(tag, field string) string {
	tag = strings.TrimSpace(tag)
	if m := columnWord.FindStringSubmatch(tag); m != nil && (strings.HasSuffix(tag, "'") || !notColumn.MatchString(m[1])) {
		return m[1]
	}
	return snake(field)
}

// tableName is the constant that the method TableName returns.
func tableName(prog *ssa.Program, named *types.Named) string {
	for _, t := range []types.Type{named, types.NewPointer(named)} {
		sel := types.NewMethodSet(t).Lookup(named.Obj().Pkg(), "TableName")
		if sel == nil {
			continue
		}
		fn := prog.FuncValue(sel.Obj().(*types.Func))
		if fn == nil || len(fn.Blocks) != 1 {
			return ""
		}
		if r, ok := fn.Blocks[0].Instrs[len(fn.Blocks[0].Instrs)-1].(*ssa.Return); ok && len(r.Results) == 1 {
			if c, ok := r.Results[0].(*ssa.Const); ok {
				return constText(c)
			}
		}
	}
	return ""
}
