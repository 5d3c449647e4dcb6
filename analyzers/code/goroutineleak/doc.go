// Package goroutineleak finds goroutines that can never end: a send or receive
// that nobody takes any more, and a loop that nothing can stop.
//
// It follows channels that are made in a function, through closures, helpers,
// results, lists of the function, unexported fields and functions that a field holds
// within the package.
// A channel that leaves it is judged where it goes when it is the result of an
// exported function, and not at all otherwise. One whose goroutine looks for its end,
// and not while it sends, is judged where it is filled: callers in other packages that
// all read to the end are not seen, as they are judged later.
package goroutineleak

// Doc is what `ccheck explain goroutineleak` prints.
const Doc = `goroutineleak: a goroutine that waits for ever, or loops with no way to stop it

A goroutine that blocks on a channel keeps its stack and all that it refers to;
the garbage collector never takes it. One leak per request ends the process.

    caller                               goroutine
    done := make(chan string)
    select {                             slow()
    case <-time.After(time.Second):
        return errTimeout                done <- s   // nobody will ever receive
    }

Reported are: a send on a channel without room, whose receiver can return
first (time-out, early return on an error, first answer wins, a Wait before the
receive), or whose readers take one value each from a field, or need not ask for
the last; a send of a goroutine that looks for its end elsewhere; a goroutine that waits for context.Background; a receive or range
over a channel that is not closed on some path; a receive whose only sender can
return without sending; a goroutine per instance or per request whose loop has
no exit, or an exit that nobody triggers; a range over a ticker that Stop is to
end; workers and takers of signals that a call leaves behind; before Go 1.23, a
ticker that is never stopped.

Wrong:

    ch := make(chan error)
    go func() { ch <- work() }()

Right:

    ch := make(chan error, 1)            // the sender never waits

    select {                             // or: the sender gives up
    case ch <- v:
    case <-ctx.Done():
    }

    for {                                // or: the loop can be stopped
        select {
        case <-ticker.C:
        case <-s.stop:
            return
        }
    }

To prove it, compare runtime.NumGoroutine before and after a thousand calls
that time out, or use testing/synctest, which fails when goroutines are left.

To silence one: //ccheck:ignore goroutineleak reason
`
