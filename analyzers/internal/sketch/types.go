package sketch

import (
	"regexp"
	"strings"
)

// kinds maps the beginning of a type's name to the type that stands for it:
// the scenario needs its values, not its size.
var kinds = []struct{ prefix, kind string }{
	{"interval", "interval"}, {"int", "bigint"}, {"bigint", "bigint"}, {"smallint", "bigint"}, {"serial", "bigint"}, {"bigserial", "bigint"}, {"smallserial", "bigint"},
	{"numeric", "numeric"}, {"decimal", "numeric"}, {"real", "numeric"}, {"double", "numeric"}, {"float", "numeric"}, {"money", "numeric"},
	{"bool", "boolean"}, {"timestamp", "timestamptz"}, {"date", "date"}, {"uuid", "uuid"}, {"json", "jsonb"}, {"bytea", "bytea"},
}

// kind is the type that a column gets for one of the module's DDL. Enumerations,
// domains and types of extensions become text.
func kind(ddl string) string {
	ddl = strings.ToLower(ddl)
	for _, k := range kinds {
		if strings.HasPrefix(ddl, k.prefix) {
			return k.kind
		}
	}
	return "text"
}

// named guesses a type from a column's name, where nothing else is known.
var named = []struct {
	name *regexp.Regexp
	kind string
}{
	{regexp.MustCompile(`(^|_)uuid$`), "uuid"},
	{regexp.MustCompile(`(^|_)id$|count|amount|balance|cents|points|credits|quantity|^qty$|stock|seats|total|version|price|limit|number|^n$|remaining|(^|_)left$`), "bigint"},
	{regexp.MustCompile(`_at$|_on$|^expires|^created$|^updated$|until$|deadline`), "timestamptz"},
	{regexp.MustCompile(`^(is|has|can)_|^(used|active|enabled|disabled|deleted|verified|done|claimed|revoked|consumed|taken|closed|paid)$`), "boolean"},
}

// of is the type of a column: DDL, then use, then name.
func (t Types) of(table string, c Column) string {
	if ddl := t[strings.ToLower(table)][strings.ToLower(c.Name)]; ddl != "" {
		return kind(ddl)
	}
	if c.Type != "" {
		return c.Type
	}
	return Guess(c.Name)
}

// Guess is the type that a column's name suggests; text when it says nothing.
func Guess(column string) string {
	for _, n := range named {
		if n.name.MatchString(strings.ToLower(column)) {
			return n.kind
		}
	}
	return "text"
}

// key and full are values of a type: one that names a row, and one that a row
// begins with.
var key = map[string]string{
	"bigint": "1", "numeric": "1", "boolean": "true", "timestamptz": "2030-01-01 00:00:00+00", "date": "2030-01-01",
	"uuid": "00000000-0000-0000-0000-000000000001", "jsonb": "{}", "bytea": "k", "text": "k", "interval": "1 day",
}

var full = map[string]string{
	"bigint": "100", "numeric": "100", "boolean": "false", "timestamptz": "2030-01-01 00:00:00+00", "date": "2030-01-01",
	"uuid": "00000000-0000-0000-0000-000000000002", "jsonb": "{}", "bytea": "v", "text": "v", "interval": "1 day",
}
