// Package lockorder finds mutexes that are taken in two orders, taken again
// while held, or held while something is called that takes them the other way.
//
// Locks are told apart by their declaration, not by their instance: two orders
// of one pair of declarations are a finding, and tests with TryLock, an order
// by id, and a third lock around both are not.
package lockorder

// Doc is what `ccheck explain lockorder` prints.
const Doc = `lockorder: locks taken in two orders, or taken again while they are held

Two goroutines that take two locks in different orders wait for each other for
ever. sync.Mutex is not re-entrant: a goroutine that locks it twice waits for
itself. A second RLock waits too when a writer has come in between.

    goroutine A                          goroutine B
    cm.Lock()
                                         gm.Lock()
    gm.Lock()   // waits for B
                                         cm.Lock()   // waits for A

Reported are: a cycle in the order of locks, also across functions, packages,
interfaces and callbacks; a lock taken again on the same value, also by a
callback of the object that holds it; two values of one type locked in the order
in which the caller gave them, and all values of a map in the order of the map; a
connection of a pool waited for under a lock that others take while they hold a
connection; a WaitGroup waited for, or a channel without room sent to, under a
lock that the other side takes first; a return that forgets the unlock of the
other paths.

Not reported: one order everywhere, an order by id or address, TryLock, two
orders under one outer lock.

Wrong:

    func Reset()    { cm.Lock(); defer cm.Unlock(); gm.Lock(); defer gm.Unlock() }
    func Snapshot() { gm.Lock(); defer gm.Unlock(); cm.Lock(); defer cm.Unlock() }

Right:

    // one order for the whole program: gm before cm
    w.mu.Lock(); fire := w.bad > 3; w.mu.Unlock()
    if fire { w.rollback() }             // callbacks outside of the lock

To prove it, run both functions in a loop from two goroutines; a dump of the
stuck process (SIGQUIT) shows both in Lock.

To silence one: //ccheck:ignore lockorder reason
`
