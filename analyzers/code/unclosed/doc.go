// Package unclosed finds rows, statements, connections, transactions and HTTP
// responses that stay open on some path through a function, also when a helper
// had them.
//
// It follows control flow inside a function and looks into helpers of the same
// module. It does not follow what is stored in a structure or handed to code it
// cannot see: those are taken to be closed there.
package unclosed

// Doc is what `ccheck explain unclosed` prints.
const Doc = `unclosed: rows, transactions, connections and HTTP responses left open on some path

Rows keep their connection until they are closed or read to the end. A return in
between leaks the connection: the pool is one smaller until the process ends, and
the service stops one day with all of them gone.

    request 1..25: rows, err := db.Query(…)     -- takes a connection of the pool
                   return err                    -- from inside of the loop: never given back
    request 26:    db.Query(…)                   -- waits for a connection, for ever

A transaction that is neither committed nor rolled back keeps its row locks too. A
response whose body is not closed keeps its socket and two goroutines.

Wrong:

    rows, err := db.QueryContext(ctx, q)
    if err != nil { return nil, err }
    for rows.Next() {
        if err := rows.Scan(&v); err != nil { return nil, err }
    }
    return out, rows.Err()

Right:

    rows, err := db.QueryContext(ctx, q)
    if err != nil { return nil, err }
    defer rows.Close()

or pgx.CollectRows, pgx.ForEachRow, pgx.BeginFunc, which close what they are given.

To prove it, set the pool to one connection and call the function twice with a
row that takes the early return.

To silence one: //ccheck:ignore unclosed reason
`
