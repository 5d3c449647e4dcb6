// Package bleed reports answers that hold the data of another user than the one
// who asked. It judges histories of the probe of that name, which marks its users,
// and knows nothing of the application but what it answered.
package bleed

// Doc describes the checker.
const Doc = `bleed: an answer holds the data of another user

A server handles requests at the same time in one process. What one request keeps
where another one can reach it, and reads again later, may by then be the other's:

    request of ann                       request of bob
    current = "ann"
                                         current = "bob"
    render(current)  // bob's page for ann

In Node this needs no threads: every await lets the other request run.

Reported is every answer that holds the marker of another user, with the request
of that user that was open at the same time. The verdict is clean only when the
answers held the marker of their own user, so that a wrong one would have shown,
and requests of different users were open at the same time.

Wrong:
    let current                          // of the module
    app.get('/me', async (req, res) => { current = req.user; const page = await load(current); res.send(render(current, page)) })

Right:
    app.get('/me', async (req, res) => { const user = req.user; … })

Other causes: a cache whose key leaves out the user, a client or a template that
is shared and holds the last request, a CDN that stores a private page (send
Cache-Control: private).

ccheck vet finds the Go ones in the source: ccheck explain sharedglobal.`
