package filecheckact

import (
	"slices"

	"github.com/ccheck/ccheck/analyzers/internal/flow"
	"github.com/ccheck/ccheck/analyzers/internal/libs"
	"github.com/ccheck/ccheck/analyzers/internal/pair"
)

// installed tells whether a directory is moved into place because a file was not in it
// yet, from one whose name all callers know, and which each clears first: the second
// deletes what the first is filling, or fails where the first has moved it.
//
//	if !exists(filepath.Join(data, "VERSION")) {
//		os.RemoveAll(staging); fill(staging); os.Rename(staging, data)
//	}
func installed(s *flow.Summary, i, j int) bool {
	check, act := &s.Events[i], &s.Events[j]
	if check.Op != libs.FileCheck || act.Op != libs.FileRename || !named(act.Key.Desc) || !below(check.Key.Desc, act.Key.Desc) {
		return false
	}
	return cleared(s, i, j) && pair.Decides(s, i, j, either)
}

// cleared tells whether what event j moves is removed before, after the check i.
func cleared(s *flow.Summary, i, j int) bool {
	for k := range s.Events {
		e := &s.Events[k]
		if e.Op == libs.FileRemove && s.After(i, k) && s.After(k, j) && named(e.Key.Desc) && e.Key.Desc.String() == s.Events[j].Val.Desc.String() {
			return !slices.ContainsFunc(s.Events[j].Val.From, func(p flow.Part) bool { return p.Event >= 0 && s.Events[p.Event].Op == libs.FileTemp })
		}
	}
	return false
}

// below tells whether a path leads to something in a directory: both begin with the
// same words.
func below(path, dir flow.Desc) bool {
	if within(path, dir) {
		return true
	}
	n := len(dir.Args)
	return path.Root == flow.Expr && dir.Root == flow.Expr && path.Name == dir.Name && len(path.Args) > n && n > 1 &&
		slices.EqualFunc(path.Args[:n], dir.Args, func(a, b flow.Desc) bool { return a.String() == b.String() })
}
