// Package fencing finds locks that end by themselves, a lease or a time to
// live, and are trusted as if they did not.
//
// It knows the locks of Redis, etcd and memcached by the tables of package libs, and
// those that are rows by their SQL: package lease says which events take one. A lock
// that only saves work is not its matter.
package fencing

// Doc is what `ccheck explain fencing` prints.
const Doc = `fencing: a lock with a time to live that protects a write without a token

A process that holds a lock with a lease can be paused (garbage collection, a
full disk, a moved virtual machine) until the lease is over. It does not know,
and goes on. Only the place that stores the data can refuse it, by a token that
grows with each owner.

    worker A                             worker B
    SET lock a NX EX 10  → OK
    (paused for 11 s)
                                         SET lock b NX EX 10 → OK
                                         UPDATE doc … 
    UPDATE doc …   // B's write is gone
    DEL lock       // and it was B's lock: C comes in while B is at work

Reported are

  - a release or a renewal that does not ask whose the lock is, or asks in Go and
    goes on with a second command, or compares what every owner stores; of a row that
    is leased, also the end of the work. Who holds a row is a column that is called
    so, or one that is filled where it is empty or a time is up, and compared elsewhere
  - a write under such a lock, a leadership, or a row with an owner and an expiry,
    that no token, revision or owner guards; also where the lock is asked about
    before, or a field remembers it
  - what came with a larger session or epoch in the row, taken back by the key alone
    when its owner goes, who may be an older one
  - a token made of a clock or a random number and compared by size, and a counter
    of tokens that expires, or that each process keeps in its own memory

Not reported: what only adds a row that is not there, and a lock that is left to end
and so only limits how often something is done.

Wrong:

    rdb.Del(ctx, key)
    cli.Put(ctx, "/cluster/plan", plan)  // after Campaign

Right:

    // release: compare and delete in one script
    if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end return 0
    // write: the store compares
    UPDATE doc SET body = $1, fence = $2 WHERE id = $3 AND fence < $2     -- $2 from INCR or a sequence
    cli.Txn(ctx).If(clientv3.Compare(clientv3.CreateRevision(e.Key()), "=", e.Rev())).Then(clientv3.OpPut(…))

To prove it, stop the holder (kill -STOP) for longer than the time to live, let
another one take the lock, and continue the first.

To silence one: //ccheck:ignore fencing reason
`
