package filecheckact

import (
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/tools/go/analysis"

	"github.com/ccheck/ccheck/analyzers/internal/flow"
	"github.com/ccheck/ccheck/analyzers/internal/libs"
	"github.com/ccheck/ccheck/analyzers/internal/pair"
)

var rule = pair.Rule{Name: "filecheckact", Find: find, Story: story, Guarded: guarded, Fix: edit}

// Pairing is the judgement, for the step that sees the whole program.
var Pairing = rule.Pairing()

// Analyzer reports paths that are checked and then used by name.
var Analyzer = &analysis.Analyzer{
	Name:     "filecheckact",
	Doc:      Doc,
	Requires: []*analysis.Analyzer{flow.Analyzer},
	Run:      rule.Run,
}

func find(s *flow.Summary) []pair.Pair {
	var out []pair.Pair
	for i := range s.Events {
		op := s.Events[i].Op
		if op != libs.FileCheck && op != libs.FileRead && op != libs.FileList {
			continue
		}
		for j := range s.Events {
			if pair.Ours(s, i, j) && broken(s, i, j) && !guarded(s, i, j) {
				out = append(out, pair.Pair{Check: i, Act: j})
			}
		}
	}
	return out
}

// broken tells whether event j does harm when what event i found is over by then.
func broken(s *flow.Summary, i, j int) bool {
	if numbered(s, i, j) || found(s, i, j) || listed(s, i, j) || unlisted(s, i, j) || installed(s, i, j) {
		return true
	}
	if !samePath(s, i, j) {
		return false
	}
	switch s.Events[i].Op {
	case libs.FileCheck:
		return matters(s, i, j) && (s.Events[i].Note != "Entry" || suspected(s, i, j))
	case libs.FileRead:
		return emptied(s, i, j) || claimed(s, i, j) && matters(s, i, j) || takenOver(s, i, j) || appended(s, i, j) || counted(s, i, j)
	default:
		return emptied(s, i, j)
	}
}

func samePath(s *flow.Summary, i, j int) bool {
	a, b := s.Events[i].Key.Desc, s.Events[j].Key.Desc
	return named(a) && a.String() == b.String() || resolved(s, i, b)
}

// pid are names of files that say who runs.
var pid = regexp.MustCompile(`(?i)pid|lock|running|singleton`)

// claimed tells whether a file was read to know whether it is there, or who has
// it, and is made then. To read a file and to write it changed is ordinary.
func claimed(s *flow.Summary, i, j int) bool {
	if s.Events[j].Op != libs.FileCreate {
		return false
	}
	return pair.Decides(s, i, j, func(c flow.Cond) bool {
		return c.Test == flow.Absent || c.Test == flow.Decides && strings.HasSuffix(c.Path, ".absent")
	}) ||
		(pid.MatchString(s.Name) || pid.MatchString(s.Events[j].Key.Desc.String())) && pair.Decides(s, i, j, func(c flow.Cond) bool { return c.Test == flow.Decides })
}

// named tells whether two equal descriptions are one path: what a loop varies
// is, within one turn.
func named(d flow.Desc) bool {
	return (d.Root != flow.Unknown || len(d.Args) > 0) && !slices.ContainsFunc(d.Args, func(a flow.Desc) bool { return !named(a) })
}

// guarded tells whether nobody else can come between: the directory is private,
// another process is locked out, or a mutex of this one is held over both.
func guarded(s *flow.Summary, i, j int) bool {
	if pair.Locked(s, i, j) || private(s, s.Events[i].Key.Desc) {
		return true
	}
	for k := range s.Events {
		if (s.Events[k].Op == libs.FileLock || lockFile(s, k, i)) && s.After(k, i) {
			return true
		}
	}
	return false
}

// lockFile tells whether event i is reached by the one caller alone that could make the
// file of event k: it is another one than what i asks for.
func lockFile(s *flow.Summary, k, i int) bool {
	return exclusive(&s.Events[k]) && !samePath(s, i, k) && pair.Decides(s, k, i, func(c flow.Cond) bool { return c.Test == flow.NoErr })
}

// private tells whether a path begins with a directory that this function made
// under a name nobody knows.
func private(s *flow.Summary, d flow.Desc) bool {
	if d.Root == flow.Result && d.N < len(s.Events) && s.Events[d.N].Op == libs.FileTemp {
		return true
	}
	if d.Root == flow.Local && strings.HasSuffix(d.Class, ").TempDir") { // of a test; os.TempDir is everybody's
		return true
	}
	return slices.ContainsFunc(d.Args, func(a flow.Desc) bool { return private(s, a) })
}

// How an act depends on the check.
func absent(c flow.Cond) bool  { return c.Test == flow.Absent || c.Test == flow.Err }
func present(c flow.Cond) bool { return c.Test == flow.Present || c.Test == flow.NoErr }

