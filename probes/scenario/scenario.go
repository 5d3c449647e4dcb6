// Package scenario reads a scenario: a folder with ccheck.yaml and plain SQL
// that says what runs (actors), on what (setup, reset, params), how (load) and
// what must hold (invariants, effects), with other versions of the same thing
// beside it (variants). The built-in scenarios are such folders, embedded.
//
// It resolves everything and runs nothing: it opens no connection, and no
// table or claim of any scenario is known to it. It imports probes/history,
// the actors and probes/stub only.
package scenario

import (
	"fmt"
	"io/fs"
	"slices"
	"time"

	"github.com/ccheck/ccheck/probes/actor/script"
)

// File is the name of the manifest in a scenario's folder.
const File = "ccheck.yaml"

// Scenario is one version of a scenario, with every file read and every script
// parsed. It is shared by all lanes of a run and must not be changed; Variant
// returns others.
type Scenario struct {
	Name    string
	Version string // name of the variant; "" is the default version
	Title   string
	Doc     string

	FS   fs.FS  // where the folder was read from; nil for a bare script
	Dir  string // the folder in FS
	File string // the manifest (or the bare script) as errors name it

	Setup []Source // run in this order, once
	Reset *Source  // nil: the driver copies the rows of after setup back
	// Params are the variables of Setup, Reset and Invariants, and the first
	// value of the variables of every actor.
	Params     []Param
	Load       Workload
	Isolation  Isolation // "" leaves it to the run
	MaxTries   int       // 0 leaves it to the run
	Actors     []Actor
	Invariants []Invariant
	// App is the application of a scenario without scripts, or nil; then Actors
	// is empty.
	App *App
	// Fixed says that the scenario's author claims that nothing breaks.
	Fixed bool

	variants []*Scenario
	files    []file
}

// FullName is what Open takes: the name, with "/variant" when there is one.
func (s *Scenario) FullName() string {
	if s.Version == "" {
		return s.Name
	}
	return s.Name + "/" + s.Version
}

// Position is a place in a file; line and column count from 1. The zero
// Position is nowhere.
type Position struct {
	File         string
	Line, Column int
}

// String is "file:line", the form of history.Claim.Where.
func (p Position) String() string {
	if p.Line == 0 {
		return p.File
	}
	return fmt.Sprintf("%s:%d", p.File, p.Line)
}

// Source is SQL for the server, with :variables for the scenario's parameters;
// the function SQL puts them in.
type Source struct {
	Text  string
	Where Position // of the first character of Text

	path   string // in the folder; "" when it stands in the manifest
	indent int    // of its lines in the manifest
}

// Param is a variable with the value it begins with.
type Param struct {
	Name  string
	Value string
	// Quoted tells text from an integer: it becomes a literal in quotes.
	Quoted bool
	Where  Position
}

// Mode says how lanes take turns.
type Mode string

// The modes. In a loop each lane makes one call after the other until the run
// ends. In rounds each lane makes one call, all of them behind a start gate;
// then the invariants are looked at and the tables reset, again and again: for
// what happens once, such as one coupon or one token.
const (
	Loop   Mode = "loop"
	Rounds Mode = "rounds"
)

// Workload is how hard the scenario is driven when the run does not say otherwise.
type Workload struct {
	Mode    Mode
	Clients int // lanes; with Lanes their sum; 0 leaves it to the run
	Think   Think
	// Lanes says which actor runs in how many lanes of a round; empty lets
	// every lane draw by weight.
	Lanes []Lane
}

// Think is the pause of a lane between two statements of a call, uniform
// between the bounds.
type Think struct{ Min, Max time.Duration }

// Lane gives lanes of a round to one actor.
type Lane struct {
	Actor string
	Count int
}

// Isolation is an isolation level in the words of SET TRANSACTION.
type Isolation string

// The levels that PostgreSQL tells apart.
const (
	ReadCommitted  Isolation = "read committed"
	RepeatableRead Isolation = "repeatable read"
	Serializable   Isolation = "serializable"
)

// Actor is one kind of call.
type Actor struct {
	Name   string
	Script *script.Script
	Path   string // of the script in the folder
	Text   string // of the script
	Weight int    // share of the calls in a loop; 0 is never drawn
	// Params are the first values of the script's variables: those of the
	// scenario, then the actor's own over them.
	Params  []Param
	Effects []Effect
	Where   Position

	own []Param
}

// Effect is what one accepted call does, exactly once: in Table the row whose
// Key is At has Add more in Column than before. A call that is not accepted
// does none of it. At and Add are evaluated over the variables of the call
// when it has ended.
type Effect struct {
	Table, Key, Column string
	At, Add            *script.Expr
	AtText, AddText    string
	Where              Position
}

// When says when an invariant holds.
type When string

// Running invariants hold in every consistent snapshot, End invariants when
// all lanes have stopped; only those may use the counters of Counts.
const (
	Running When = "running"
	End     When = "end"
)

// Invariant is a query that must return no row.
type Invariant struct {
	Name  string
	SQL   Source
	When  When
	Fixes []string // the author's words on the mend, best first
	Where Position
}

// Variants returns the names of the other versions, in the order of the
// manifest, without the default version.
func (s *Scenario) Variants() []string {
	names := make([]string, len(s.variants))
	for i, v := range s.variants {
		names[i] = v.Version
	}
	return names
}

// Variant returns the variant with that name; "" is s itself.
func (s *Scenario) Variant(name string) (*Scenario, error) {
	if name == s.Version {
		return s, nil
	}
	for _, v := range s.variants {
		if v.Version == name {
			return v, nil
		}
	}
	return nil, &Error{
		File: s.File,
		Msg:  fmt.Sprintf("scenario %q has no variant %q", s.Name, name),
		Hint: oneOf(name, s.Variants(), "it has no variants"),
	}
}

// Actor returns the actor with that name, nil when there is none.
func (s *Scenario) Actor(name string) *Actor {
	i := slices.IndexFunc(s.Actors, func(a Actor) bool { return a.Name == name })
	if i < 0 {
		return nil
	}
	return &s.Actors[i]
}
