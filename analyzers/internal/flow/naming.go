package flow

import (
	"reflect"
	"strings"
	"unicode"
)

// snake is a Go name as gorm and bun write it: UserID is user_id.
func snake(name string) string {
	var b strings.Builder
	rs := []rune(name)
	for i, r := range rs {
		if unicode.IsUpper(r) && i > 0 && (unicode.IsLower(rs[i-1]) || unicode.IsDigit(rs[i-1]) || i+1 < len(rs) && unicode.IsLower(rs[i+1])) {
			b.WriteByte('_')
		}
		b.WriteRune(unicode.ToLower(r))
	}
	return b.String()
}

// plural is the English plural, as far as a table needs it.
func plural(s string) string {
	switch {
	case s == "":
		return ""
	case strings.HasSuffix(s, "person"):
		return strings.TrimSuffix(s, "person") + "people"
	case strings.HasSuffix(s, "y") && len(s) > 1 && !strings.ContainsRune("aeiou", rune(s[len(s)-2])):
		return s[:len(s)-1] + "ies"
	case strings.HasSuffix(s, "s"), strings.HasSuffix(s, "x"), strings.HasSuffix(s, "ch"), strings.HasSuffix(s, "sh"):
		return s + "es"
	}
	return s + "s"
}

func tagValue(tag, key string) string { return reflect.StructTag(tag).Get(key) }

// Column folds a name so that the field Used, the tag and the column used_at's
// spelling do not matter: case and underscores are left out.
func Column(name string) string {
	name = strings.TrimPrefix(name, ".")
	return strings.ToLower(strings.ReplaceAll(name, "_", ""))
}
