package filecheckact

import (
	"os"
	"regexp"
	"slices"
	"strings"

	"github.com/ccheck/ccheck/analyzers/internal/flow"
	"github.com/ccheck/ccheck/analyzers/internal/libs"
	"github.com/ccheck/ccheck/analyzers/internal/pair"
)

// refused is a check that the caller is told of: what is there must stay, and an
// act that replaces it breaks that word. A cache that moves the same bytes into
// place twice gives no such word.
func refused(c flow.Cond) bool { return c.Refused && either(c) }

// taken is a check that refuses a name because something is there: who is let through
// takes the directory for its own.
func taken(c flow.Cond) bool { return c.Refused && absent(c) }

// turnedAway tells whether a directory that is there is refused. Where only a file of
// that name is, who comes second to a directory is told of it and should not be.
func turnedAway(s *flow.Summary, i, j int) bool {
	return !settles(s, i, j) && pair.Decides(s, i, j, func(c flow.Cond) bool {
		return refused(c) && (!folder(c) || !c.Yes)
	})
}

// settles tells whether the function settles for a directory that is there. What
// a file system behind an interface says of it cannot be seen: there it is enough
// that something is asked of what is there, before the rest is refused.
func settles(s *flow.Summary, i, j int) bool {
	if pair.Decides(s, i, j, folder) {
		return pair.Decides(s, i, j, func(c flow.Cond) bool { return folder(c) && !c.Yes && !c.Refused })
	}
	return pair.Decides(s, i, j, func(c flow.Cond) bool { return present(c) && !c.Refused })
}

// folder is a branch that asks whether what is there is a directory.
func folder(c flow.Cond) bool { return c.Test == flow.Decides && strings.HasSuffix(c.Path, ".IsDir") }

// overwrites tells whether a directory is refused, and a file that is there is as good
// as none: one that comes in between is written over as it would have been. Of a helper
// that asks it is not seen which of the two it refuses.
func overwrites(s *flow.Summary, i, j int) bool {
	return len(s.Events[i].Site) == 1 && pair.Decides(s, i, j, func(c flow.Cond) bool { return folder(c) && !c.Yes && c.Refused })
}

// found tells whether a name was tried until it was free, in a helper that answers
// with it, and is used then by a call that takes what is there for its own.
func found(s *flow.Summary, i, j int) bool {
	e := &s.Events[j]
	if s.Events[i].Op != libs.FileCheck || !varies(s.Events[i].Key.Desc) || !takes(e) || samePath(s, i, j) {
		return false
	}
	return slices.ContainsFunc(e.Key.From, func(p flow.Part) bool { return p.Event == i && strings.HasSuffix(p.Source.Path, ".absent") })
}

// takes tells whether a call makes what is not there, and is content with what is.
func takes(e *flow.Event) bool {
	switch e.Op {
	case libs.FileDirs, libs.FileCreate, libs.FileRename:
		return true
	case libs.FileOpen:
		flags := openFlags(e.Val.Desc)
		return flags&os.O_CREATE != 0 && flags&os.O_EXCL == 0
	}
	return false
}

// digits are verbs and functions that write a number into a name.
var digits = regexp.MustCompile(`%0?\d*d|strconv\.(Itoa|Format)`)

// numbered tells whether a file is made under a number that was counted from what a
// directory has.
func numbered(s *flow.Summary, i, j int) bool {
	e := &s.Events[j]
	if s.Events[i].Op != libs.FileList || !takes(e) || len(e.Loop) > 0 || !within(e.Key.Desc, directory(&s.Events[i])) {
		return false
	}
	return digits.MatchString(e.Key.Desc.String()) && slices.ContainsFunc(e.Key.From, func(p flow.Part) bool { return p.Event == i && p.Calc })
}

// within tells whether a path begins with a directory.
func within(path, dir flow.Desc) bool {
	return path.Root == flow.Expr && len(path.Args) > 0 && (path.Args[0].String() == dir.String() || within(path.Args[0], dir))
}

var emptyName = regexp.MustCompile(`(?i)empty`)

// emptied tells whether a directory is removed with all that is in it because it was
// found empty.
func emptied(s *flow.Summary, i, j int) bool {
	check, act := &s.Events[i], &s.Events[j]
	if act.Op != libs.FileRemove || act.Note != "RemoveAll" || check.Op == libs.FileRead && !emptyName.MatchString(check.In) {
		return false
	}
	return pair.Decides(s, i, j, func(c flow.Cond) bool { return c.Test == flow.Decides })
}
