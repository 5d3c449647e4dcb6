package filecheckact

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"

	"github.com/ccheck/ccheck/analyzers/internal/flow"
	"github.com/ccheck/ccheck/analyzers/internal/libs"
	"github.com/ccheck/ccheck/analyzers/internal/pair"
)

// cache are names of what others clear at any time.
var cache = regexp.MustCompile(`(?i)cache`)

// forgotten tells whether a file of a cache, or a directory, is read because it was
// there, in a function to whose caller it is no error that there is none: one that is
// cleared in between is.
func forgotten(s *flow.Summary, i, j int) bool {
	e := &s.Events[j]
	name := s.Name[strings.LastIndexByte(s.Name, '/')+1:]
	if e.Op != libs.FileList && !cache.MatchString(name) && !cache.MatchString(e.Key.Desc.String()) {
		return false
	}
	ordinary := func(c flow.Cond) bool {
		return !c.Refused && (present(c) || c.Test == flow.Decides && existence(c)) && (c.Test == flow.Present || !answered(s, i))
	}
	return pair.Decides(s, i, j, ordinary) && checkedError(s, j) && answered(s, j)
}

// answered tells whether the error of an event is an answer of the function, wrapped
// or not, and no bool that was made of it.
func answered(s *flow.Summary, j int) bool {
	return slices.ContainsFunc(s.Results, func(r []flow.Part) bool {
		return slices.ContainsFunc(r, func(p flow.Part) bool { return p.Event == j && p.Source.Path == ".err" && !p.Calc })
	})
}

// followed tells whether a link was refused, by Lstat and a question after the
// directory, and a call changes what it leads to.
func followed(s *flow.Summary, i, j int) bool {
	return s.Events[i].Note == "Lstat" && pair.Decides(s, i, j, func(c flow.Cond) bool { return folder(c) && c.Yes && c.Refused })
}

// strange are names of what others bring, who may have put a link into it.
var strange = regexp.MustCompile(`(?i)skill|plug-?in|extension|add-?on|upload|untrusted|artifact|attachment|template|theme|install`)

// suspected tells whether a walk looks out for links, or through what others have
// brought. One that packs its own files and leaves out the directories does not.
func suspected(s *flow.Summary, i, j int) bool {
	name := s.Name[strings.LastIndexByte(s.Name, '.')+1:]
	return strange.MatchString(name) || strange.MatchString(s.Events[j].Key.Desc.String()) || pair.Decides(s, i, j, func(c flow.Cond) bool {
		return strings.HasPrefix(c.Text, symlink)
	})
}

// listed tells whether a directory is listed, its links are left out, and one of the
// rest is opened or changed by name.
func listed(s *flow.Summary, i, j int) bool {
	e := &s.Events[j]
	if s.Events[i].Op != libs.FileList || e.Op != libs.FileRead && e.Op != libs.FileChange || !within(e.Key.Desc, s.Events[i].Key.Desc) {
		return false
	}
	return pair.Decides(s, i, j, func(c flow.Cond) bool { return strings.HasPrefix(c.Text, symlink) })
}

// symlink is how a branch begins that asks for the bit of a symbolic link.
var symlink = fmt.Sprintf("& %d ", uint32(os.ModeSymlink))

// takenOver tells whether a file is removed for what was read in it, and then made
// again by a call that only one can win: who was late removes the file of the winner.
func takenOver(s *flow.Summary, i, j int) bool {
	if s.Events[j].Op != libs.FileRemove || !pair.Decides(s, i, j, func(c flow.Cond) bool { return c.Test == flow.Decides }) {
		return false
	}
	for k := range s.Events {
		if s.After(j, k) && samePath(s, i, k) && exclusive(&s.Events[k]) {
			return true
		}
	}
	return false
}

// exclusive tells whether a call fails where there is something.
func exclusive(e *flow.Event) bool {
	return e.Op == libs.FileMkdir || e.Op == libs.FileOpen && openFlags(e.Val.Desc)&os.O_EXCL != 0
}
