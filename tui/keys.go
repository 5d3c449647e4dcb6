package tui

import (
	"strconv"

	"github.com/ccheck/ccheck/tui/screen"
	"github.com/ccheck/ccheck/tui/screens/deadlock"
	"github.com/ccheck/ccheck/tui/screens/findings"
	"github.com/ccheck/ccheck/tui/screens/heap"
	"github.com/ccheck/ccheck/tui/screens/lag"
	"github.com/ccheck/ccheck/tui/screens/lease"
	"github.com/ccheck/ccheck/tui/screens/queue"
	"github.com/ccheck/ccheck/tui/screens/result"
	"github.com/ccheck/ccheck/tui/screens/retry"
	"github.com/ccheck/ccheck/tui/screens/run"
	"github.com/ccheck/ccheck/tui/screens/vet"
	"github.com/ccheck/ccheck/tui/screens/violation"
)

// screens are all screens in the order of their number keys. A new screen is a
// folder and a line here.
func screens() []screen.Screen {
	return []screen.Screen{run.New(), findings.New(), violation.New(), result.New()}
}

// screensOf are the screens of a run: one over a heap, with leases, over replicas,
// with deadlocks, retries or a job queue has another first one.
func screensOf(probe string) []screen.Screen {
	all := screens()
	switch probe {
	case "heap":
		all[0] = heap.New()
	case "lease", "leader":
		all[0] = lease.New()
	case "lag":
		all[0] = lag.New()
	case "deadlock":
		all[0] = deadlock.New()
	case "retry":
		all[0] = retry.New()
	case "queue":
		all[0] = queue.New()
	case "vet":
		return []screen.Screen{vet.New(), result.New()}
	}
	return all
}

// The keys that every screen has.
var (
	helpKey   = screen.Key{Keys: []string{"?"}, Does: "show or close this help", Short: "help"}
	quitKey   = screen.Key{Keys: []string{"q"}, Does: "stop the run and clean up; when it has ended, quit"}
	stopKey   = screen.Key{Keys: []string{"ctrl+c"}, Does: "the same; a second time leaves at once"}
	backKey   = screen.Key{Keys: []string{"esc"}, Does: "go back"}
	pauseKey  = screen.Key{Keys: []string{"p", "space"}, Does: "hold the display still; the run goes on", Short: "pause"}
	faultsKey = screen.Key{Keys: []string{"z"}, Does: "show only what is wrong", Short: "faults only"}
	copyKey   = screen.Key{Keys: []string{"y"}, Does: "copy the command that shows the finding again", Short: "copy repro"}
	textKey   = screen.Key{Keys: []string{"Y"}, Does: "copy the finding as Markdown, with its SQL"}
	exportKey = screen.Key{Keys: []string{"e"}, Does: "write the run to a file", Short: "export"}
)

// Group is the keys of one screen, or those of all.
type Group struct {
	Screen string
	Keys   []screen.Key
}

// Keys returns the whole keymap: what works everywhere, then what each screen
// adds. The help is drawn from it.
func Keys() []Group {
	all := keymap(screens())
	for _, first := range []screen.Screen{heap.New(), lease.New(), lag.New(), deadlock.New(), retry.New(), queue.New(), vet.New()} {
		all = append(all, Group{Screen: first.Name(), Keys: first.Keys()})
	}
	return all
}

func keymap(all []screen.Screen) []Group {
	groups := []Group{{Screen: "everywhere", Keys: []screen.Key{
		helpKey, quitKey, stopKey, backKey, numbers(all), pauseKey, faultsKey, copyKey, textKey, exportKey,
	}}}
	for _, s := range all {
		groups = append(groups, Group{Screen: s.Name(), Keys: s.Keys()})
	}
	return groups
}

// numbers is the key of the screens by their place.
func numbers(all []screen.Screen) screen.Key {
	k := screen.Key{Does: "go to a screen:"}
	for i, s := range all {
		k.Keys = append(k.Keys, strconv.Itoa(i+1))
		k.Does += " " + strconv.Itoa(i+1) + " " + s.Name()
	}
	return k
}
