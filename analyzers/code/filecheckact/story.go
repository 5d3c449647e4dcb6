package filecheckact

import (
	"strings"

	"github.com/ccheck/ccheck/analyzers/internal/flow"
	"github.com/ccheck/ccheck/analyzers/internal/libs"
	"github.com/ccheck/ccheck/analyzers/internal/pair"
	"github.com/ccheck/ccheck/analyzers/internal/tell"
)

// story tells what two processes do, and the fix.
func story(s *flow.Summary, p pair.Pair) flow.Found {
	check, act := &s.Events[p.Check], &s.Events[p.Act]
	f := flow.Found{At: pair.Act(s, p.Act), Severity: "medium"}
	f.Related = []flow.Note{{At: pair.Check(s, p.Check), Text: "the path is checked here, by " + call(check)}}
	if len(act.Site) > 1 {
		f.Related = append(f.Related, flow.Note{At: pair.Check(s, p.Act), Text: call(act) + " is here"})
	}
	head := "check then act on a path: " + call(check) + " decides, and " + call(act) + " uses the name again; "
	switch {
	case numbered(s, p.Check, p.Act):
		f.Message = tell.Story(head+"another file can have the number by then",
			"  process A finds numbers up to 7, and takes 8",
			"  process B finds numbers up to 7, and takes 8",
			"  both write: one file is lost, or two have one number",
			"fix: os.OpenFile with os.O_CREATE|os.O_EXCL, and the next number when errors.Is(err, fs.ErrExist); or a lock file (flock) over both")
		return f
	case installed(s, p.Check, p.Act):
		f.Message = tell.Story(head+"another process fills the same directory under its first name by then",
			"  process A finds nothing in place, clears the directory and fills it",
			"  process B finds nothing in place, and clears what A has filled",
			"  A moves what is left of it into place, or finds nothing to move; what B fills then has no place to go",
			"fix: os.MkdirTemp for each, os.Rename into place, and what is there already is as good; or a lock file (flock) over all of it")
		return f
	case act.Op == libs.FileRemove && check.Op != libs.FileCheck && act.Note == "RemoveAll":
		f.Message = tell.Story(head+"it can have something in it by then",
			"  process A finds the directory empty",
			"  process B puts a file into it",
			"  A removes the directory with all that is in it",
			"fix: os.Remove, which refuses a directory that is not empty; or os.Rename over it, which does too")
		return f
	}
	if check.Op == libs.FileRead && appended(s, p.Check, p.Act) {
		f.Message = tell.Story(head+"what is added can be there by then",
			"  process A does not find it in the file",
			"  process B does not find it, and appends it",
			"  A appends it once more, or another one beside B's",
			"fix: open the file with os.O_APPEND|os.O_RDWR first, lock it (flock), and look and append under the lock; or a directory with a file for each, made with os.O_EXCL")
		return f
	}
	if check.Op == libs.FileRead && counted(s, p.Check, p.Act) {
		f.Message = tell.Story(head+"another number can be in it by then",
			"  process A reads 7, and takes 8",
			"  process B reads 7, and takes 8",
			"  both write 8: two have one number, and one step is lost",
			"fix: open the file with os.O_RDWR, lock it (flock), and read and write under the lock; or let a database count")
		return f
	}
	if (act.Op == libs.FileRead || act.Op == libs.FileList) && forgotten(s, p.Check, p.Act) {
		f.Severity = "low"
		f.Message = tell.Story(head+"it can be gone by then",
			"  process A finds it",
			"  process B clears it away",
			"  A fails to read it, where it would have gone on without",
			"fix: read without the check, and treat errors.Is(err, fs.ErrNotExist) as not there")
		return f
	}
	switch act.Op {
	case libs.FileCreate, libs.FileOpen:
		f.Message = tell.Story(head+"the file can appear in between",
			"  process A finds no file",
			"  process B finds no file, creates it and writes, or plants a symbolic link",
			"  A truncates and writes: B's content is lost, a reader sees half a file, or A writes where the link points",
			"fix: os.OpenFile with os.O_CREATE|os.O_EXCL and errors.Is(err, fs.ErrExist); or write a temporary file and rename it")
	case libs.FileMkdir:
		f.Severity = "low"
		f.Message = tell.Story(head+"the name can be taken in between",
			"  process A finds nothing",
			"  process B finds nothing and makes it",
			"  A fails with an error that its caller does not expect",
			"fix: os.MkdirAll; or do it without the check and accept errors.Is(err, fs.ErrExist)")
	case libs.FileDirs:
		f.Message = tell.Story(head+"the name can be taken in between, and MkdirAll is content with that",
			"  process A tries names until one is free",
			"  process B tries the same, and finds the same",
			"  both go on in one directory that each takes for its own",
			"fix: os.Mkdir in the loop, and the next name when errors.Is(err, fs.ErrExist); or os.MkdirTemp")
	case libs.FileRename:
		f.Message = tell.Story(head+"the destination can appear in between",
			"  process A finds no file at the destination",
			"  process B finds none and creates it",
			"  A renames over it: B's file is gone without an error",
			"fix: os.Link the source to the destination, which fails when it exists, then remove the source; or a lock file (flock) over both")
	case libs.FileRemove:
		f.Message = tell.Story(head+"it can be gone or another file by then",
			"  process A judges the old file",
			"  process B removes it and makes a new one",
			"  A removes the new file, or fails because there is none",
			"fix: remove without the check and accept errors.Is(err, fs.ErrNotExist); for a stale lock, hold flock on it instead of judging its age")
	default:
		f.Message = tell.Story(head+"it can be another file by then",
			"  the service finds a regular file of the right size",
			"  somebody renames a symbolic link or another file over the name",
			"  the service opens what it never checked",
			"fix: open first, then judge the open file with f.Stat(); within a directory that others can write to, os.OpenRoot(dir).Open(name)")
	}
	return f
}

// call is the function of an event as the program writes it: "os.Stat",
// "(*os.Root).Stat".
func call(e *flow.Event) string {
	receiver := e.Call[:len(e.Call)-len(strings.TrimLeft(e.Call, "(*"))]
	name := e.Call[len(receiver):]
	return receiver + name[strings.LastIndexByte(name, '/')+1:]
}
