package goroutineleak

import (
	"golang.org/x/tools/go/ssa"

	"github.com/ccheck/ccheck/analyzers/internal/cfg"
	"github.com/ccheck/ccheck/analyzers/internal/place"
	"github.com/ccheck/ccheck/analyzers/internal/tell"
)

// programs are calls that wait for another program to end.
var programs = map[string]bool{"(*os/exec.Cmd).Wait": true, "(*os/exec.Cmd).Run": true, "(*os/exec.Cmd).Output": true, "(*os/exec.Cmd).CombinedOutput": true, "(*os.Process).Wait": true}

// forwarder judges a goroutine that takes signals in a loop, where the function that
// started it is over before the process: it stops the signals, or waits for a program
// that it has run. One that sets up signals for good does neither.
func (j *judge) forwarder(t *trace) {
	if t.field != nil || t.inList || t.readers || len(t.given) > 0 || len(t.of(send, true))+len(t.of(closing, true)) > 0 {
		return
	}
	for _, r := range t.of(recv, true) {
		by := r.start.Parent()
		if !r.alone || !cfg.Within(r.in.Block()) || by.Pkg.Pkg.Name() == "main" || !over(r.start) || !t.forgotten(r, true) {
			continue
		}
		j.Found(r.in.Pos(), tell.Story(
			"this goroutine never ends: it takes signals from a channel that is not closed, and "+by.Name()+" returns without it",
			"  "+by.Name()+" is done: it stops the signals, or the program that it ran has ended",
			"  os/signal never closes a channel, and neither does signal.Stop: the goroutine waits on, and the next call adds another",
			"fix: defer close(ch), and after it defer signal.Stop(ch), which then runs first; or receive in a select with ctx.Done()",
		), nil, tell.Place{Pos: t.made.Pos(), Text: "the channel is made here"}, tell.Place{Pos: r.start.Pos(), Text: "the goroutine is started here"})
	}
}

// over tells whether a function calls signal.Stop, or waits for a program after it has
// started a goroutine.
func over(start ssa.CallInstruction) bool {
	stops := false
	cfg.Each(start.Parent(), func(in ssa.Instruction) {
		c, ok := in.(ssa.CallInstruction)
		stops = stops || ok && place.CalleeName(c.Common()) == "os/signal.Stop"
	})
	return stops || cfg.Walk(start, func(in ssa.Instruction) cfg.Step {
		if c, ok := in.(*ssa.Call); ok && programs[place.CalleeName(c.Common())] {
			return cfg.Found
		}
		return cfg.On
	}, nil)
}
