package flow

import (
	"encoding/json"
	"strconv"
	"strings"

	"github.com/ccheck/ccheck/analyzers/internal/libs"
)

// Pos is a place in a source file; File is as the file set has it.
type Pos struct {
	File      string
	Line, Col int
}

// String is "file:line:column".
func (p Pos) String() string { return p.File + ":" + strconv.Itoa(p.Line) + ":" + strconv.Itoa(p.Col) }

// Root says where a Desc begins.
type Root uint8

// The roots. Local is a variable or value of the function that has no better
// name, Result what an event answered, Func a function with the variables it
// captured in Args, Expr an operator or pure function over Args.
const (
	Unknown Root = iota
	Param        // N counts the receiver first; captured variables follow the parameters
	Global
	Const
	Local
	Result // N is the event, Path begins with the number of the result
	Func
	Expr
)

// Desc names a value in words that hold for the caller too, once its Params
// are replaced: the second parameter's field key, the global cache, the string
// "user:" + the first parameter. A pointer and what it points to have one name.
type Desc struct {
	Root Root
	N    int
	Name string // of the global, constant, function, operator, or local
	Path string // ".mu", ".db.pool"; [] for an element
	Args []Desc
	// Class is the declaration behind the last field of the path, the same for
	// all values of the type: "path.Cache.mu". Of a Local it is how the value
	// was made: "new", "call os.Open".
	Class  string
	Handle libs.Handle // what a statement runs on when it runs on this
	Via    string      // the function that gave it, when its name says more than the field's, or there is no other name
	Given  string      // what a handle was called where it was put into the field
}

// Known reports whether two equal descriptions are surely one value.
func (d Desc) Known() bool {
	for _, a := range d.Args {
		if !a.Known() {
			return false
		}
	}
	return d.Root != Unknown && !strings.Contains(d.Path, "[]")
}

// String is the same for the same value of one function.
func (d Desc) String() string {
	var b strings.Builder
	b.WriteString([...]string{"?", "p", "g:", "c:", "l:", "r", "f:", "e:"}[d.Root])
	if d.Root == Param || d.Root == Result {
		b.WriteString(strconv.Itoa(d.N))
	}
	b.WriteString(d.Name)
	if len(d.Args) > 0 {
		b.WriteByte('(')
		for i, a := range d.Args {
			if i > 0 {
				b.WriteByte(',')
			}
			b.WriteString(a.String())
		}
		b.WriteByte(')')
	}
	b.WriteString(d.Path)
	return b.String()
}

// Same reports whether both name one value, and surely so.
func (d Desc) Same(e Desc) bool { return d.Known() && e.Known() && d.String() == e.String() }

// Source is where a value comes from: a result of an event, or a parameter.
type Source struct {
	Event int // index into the events, -1: a parameter
	Param int // -1 for an event
	// Path is the part of it: ".used" is a column of the answer or a field of
	// the parameter, ".err" the error of an event, ".absent" that a row was not
	// found, ".n" the number of rows. Of an unresolved call ".#1" is the second
	// result, ".@1" what it left in its second argument.
	Path string
	// Calc: the value was computed from the source and is not a copy of it.
	Calc bool
}

// Test is what a branch asks about a source.
type Test uint8

// The tests, as they come out on the way to the event: NoErr when it happens
// only without an error, Err only with one, Absent when a row was not found,
// Present when it was found, Decides for any other question about the value.
const (
	NoErr Test = iota + 1
	Err
	Absent
	Present
	Decides
)

// Cond is a branch on which an event depends.
type Cond struct {
	Source
	Test Test
	Pos  Pos
	Text string // of the tested comparison, such as "<", "> 0" or "== nil"; may be empty
	Yes  bool   // the event is where the comparison holds
	// Quiet: a caller cannot tell whether the branch came out this way.
	Quiet bool
	// Itself: the branch asks for the value, and not for something computed from it.
	Itself bool
	// Refused: when the branch comes out the other way, the function that has it
	// answers with an error of its own.
	Refused bool
}

// Value is an argument: its name, and the sources that flow into it.
type Value struct {
	Desc
	From []Part
	// Parts are the fields of a structure that were set one by one, by path.
	Parts Fields
	// Elems are the elements of a slice that is written out in the call.
	Elems []Value
	// Bound are the captured variables of a function, or its bound receiver.
	Bound []Value
	Order
}

// Order is what is known of the order of a list; the zero value is nothing.
type Order struct {
	Shuffled bool // that of a map, which is another one each time
	Sorted   bool
	As       int // 1 + the parameter in whose order it is, or in that of a part of it
}

// and joins what is known of two lists that become one.
func (o Order) and(p Order) Order {
	o.Shuffled, o.Sorted = o.Shuffled || p.Shuffled, o.Sorted || p.Sorted
	if o.As == 0 {
		o.As = p.As
	}
	return o
}

// Fields are parts of a structure by path, such as ".Key".
type Fields map[string]Desc

// GobEncode writes them in the order of their paths: a fact of one source must be
// the same bytes each time, and gob takes a map as it comes.
func (f Fields) GobEncode() ([]byte, error) { return json.Marshal(map[string]Desc(f)) }

// GobDecode reads what GobEncode has written.
func (f *Fields) GobDecode(b []byte) error { return json.Unmarshal(b, (*map[string]Desc)(f)) }

