// Package heapgrowth judges a series of heap snapshots: which classes,
// allocation stacks or goroutines grow without end, which grew and stopped, and
// who holds what grows. It is a pure function of the series.
//
// It reads probes/heap/series and nothing else: no file, no process.
package heapgrowth

// Name is the rule that users see.
const Name = "heapgrowth"

// Doc describes the judge.
const Doc = `heapgrowth: memory that grows without end, and who holds it

A cache that warms up grows in every snapshot, too, until it is full. So three
snapshots prove nothing, and neither does the size of the heap: the judge looks
at each class (V8), allocation stack or group of goroutines (Go) by itself, by
count, and at the last half of the snapshots only.

    LEAK      more in every snapshot of the last half, with no sign of slowing
    growing   more, but there are fewer than five snapshots, or it slows down,
              or it goes up and down, or it has a bound that it may not have
              reached; take more
    bounded   it grew and stopped: a cache that is full
    noise     within chance, or the engine's own

A cache that has not filled yet grows as evenly as a leak. So the judge looks for
what bounds it: a table that was made with room for more, or, where the source is on
this machine, a size that is compared before entries are removed or added, an age
after which they go, an index that wraps round, in the functions and classes that
hold what grows, and in the packages of a Go module that it is handed to. What goes only
when it is asked for again bounds nothing. With such a sign it is growing and no leak, until there is more of
it than the bound says, or it was watched for three times the age. A bound behind a
switch counts where the switch is on: a variable of the heap, the environment of the
process, a function that has run. One that is off unless the process is told otherwise
counts for nothing, and the reason names it.

Without a sign it is a leak of medium confidence, and of high
confidence when it went on for twenty times the work, or when what grows is no cache:
listeners, timers, promises, goroutines that nothing can wake. ccheck heap watch makes
more load by itself where that tells (--more), which ends most doubts: what stopped is
bounded then, and what went on is a leak.

For V8 the last snapshot is searched for what keeps the new objects alive: the
dominator tree gives the size that hangs on them and the one object in which they
gather, the cheapest path of references says how it is reached. Where several
paths lead there, several are told.

A Go heap profile is a sample. Every size has its error of sampling beside it
(95 %), and growth within the error is no growth. runtime.MemStats, where they
are known, are exact: what they do not see grow is no leak. Goroutines are counted
one by one. Who holds the memory a Go profile does not say; the stack that
allocated it is not always to blame. Where the source is on this machine, what the
functions on that stack put it into is told, and what kind of leak that is. Reference
profiles of grf answer it for certain.

The exit code is 1 for a LEAK only. Growth that cannot be told from a cache that
warms up is unknown (4), never clean.

Wrong: a map that gets an entry for every request and loses none

    var seen = map[string]*Page{}
    func page(url string) *Page {
        if seen[url] == nil { seen[url] = render(url) }   // the key has a time stamp in it
        return seen[url]
    }

Right: a bound

    var seen = lru.New[string, *Page](1000)
`
