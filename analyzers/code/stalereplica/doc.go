// Package stalereplica finds reads from a replica of what the same request has
// just written to the primary.
//
// It knows a replica by the name of its handle.
package stalereplica

// Doc is what `ccheck explain stalereplica` prints.
const Doc = `stalereplica: written to the primary, and read back from a replica at once

A streaming replica is behind: by milliseconds, or by minutes under load. A
read that follows the write in the same request can miss it.

    primary                                    replica
    INSERT INTO roles (name) VALUES ('ops')
                                               SELECT … WHERE name = 'ops'   -- no row
                                               … the row arrives

Wrong:

    s.primary.Exec("INSERT INTO roles …", r)
    s.replica.Get(&r, "SELECT … WHERE name = $1", r.Name)

Right, best first:

    INSERT … RETURNING, and use what it returned
    read from the primary in the requests that wrote
    wait until the replica has replayed the write's position (pg_wal_replay_wait, pg_last_wal_replay_lsn)

Reported is the read, with the write beside it, also when both are in helpers.
Not reported: reads of other tables, waits for the replica in between, and a new
row that is asked of the primary when the replica does not have it.

To prove it, pause replay on the replica (SELECT pg_wal_replay_pause()).

To silence one: //ccheck:ignore stalereplica reason
`
