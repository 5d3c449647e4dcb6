package memcheckact

import (
	"strings"

	"github.com/ccheck/ccheck/analyzers/internal/flow"
	"github.com/ccheck/ccheck/analyzers/internal/libs"
	"github.com/ccheck/ccheck/analyzers/internal/pair"
	"github.com/ccheck/ccheck/analyzers/internal/tell"
)

// story tells what two goroutines do, and the fix.
func story(s *flow.Summary, p pair.Pair) flow.Found {
	act := &s.Events[p.Act]
	f := flow.Found{At: pair.Act(s, p.Act), Severity: "medium"}
	f.Related = []flow.Note{{At: pair.Check(s, p.Check), Text: "the value that decides is read here"}}
	if len(act.Site) > 1 {
		f.Related = append(f.Related, flow.Note{At: pair.Check(s, p.Act), Text: "the store itself is here"})
	}
	name := thing(s, act)
	switch {
	case drains(s, p.Check, p.Act):
		f.Severity = "high"
		f.Message = tell.Story("lost update: "+name+" is read, handed on, and set back to nothing, and nothing holds the three together",
			"  goroutine A reads what there is, and hands it on",
			"  goroutine B adds to it",
			"  A sets it back to nothing: what B has added was never handed on", drain(act))
	case numbers(s, p.Check, p.Act):
		f.Severity = "high"
		f.Message = tell.Story("one number twice: what the next entry of "+name+" is called is counted from what there is, and nothing holds the two together",
			"  goroutine A finds 7 entries, and calls its own 8",
			"  goroutine B finds 7 entries, and calls its own 8",
			"  A stores its entry, B stores over it", "fix: find the number and store under one Lock; or count the numbers by themselves, with an atomic Add")
	case pair.Computed(s, p.Check, p.Act), copied(s, p.Check, p.Act):
		f.Severity = "high"
		f.Message = tell.Story("lost update: "+name+" is read, changed and stored back, and nothing holds the three together",
			"  goroutine A reads 5 and computes 6",
			"  goroutine B reads 5 and computes 6",
			"  A stores 6, B stores 6: one of the two changes is lost", fix(s, p))
	case act.Op == libs.CloseChan:
		f.Message = tell.Story("closed twice: the channel "+name+" is closed because it was not yet, and two goroutines can both find it open",
			"  goroutine A finds the channel open",
			"  goroutine B finds the channel open",
			"  A closes it, B closes it: the second close panics", "fix: close it in a sync.Once; or after a CompareAndSwap of a flag, which one goroutine wins")
	case act.Op == libs.Send, act.Op == libs.Offer:
		f.Message = tell.Story("check then act: something is sent on the channel "+name+" because it is not closed yet, and it can be closed by then",
			"  goroutine A finds the flag not set",
			"  goroutine B sets the flag and closes the channel",
			"  A sends on the closed channel, and panics", "fix: do not close what others send on: close a second channel, and select over both; or hold a read lock from the look to the send, and the write lock around the close")
	case act.Op == libs.CAS:
		f.Message = tell.Story("check then act: "+name+" is compared with a limit, and then counted; two goroutines can both pass the check",
			"  goroutine A reads 9 of 10 and goes on",
			"  goroutine B reads 9 of 10 and goes on",
			"  A adds 1, B adds 1: there are 11", "fix: if x.Add(1) > limit { x.Add(-1); refuse }, which lets the sum decide; or CompareAndSwap in a loop")
	case sweeps(s, p) && !renewed(s, act.On.Class):
		f.Message = tell.Story("taken twice: entries of "+name+" are chosen under one lock and taken out under the next; two goroutines can choose the same ones",
			"  goroutine A chooses an entry, and goes on with it",
			"  goroutine B chooses the same entry",
			"  both take it out, and both have used what only one should have", "fix: take the entries out under the Lock under which they are chosen, and put them back when what they were for fails")
	case sweeps(s, p):
		f.Message = tell.Story("check then act: entries of "+name+" are judged and collected under one lock, and deleted under the next, where one can be set anew by then",
			"  goroutine A finds the entry over, and notes its key",
			"  goroutine B sets a fresh entry under that key",
			"  A deletes it: what B has just stored is gone", "fix: judge the entry again under the lock of the delete; or judge and delete under one Lock")
	case act.Op == libs.MapDelete && (s.Events[p.Check].Op != libs.MapGet || emptied(s, p.Check, p.Act)):
		f.Message = tell.Story("deleted as empty: an entry of "+name+" is deleted because nothing is left in it, and somebody can have it in hand by then",
			"  goroutine A takes the last thing out of the entry",
			"  goroutine B, which has found the entry, puts something in",
			"  A deletes the entry: what B has put in is where nobody finds it", "fix: hold the lock of the whole from the look to the delete, and while something is put in; or mark the entry as dead under its own lock, and let B look again")
	case act.Op == libs.MapDelete:
		f.Message = tell.Story("taken twice: "+name+" is looked up, deleted and used, and nothing holds the three together",
			"  goroutine A finds the entry",
			"  goroutine B finds the same entry",
			"  both delete it, and both go on with what only one should have", fix(s, p))
	case takesOut(act):
		f.Message = tell.Story("check then act: "+name+" decides, and something is taken out of it later, which can be gone by then",
			"  goroutine A finds one left",
			"  goroutine B finds one left, and takes it",
			"  A takes from what is empty, and panics; or takes another than it has judged", fix(s, p))
	case act.Op == libs.Store, act.Op == libs.MapSet && pair.Decides(s, p.Check, p.Act, valued):
		f.Message = tell.Story("check then act: "+name+" decides, and is set later; two goroutines can both pass the check",
			"  goroutine A reads it and goes on",
			"  goroutine B reads the same and goes on",
			"  A sets it, B sets it: what should happen once, or at a distance, happened twice", fix(s, p))
	default:
		f.Message = tell.Story("check then act: "+name+" has no entry, and one is stored; two goroutines can both find none",
			"  goroutine A finds no entry and makes one",
			"  goroutine B finds no entry and makes another",
			"  A stores its own and uses it, B stores over it: what A's callers do with theirs is lost", fix(s, p))
	}
	return f
}

