package flags

import (
	"strings"

	"github.com/spf13/pflag"
)

// takes says in words what a flag of a pflag type takes.
var takes = map[string]string{
	"bool":     "true or false",
	"int":      "a whole number",
	"int64":    "a whole number",
	"uint":     "a whole number from 0",
	"uint64":   "a whole number from 0",
	"float64":  "a number",
	"duration": "a time such as 500ms, 30s or 5m",
}

// Takes says in words what the flag takes, for a hint.
func Takes(f *pflag.Flag) string {
	if t := takes[f.Value.Type()]; t != "" {
		return t
	}
	return strings.ReplaceAll(f.Value.Type(), "_", " ")
}
