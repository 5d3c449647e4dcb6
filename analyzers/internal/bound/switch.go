package bound

// Switch is what must hold beside the size or the age for a bound to take effect,
// as in `if (process.env.LIMIT) evict()`. The zero Switch is no condition, or one
// that the source does not tell is false.
type Switch struct {
	Cond  string // as it is written, "" for none
	State State
	// Env is the variable of the environment that turns it on, Flag the argument of
	// the command line; "" where it asks neither.
	Env, Flag string
	// Name is the variable or property whose truth it asks, where it is set once;
	// Not says that it must be false.
	Name string
	Not  bool
	// Through is the function that runs only where it holds, "" for none.
	Through string
}

// State is how a switch stands, as far as its source tells.
type State int

// The states of a switch.
const (
	Open  State = iota // it may be on
	Unset              // it is off unless the process is told otherwise
	Off                // it is off, for certain
)

// Idle reports whether the bound has no effect by its source alone.
func (s Switch) Idle() bool { return s.State != Open }

// strongest is the condition of several that all must hold that says most.
func strongest(all []Switch) Switch {
	best := Switch{}
	for _, s := range all {
		if s.State > best.State || best.Cond == "" {
			best = s
		}
	}
	return best
}

// either is the condition where one of several is enough: that which says least.
func either(all []Switch) Switch {
	if len(all) == 0 {
		return Switch{}
	}
	best := all[0]
	for _, s := range all[1:] {
		if s.State < best.State || s.Cond == "" {
			best = s
		}
	}
	return best
}

// first is the first sign that is not idle, or else the first.
func first(all []Sign) (Sign, bool) {
	for _, s := range all {
		if !s.idle() {
			return s, true
		}
	}
	if len(all) == 0 {
		return Sign{}, false
	}
	return all[0], true
}