// drain names the ways to take out all that there is.
func drain(act *flow.Event) string {
	if act.Note == "atomic" {
		return "fix: v := x.Swap(0), one step that reads and sets back"
	}
	return "fix: take it over and leave an empty one under the same lock: all := b.all; b.all = nil"
}

// valued is a question about what an entry is, and not whether there is one.
func valued(c flow.Cond) bool {
	return c.Test == flow.Decides && c.Text != "" && limit(c.Text) && !strings.HasSuffix(c.Text, " nil")
}

// thing is what the events are about, in the program's words.
func thing(s *flow.Summary, e *flow.Event) string {
	name := e.On.Class
	if e.On.Root == flow.Param && e.On.Path == "" && e.On.N < len(s.Names) {
		return s.Names[e.On.N]
	}
	if name == "" {
		name = e.On.Name
	}
	if i := strings.LastIndexByte(name, '/'); i >= 0 {
		name = name[i+1:]
	}
	if _, field, ok := strings.Cut(name, "."); ok {
		return field
	}
	return name
}

// fix names the ways out, the atomic one first.
func fix(s *flow.Summary, p pair.Pair) string {
	act := &s.Events[p.Act]
	computed := pair.Computed(s, p.Check, p.Act)
	switch {
	case strings.HasPrefix(act.Call, "(*sync.Map).") && act.Op == libs.MapDelete:
		return "fix: v, ok := m.LoadAndDelete(key), one step that only one goroutine wins"
	case strings.HasPrefix(act.Call, "(*sync.Map).") && computed:
		return "fix: store a pointer to an atomic counter once with LoadOrStore and add to it; or loop over CompareAndSwap; or hold one mutex over both"
	case strings.HasPrefix(act.Call, "(*sync.Map)."):
		return "fix: v, loaded := m.LoadOrStore(key, new), and use v"
	case act.Note == "atomic" && computed:
		return "fix: Add for a counter; CompareAndSwap in a loop for anything else"
	case act.Note == "atomic":
		return "fix: if !x.CompareAndSwap(old, new) { return }, before the work"
	case act.Note == "cache":
		return "fix: the cache's own call that does both (PeekOrAdd, Add that refuses, Upsert); or one mutex over both"
	case len(act.Site) > 1:
		return "fix: one method that looks and stores under one Lock; or look again after taking the lock for writing"
	}
	return "fix: hold the lock from the check to the act; or look again after taking it for writing"
}
