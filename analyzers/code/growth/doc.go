// Package growth finds maps, slices and sync.Maps that live as long as the
// process, that requests make larger, and that nothing makes smaller again.
//
// It looks at one package at a time. An eviction anywhere in the package that
// can be reached, or a look at the length, is enough to keep it silent.
package growth

// Doc is what `ccheck explain growth` prints.
const Doc = `growth: a long-lived map or slice that requests grow and nothing bounds

A map keyed by client, session or path gets an entry for every new one. Without
an eviction the process grows until it is killed; anybody who can choose the key
(an address from an IPv6 block, a header, a path) can make that happen on
purpose.

    requests                             the map
    10.0.0.1, 10.0.0.2, 10.0.0.3 …       3 entries
    one scan of an IPv6 /64              some millions, none ever deleted

Reported is the statement that adds, when all hold: the container is a global,
a field of something that handlers share, or a variable that a middleware
captured; a handler reaches the statement (or what is stored carries a time, as
windows and audit lists do, or a loop that receives messages remembers each by
its identity, or the key is a connection, or the package itself marks entries as
over, empties what a key has or sets it to nothing, or moves what is over here from
where it was under way, or the container notes keys of another one, or things of those
who are in another one now, which that one loses); the value is state of its own for each key, and no
fixed registry; no statement in the package that can run deletes, clears,
replaces, trims or counts the container. Reported too are requests that are kept
until their answer comes, when nothing forgets those that are never answered, or
after it, when the answer leaves them in;
visits under random names that only the visitor's next request takes out;
entries that have expired and go only when the same key is asked for again, where
clients choose the keys; entries of one call that some of its ways out leave
behind; timers that have fired; and labels of Prometheus and names of expvar that
clients make up. A look at the length that only writes it to the log bounds nothing,
and neither does a Close that empties what grew until then. Names that the program
gave when it made its handlers are few.

Wrong:

    seen[r.RemoteAddr] = append(keep, now)

Right:

    seen[r.RemoteAddr] = append(keep, now)
    for k, v := range seen { if old(v) { delete(seen, k) } }   // at most once a minute
    // or a cache with a limit: lru.New[string, *quota](10_000)

To prove it, send requests with a new key each and watch the heap profile.

To silence one: //ccheck:ignore growth reason
`
