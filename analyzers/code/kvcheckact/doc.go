// Package kvcheckact finds check-then-act on a key-value server: a key read,
// and written by a second command because of what was read.
//
// It knows Redis, etcd and memcached by the tables of package libs.
package kvcheckact

// Doc is what `ccheck explain kvcheckact` prints.
const Doc = `kvcheckact: a key read, and written by a second command because of it

Each command of Redis, etcd or memcached is atomic; two are not one.

    request A                            request B
    EXISTS k  → 0
                                         EXISTS k  → 0
    SET k 1 EX 60
                                         INCR k → 2
    …                                    SET k 1 EX 60   // hits are lost

    INCR k → 1
    (the process is killed)              // EXPIRE never comes: k stays for ever

Reported is the second command, also when both are in helpers or behind an
interface: GET or EXISTS then SET, DEL, SADD …; a count compared to a limit and
then INCR, SADD or LPUSH; INCR, SET NX or HSET without a time to live, and EXPIRE
because of the answer; SET without a time to live, and EXPIRE behind it; a counter
that was not there, set to its first value; SISMEMBER, an error of the function's
own, and then SREM or SADD whose answer nobody asks for.

Not reported: a transaction or script (WATCH, Txn, EVAL), SET NX, ADD, CAS, a
lock held over both, and a cache that is filled from the source of truth, unless
the key is one by which a request is known again (Idempotency-Key). A mutex
keeps out one process: what is read, changed and written back under it is reported.

Wrong:

    n, _ := rdb.Exists(ctx, k).Result()
    if n == 0 { rdb.Set(ctx, k, 1, ttl) }

Right:

    ok, err := rdb.SetNX(ctx, k, 1, ttl).Result()
    p := rdb.TxPipeline(); p.SetNX(ctx, k, 0, ttl); n := p.Incr(ctx, k); p.Exec(ctx)
    cli.Txn(ctx).If(clientv3.Compare(clientv3.CreateRevision(k), "=", 0)).Then(clientv3.OpPut(k, v)).Commit()

To prove it, run two clients with the commands by hand, one step each in turn.

To silence one: //ccheck:ignore kvcheckact reason
`
