// Package wallclock finds wall-clock time used where it does not hold: for
// elapsed time, for order between machines, as an identity, and against
// another machine's timestamps without tolerance.
//
// It says nothing about time that is only stored and shown.
package wallclock

// Doc is what `ccheck explain wallclock` prints.
const Doc = `wallclock: wall time used for elapsed time, order, identity, or another machine's deadline

The wall clock is set by NTP, by hand and by a virtual machine that wakes up:
it jumps forwards and back, and no two machines agree on it. Go's time.Now has
a second, monotonic reading that only grows, but Unix(), UTC(), Round(0),
JSON and a database drop it.

    start := time.Now().UnixNano()       // 10:00:00.900
    work()                               // NTP steps the clock back by 2 s
    took := time.Now().UnixNano() - start // -1.9 s: the histogram has a negative bucket

    machine A (clock 1 s ahead)          machine B
    issue token, nbf = 12:00:01
                                         12:00:00 token used: "not valid yet"

Reported are: a difference of two Unix readings, and a deadline that is kept as
one; time.Since of a time whose monotonic part is gone, that a header or a packet
brought, or that was stored as a start; nbf, iat and exp of tokens, and the ends of
leases, compared to the local clock with no leeway; a code or a signature over the
minute that is tried in this minute alone; a lease that is over by the time that
its holder wrote, or a peer taken for dead by the heartbeat that it stamped; a
short limit on the age of a stamp in a database or a key-value server; two readings
of one operation that fail when they are out of order; the time of a signed request
compared without a window on both sides; a value replaced because its timestamp is
newer ("last write wins"), also of a file against a server's; a reader that goes on
after the largest timestamp it has seen, or after its own last look; an end, a back-off
or a sign of life that this clock sets and the database's judges; objects of a server
deleted when this clock says that they are minutes old; a refusal because too little
time has passed since the stamp in a server's answer; a script in Redis that measures with the
clock of its caller; an id, token, nonce, version or name of a file made of the
clock alone, or of a user and the second.

Wrong:

    if claims.NotBefore > time.Now().Unix() { return errNotYet }
    id := strconv.FormatInt(time.Now().UnixNano(), 36)

Right:

    if claims.NotBefore > time.Now().Add(leeway).Unix() { return errNotYet }
    id := uuid.NewString()
    start := time.Now(); work(); took := time.Since(start)

To prove it, run two copies of the service with clocks a second apart, or step
the clock of a test machine back while the code runs.

To silence one: //ccheck:ignore wallclock reason
`
