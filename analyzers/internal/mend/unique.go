package mend

import (
	"regexp"
	"strings"

	"github.com/ccheck/ccheck/analyzers/internal/sqlread"
)

// Unique is what a claim says must be unique: columns of a table, as they
// stand in an index definition ("lower(mail)").
type Unique struct {
	Table   string
	Columns []string
}

var moreThanOne = regexp.MustCompile(`(?i)having\s+count\s*\(\s*\*\s*\)\s*>\s*1\s*$`)

// UniqueOf takes a claim that some columns of one table do not come twice for
// one that says they are unique.
func UniqueOf(a *sqlread.Access, sql string) Unique {
	if len(a.Tables) != 1 || !a.Tables[0].Aggregate || !moreThanOne.MatchString(strings.TrimRight(sql, "; \n\t")) {
		return Unique{}
	}
	u := Unique{Table: a.Tables[0].Name}
	for _, o := range a.Outputs {
		switch {
		case o.Table != 0 || o.Column == "*":
		case o.Func != "":
			u.Columns = append(u.Columns, o.Func+"("+o.Column+")")
		default:
			u.Columns = append(u.Columns, o.Column)
		}
	}
	return u
}