// judged tells whether the branch asks for mode, size or time; that something
// is a directory only says how to go on with it.
func judged(c flow.Cond) bool {
	return c.Test == flow.Decides && !strings.HasSuffix(c.Path, ".IsDir") && !strings.Contains(c.Path, ".err") && !strings.Contains(c.Path, ".absent")
}

// either is a decision that a helper took and answered with a bool.
func either(c flow.Cond) bool { return absent(c) || judged(c) || c.Test == flow.Decides }

// matters tells whether it does harm when the path is another one by then.
func matters(s *flow.Summary, i, j int) bool {
	e := &s.Events[j]
	switch e.Op {
	case libs.FileMkdir:
		// Mkdir is atomic: where a directory that is there is refused, the loser is
		// refused, too.
		return !existsHandled(s, j) && (pair.Decides(s, i, j, either) && !turnedAway(s, i, j) || searched(s, i, j))
	case libs.FileDirs:
		return searched(s, i, j) || pair.Decides(s, i, j, taken)
	case libs.FileCreate:
		return pair.Decides(s, i, j, either) && !overwrites(s, i, j) || searched(s, i, j)
	case libs.FileOpen:
		flags := openFlags(e.Val.Desc)
		if flags&os.O_CREATE == 0 {
			return pair.Decides(s, i, j, judged) && (flags&os.O_TRUNC != 0 || !compared(s, i, j))
		}
		return flags&os.O_EXCL == 0 && (pair.Decides(s, i, j, either) && !overwrites(s, i, j) || searched(s, i, j))
	case libs.FileRename:
		return (pair.Decides(s, i, j, either) && !overwrites(s, i, j) || searched(s, i, j)) && (!temporary(s, e) || pair.Decides(s, i, j, refused))
	case libs.FileRead:
		return pair.Decides(s, i, j, judged) && !compared(s, i, j) || forgotten(s, i, j)
	case libs.FileList:
		return forgotten(s, i, j)
	case libs.FileChange:
		return pair.Decides(s, i, j, judged) || followed(s, i, j)
	case libs.FileRemove:
		return pair.Decides(s, i, j, judged) || e.Note == "Remove" && pair.Decides(s, i, j, present) && checkedError(s, j)
	}
	return false
}

// compared tells whether the file that was opened is asked whether it is the one that
// was judged by its path.
func compared(s *flow.Summary, i, j int) bool {
	same := func(event int) bool {
		return slices.ContainsFunc(s.Asks, func(a flow.Ask) bool { return a.Event == event && a.Text == "same file" })
	}
	return same(i) && same(j)
}

// existsHandled tells whether somebody asks for the one error that the loser of
// the race gets: Mkdir itself is atomic.
func existsHandled(s *flow.Summary, j int) bool {
	return slices.ContainsFunc(s.Asks, func(a flow.Ask) bool { return a.Event == j && strings.Contains(a.Text, "Exist") })
}

// searched tells whether a loop tries names until the check finds one free: no
// branch is left after such a loop, it has no other end.
func searched(s *flow.Summary, i, j int) bool {
	return len(s.Events[i].Loop) > len(s.Events[j].Loop) && varies(s.Events[i].Key.Desc)
}

// varies tells whether a loop variable is part of the path.
func varies(d flow.Desc) bool {
	return d.Root == flow.Unknown && len(d.Args) > 0 || slices.ContainsFunc(d.Args, varies)
}

func openFlags(d flow.Desc) int {
	n, err := strconv.Atoi(d.Name)
	if d.Root != flow.Const || err != nil {
		return 0
	}
	return n
}

// temporary tells whether what is moved was made for it in this function, so
// that the move is the atomic end of a write.
func temporary(s *flow.Summary, e *flow.Event) bool {
	if slices.ContainsFunc(e.Val.From, func(p flow.Part) bool { return p.Event >= 0 && s.Events[p.Event].Op == libs.FileTemp }) {
		return true
	}
	for k := range s.Events {
		o := &s.Events[k]
		made := o.Op == libs.FileCreate || o.Op == libs.FileOpen || o.Op == libs.FileMkdir || o.Op == libs.FileTemp
		if made && (o.Key.String() == e.Val.String() || private(s, e.Val.Desc)) {
			return true
		}
	}
	return false
}

// checkedError tells whether the error of the act reaches the caller, and
// nobody asks whether it is only that the file is gone already.
func checkedError(s *flow.Summary, j int) bool {
	for _, a := range s.Asks {
		if a.Event == j && strings.Contains(a.Text, "NotExist") {
			return false
		}
	}
	for k := range s.Events {
		if pair.Decides(s, j, k, func(c flow.Cond) bool { return c.Test == flow.Absent || c.Test == flow.Present }) {
			return false
		}
	}
	return slices.ContainsFunc(s.Results, func(r []flow.Part) bool {
		return slices.ContainsFunc(r, func(p flow.Part) bool { return p.Event == j })
	})
}
