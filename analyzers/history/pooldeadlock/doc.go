// Package pooldeadlock reports requests that wait for a connection of their
// application's pool while every connection is held by such a request. It
// judges explorations of an application, which tell who waits for the pool; it
// knows nothing of how that was seen.
package pooldeadlock

// Doc describes the checker.
const Doc = `pooldeadlock: requests that hold a connection each and wait for another one of the same pool

A request that has a transaction open and takes a second connection from the
pool needs two at once. When as many such requests run as the pool has
connections, each holds one and waits for one, and none goes on until a
time-out of the pool or of the request ends it. The server sees nothing but idle
transactions: no lock is waited for, and no deadlock detector helps.

It is reported when requests that are accepted alone were seen in that state and
ended with an error, or not at all.

Wrong:
    tx := db.Begin()
    tx.Exec("INSERT INTO orders …")
    discount := loadDiscount(db)       // a second connection, of the same pool

Right:
    discount := loadDiscount(tx)       // the connection that is held

A larger pool moves the number of requests at which it happens, no more.`