// Part is one source of one part of a value.
type Part struct {
	Path string // of the value; "" for all of it
	Source
	// Over: the part was set over what came with the whole. Without an Event and
	// a Param (both -1) it only says that.
	Over bool
	// May: it was set on one of several ways, and what came on another is there too.
	May bool
}

// Event is one thing that a function, or something it calls, does to what
// others can see.
type Event struct {
	Op libs.Op
	// Call is the full name of what is called, "(*database/sql.DB).Exec".
	Call string
	// Site is the way from this function inwards: Site[0] is the call in this
	// function, the last is the statement itself. In is the function that holds
	// the last.
	Site []Pos
	In   string

	On     Value // handle, map, mutex, file …
	Handle libs.Handle
	Key    Value
	Val    Value   // what is stored; of a goroutine the receiver of its method; of an INSERT its list of rows
	Args   []Value // bound values of a statement; all arguments of an unresolved call
	Ctx    Desc    // context of a statement
	// SQL is the text of the statement, or what a builder will make of it. Holes
	// in it are written as identifiers that begin with "ccheck_".
	SQL string
	// Spread: the last of Args is a slice of values that the caller made.
	Spread bool
	Named  bool     // Args[0] is a structure or map whose fields are the parameters by name
	Note   string   // from the row of the library: isolation level, clause, "first"
	Cols   []string // columns as the destinations name them, where the SQL does not tell

	// Remark is what the comments beside a Begin and above its function say.
	Remark string

	Conds []Cond
	// Held are the locks held at the event: indexes of the events that took them.
	Held []int
	// Loop is what is ranged over around the event, outermost first.
	Loop []Loop
	// Under are the functions outside of the module that call the event's
	// function literal: a retry helper, errgroup, a router.
	Under []string
	// Deferred and Async: it runs when the function returns, or in a goroutine.
	Deferred bool
	Async    bool
	// Later: it is in a function literal that a function of which nothing is
	// known was given, and that it may keep and call at any time.
	Later bool
	// Iface is the interface ("path.Type") of an unresolved call, Method its
	// method; an unresolved call of a function value has a Method "" and its
	// function in On.
	Iface  string
	Method string
	// Behind names the function that such a call finds in a field, where nothing else is
	// ever put there.
	Behind string

	// Then are the events that can follow this one in one run.
	Then Bits
}

// Loop is a loop around an event.
type Loop struct {
	Over   Value
	Map    bool // the order of a map is random
	Sorted bool // what is ranged over was sorted before
	Pos    Pos
	In     string // function that has the loop
	// Own: the loop counts or repeats and ranges over nothing.
	Own bool
}

// Out is what a function leaves in memory that its caller can see.
type Out struct {
	Param int
	Path  string
	From  []Part
	Sure  bool // whatever way the function takes, it puts this there
}

// Summary is a function as its callers see it.
type Summary struct {
	Name   string // "(*path.Type).Method", "path.Func", "path.Func$1"
	Pos    Pos
	Params []string // types, receiver and captured variables included
	Names  []string // of the parameters
	Events []Event  // in an order that control flow allows
	// Results are the sources of each result; Descs their names.
	Results [][]Part
	Descs   []Desc
	// Shapes are the fields of results that the function made itself, by path.
	Shapes []Fields
	Orders []Order // of results that are lists; nil when nothing is known
	Outs   []Out
	// Folded: a function literal whose events are in its parent's summary, with
	// all that the parent knows, and that is judged there.
	Folded bool
	// Leaves are locks that are held when the function returns, Frees the locks
	// that it gives back without having taken them.
	Leaves []int
	Frees  []Desc
	// Asks are the questions that the function puts to values, besides branches.
	Asks []Ask
	// Generated: the file says that a machine wrote it.
	Generated bool
	Exported  bool
	// Loud: others notice a call that the function makes, and that is no event.
	Loud   bool
	Parent string // of a function literal

	view *View
}

// Ask is a question about a value: it is compared with a constant or sentinel,
// handed to a function whose name asks, or asserted to a type.
type Ask struct {
	Source
	// Text is "=23505", "=database/sql.ErrNoRows", "call path.isRetryable",
	// "as *pgconn.PgError", "assert *pgconn.PgError", "prefix" for how the message
	// of an error begins, "n" for the number of rows, "compare" for a comparison
	// of that number, "same file" for os.SameFile.
	Text string
	Pos  Pos
	In   string // function that asks
}

// After reports whether event j can happen after event i in one run of the
// function.
func (s *Summary) After(i, j int) bool { return s.Events[i].Then.Has(j) }

// Local reports whether two events come from different places of this function,
// so that the pair of them is this function's matter and not that of a callee.
func (s *Summary) Local(i, j int) bool { return s.Events[i].Site[0] != s.Events[j].Site[0] }

// Bits is a set of small numbers.
type Bits []uint64

// Has reports whether i is in the set.
func (b Bits) Has(i int) bool { return i/64 < len(b) && b[i/64]>>(i%64)&1 != 0 }

// Set puts i into the set.
func (b *Bits) Set(i int) {
	for len(*b) <= i/64 {
		*b = append(*b, 0)
	}
	(*b)[i/64] |= 1 << (i % 64)
}
