package filecheckact

import (
	"slices"
	"strings"

	"github.com/ccheck/ccheck/analyzers/internal/flow"
	"github.com/ccheck/ccheck/analyzers/internal/libs"
)

// counted tells whether the number that is written into a file is the one that was
// read from it, counted on: two that do so at once give out one number twice. To read
// a file and to write it with another setting is ordinary.
func counted(s *flow.Summary, i, j int) bool {
	e := &s.Events[j]
	if e.Op != libs.FileCreate || !slices.ContainsFunc(e.Val.From, func(p flow.Part) bool { return p.Event == i && p.Calc }) {
		return false
	}
	return countsOn(e.Val.Desc)
}

// countsOn tells whether a value has a number in it that was parsed, and then changed
// by a sum or a difference.
func countsOn(d flow.Desc) bool {
	if d.Root == flow.Expr && (d.Name == "+" || d.Name == "-") && slices.ContainsFunc(d.Args, number) {
		return true
	}
	return slices.ContainsFunc(d.Args, countsOn)
}

// number tells whether a value is a number that was read out of a text or out of bytes.
func number(d flow.Desc) bool {
	if d.Root == flow.Unknown && len(d.Args) > 0 { // one of several, such as the first number of all
		return slices.ContainsFunc(d.Args, number)
	}
	return d.Root == flow.Expr && (strings.HasPrefix(d.Name, "strconv.Parse") || d.Name == "strconv.Atoi" || strings.HasPrefix(d.Name, "(encoding/binary.") && strings.Contains(d.Name, ").Uint"))
}
