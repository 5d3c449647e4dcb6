// Package sharedglobal finds shared state that request handlers and goroutines
// change without synchronisation.
//
// It flags the change, not the existence of a global, and only where many
// goroutines are known to come by.
package sharedglobal

// Doc is what `ccheck explain sharedglobal` prints.
const Doc = `sharedglobal: globals and handler fields changed by many requests without a lock

A server runs each request in a goroutine of its own. Two that write one map at
the same time end the process ("fatal error: concurrent map writes", which no
recover catches); two that write one variable lose updates, and one request can
see another's data.

    request A                            request B
    h.user = "ann"
                                         h.user = "bob"
    render(h.user)  // bob's page for ann

Reported is the statement that writes (a map, a slice, a variable, a field),
when a handler of net/http, gin, echo, fiber, chi, gRPC, connect or a job queue
reaches it, also through helpers of other packages, and no lock is held; the
same for methods that libraries call for many requests at once (a Renderer, a
RoundTripper, a slog.Handler), for what goroutines started in a loop have in
common, and for globals that a background goroutine sets while others read them.

Not reported: what is set in init or before serving, locks, atomics, sync.Map,
sync.Pool, Once, and values that belong to one request.

Wrong:

    var inFlight = map[string]time.Time{}
    func (h *H) ServeHTTP(w http.ResponseWriter, r *http.Request) { inFlight[r.URL.Path] = time.Now() }

Right:

    mu.Lock(); inFlight[r.URL.Path] = time.Now(); mu.Unlock()
    served.Add(1)                        // atomic.Int64
    user := login(r)                     // a local, or r.Context()

To prove it, run the server with go run -race under two parallel clients.

To silence one: //ccheck:ignore sharedglobal reason
`
