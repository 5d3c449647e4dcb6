package filecheckact

import (
	"slices"

	"github.com/ccheck/ccheck/analyzers/internal/flow"
	"github.com/ccheck/ccheck/analyzers/internal/libs"
	"github.com/ccheck/ccheck/analyzers/internal/pair"
)

// unlisted tells whether a name was looked for in what a directory has, was not there,
// and is used then by a call that takes what is there for its own.
//
//	for _, e := range entries { if e.Name() == name { return errExists } }
//	return os.WriteFile(filepath.Join(dir, name), data, 0o644)
func unlisted(s *flow.Summary, i, j int) bool {
	e := &s.Events[j]
	if s.Events[i].Op != libs.FileList || !takes(e) || len(e.Loop) > 0 || !within(e.Key.Desc, directory(&s.Events[i])) {
		return false
	}
	return pair.Decides(s, i, j, func(c flow.Cond) bool {
		if c.Test != flow.Decides || e.Op == libs.FileDirs && !c.Refused {
			return false
		}
		return unlike(c) && spelt(e, s.Events[j].Conds, c) || globbed(&s.Events[i]) && none(c) && shares(e, &s.Events[i])
	})
}

// directory is what a listing lists: its argument, or where the pattern of a Glob begins.
func directory(list *flow.Event) flow.Desc {
	if d := list.Key.Desc; globbed(list) && d.Root == flow.Expr && len(d.Args) > 1 {
		return d.Args[0]
	}
	return list.Key.Desc
}

func globbed(list *flow.Event) bool { return list.Note == "Glob" }

// unlike is a branch that is taken when nothing was equal, or a search has said so.
func unlike(c flow.Cond) bool {
	return !c.Yes && (c.Text == "==" || c.Text == "") || c.Yes && c.Text == "!="
}

// none is a branch that is taken when a list has nothing in it.
func none(c flow.Cond) bool {
	switch c.Text {
	case "== 0", "< 1", "<= 0", "== nil":
		return c.Yes
	case "!= 0", "> 0", ">= 1", "!= nil":
		return !c.Yes
	}
	return false
}

// spelt tells whether a part of the path is what a branch compares with the listing.
func spelt(e *flow.Event, conds []flow.Cond, branch flow.Cond) bool {
	return slices.ContainsFunc(conds, func(c flow.Cond) bool {
		return c.Pos == branch.Pos && c.Source != branch.Source && slices.ContainsFunc(e.Key.From, func(p flow.Part) bool { return same(p, c.Source) })
	})
}

// shares tells whether a path and a pattern are made of the same name, beside the
// directory.
func shares(e, list *flow.Event) bool {
	dir := directory(list)
	return slices.ContainsFunc(list.Key.From, func(p flow.Part) bool {
		own := dir.Root == flow.Param && p.Source.Param == dir.N && p.Source.Path == dir.Path
		return !own && p.Source.Event < 0 && slices.ContainsFunc(e.Key.From, func(q flow.Part) bool { return same(q, p.Source) })
	})
}

// same tells whether a part comes from a source, as it is or computed.
func same(p flow.Part, s flow.Source) bool {
	p.Calc, s.Calc = false, false
	return p.Source == s
}
