package growth

import (
	"regexp"

	"golang.org/x/tools/go/ssa"

	"github.com/ccheck/ccheck/analyzers/internal/libs"
	"github.com/ccheck/ccheck/analyzers/internal/place"
)

// clientName: what tells one client from another, in the names of accessors,
// fields and parameters.
var clientName = regexp.MustCompile(`(?i)remoteaddr|realip|clientip|\bip\b|\.IP\(|addr|cookie|header|useragent|user|session|token|visitor|client|peer|account|tenant|device|\bwho\b|URL\.(Raw)?Path|RequestURI|URL\.String`)

// client tells whether the key names a client: everybody who comes adds one.
func client(key ssa.Value) bool {
	if clientName.MatchString(place.Of(key).String()) {
		return true
	}
	p, ok := place.Base(key).(*ssa.Parameter)
	if !ok {
		p, ok = key.(*ssa.Parameter)
	}
	return ok && clientName.MatchString(p.Name())
}

// incoming are functions that answer with what the caller of a gRPC method sent.
var incoming = regexp.MustCompile(`^google\.golang\.org/grpc/(metadata\.(From|ValueFrom)IncomingContext|peer\.FromContext)$`)

// chosen tells whether the key was read from the request in this function:
// whoever sends it chooses the key.
func chosen(v ssa.Value, depth int) bool {
	if depth > 8 || v == nil {
		return false
	}
	if libs.Request(v.Type()) {
		return true
	}
	if c, ok := v.(*ssa.Call); ok {
		if incoming.MatchString(place.CalleeName(c.Common())) {
			return true
		}
		for _, a := range append(c.Call.Args[:len(c.Call.Args):len(c.Call.Args)], c.Call.Value) {
			if chosen(a, depth+1) {
				return true
			}
		}
		return false
	}
	if b, ok := v.(*ssa.BinOp); ok {
		return chosen(b.X, depth+1) || chosen(b.Y, depth+1)
	}
	return chosen(place.Base(v), depth+1)
}
