// Package memcheckact finds check-then-act on memory that goroutines share:
// maps, sync.Map, atomics and fields that are read, and written because of what
// was read, with a gap between the two.
//
// It is no race detector: each access can be properly locked, and the pair is
// still broken.
package memcheckact

// Doc is what `ccheck explain memcheckact` prints.
const Doc = `memcheckact: shared memory read and then written because of it, not in one step

A lock, a sync.Map or an atomic makes each access safe. It does not make two
accesses one: what was true at the check may be over at the act.

    goroutine A                          goroutine B
    v, ok := m.Load(k)  // none
                                         v, ok := m.Load(k)  // none
    m.Store(k, &Gauge{})
    add to it                            m.Store(k, &Gauge{})   // A's is gone

Reported is the act, with the check beside it, also when both are in helpers:
sync.Map Load then Store, an atomic's Load then Store, a map or field read
under one lock and written under the next, a check before the lock, the second
look that was forgotten, Get then Set of a cache that locks each call, elements
chosen by a field under one lock and marked in it under the next, an entry that
was judged under one lock and is deleted and counted under the next, or deleted
because nothing is left in it or nobody uses it, entries that are chosen by what
is in them under one lock and deleted under the next, a map that is searched under
one lock and gets what was not there under the next, a channel that is closed
because it was not yet, or sent on because of a flag that its closer sets, a
refresh token that its answer replaces, entries that are chosen under one lock
and taken out under the next, a counter or list that is handed on and set back to
nothing under the next, an entry under a number that was counted from the others,
the first element of a list whose own atomic says that it has room, which is counted
up later. The least of all elements is a preference, and keeps nobody out.

Not reported: one lock over both, a second look under the lock, LoadOrStore,
CompareAndSwap, Once, singleflight, an owner goroutine; and a cache that is
filled with what a source of truth gives to everybody.

Wrong:

    if v, ok := m.Load(k); ok { return v }
    m.Store(k, new)

Right:

    v, _ := m.LoadOrStore(k, new)        // sync.Map
    if !done.CompareAndSwap(false, true) { return }      // flag
    mu.Lock(); defer mu.Unlock()         // look, decide and store in here
    if v, ok := m[k]; ok { return v }
    m[k] = new

To prove it, call the function from many goroutines behind one barrier and
compare the objects that they got, or the sum with the number of calls.

To silence one: //ccheck:ignore memcheckact reason
`
