// Package borrowed holds the analyzers of other people that ccheck runs beside
// its own, where their own words would not do for a page. It changes no verdict.
package borrowed

import (
	"github.com/timakin/bodyclose/passes/bodyclose"
	"golang.org/x/tools/go/analysis"
)

const bodyDoc = `bodyclose: HTTP responses whose body is not closed

The connection of a response goes back to the client's pool when the body was
closed, and can be used again when it was read to the end before. One that stays
open is a socket, a goroutine or two and a buffer that nobody gives back.

Wrong:

    resp, err := client.Do(req)
    if err != nil { return err }
    return json.NewDecoder(resp.Body).Decode(&v)

Right:

    resp, err := client.Do(req)
    if err != nil { return err }
    defer resp.Body.Close()
    return json.NewDecoder(resp.Body).Decode(&v)

To prove it, count the open sockets of the process while the function runs a
hundred times.

To silence one: //ccheck:ignore bodyclose reason

By Seiji Takahashi: github.com/timakin/bodyclose.
`

// Bodyclose returns the analyzer of HTTP responses.
func Bodyclose() *analysis.Analyzer {
	a := *bodyclose.Analyzer
	a.Doc, a.URL = bodyDoc, "https://github.com/timakin/bodyclose"
	return &a
}
