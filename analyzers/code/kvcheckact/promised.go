package kvcheckact

import (
	"regexp"
	"slices"
	"strings"

	"github.com/ccheck/ccheck/analyzers/internal/flow"
	"github.com/ccheck/ccheck/analyzers/internal/libs"
	"github.com/ccheck/ccheck/analyzers/internal/pair"
)

// promised tells whether the key says that something is done once, and is written
// when it is done: two that find no key both do it. That is no cache, however the
// value was made, unless the database has refused the second by then.
func promised(s *flow.Summary, i, j int) bool {
	if !once(s, s.Events[i].Key.Desc) && !(s.Events[i].Note == "EXISTS" && answered(s, s.Events[j].Val)) {
		return false
	}
	for k := range s.Events {
		if s.After(i, k) && s.After(k, j) && (onConflict.MatchString(s.Events[k].SQL) || reserved(s, k, j)) {
			return false
		}
	}
	return pair.Decides(s, i, j, func(c flow.Cond) bool { return asked(c) && c.Test != flow.Present })
}

// reserved tells whether event k takes a key for event j and keeps it: a second
// request is refused there. One that gives it back lets in who has looked before.
func reserved(s *flow.Summary, k, j int) bool {
	if s.Events[k].Op != libs.KVClaim || !pair.Decides(s, k, j, whatever) {
		return false
	}
	for d := range s.Events {
		if s.Events[d].Op == libs.KVDelete && s.After(k, d) && sameKey(s, k, d) {
			return false
		}
	}
	return true
}

// idempotent is how keys, headers and parameters are called by which a request is
// known again; the draft of the IETF calls the header Idempotency-Key.
var idempotent = regexp.MustCompile(`(?i)idempot|\bidem[:_-]`)

// onConflict is a statement by which the database itself finds the second one.
var onConflict = regexp.MustCompile(`(?i)\bon\s+conflict\b`)

// once tells whether a key is one by which a request is known again.
func once(s *flow.Summary, key flow.Desc) bool {
	if key.Root == flow.Param && key.N < len(s.Names) && idempotent.MatchString(s.Names[key.N]) {
		return true
	}
	return idempotent.MatchString(key.String()) || slices.ContainsFunc(key.Args, func(a flow.Desc) bool { return once(s, a) })
}

// response are types of what a handler answers with, and handler the calls that go
// on with the request.
var (
	response = regexp.MustCompile(`(?i)response|recorder|captur`)
	handler  = regexp.MustCompile(`^(ServeHTTP|Next|next|handler|h)$`)
)

// fetched tells whether a value was decoded out of what another server has answered:
// the Body of what was got for a URL, and not that of the request that came in.
func fetched(s *flow.Summary, v flow.Value) bool {
	return slices.ContainsFunc(v.From, func(p flow.Part) bool {
		path, body := strings.CutSuffix(p.Source.Path, ".Body")
		return body && p.Param >= 0 && p.Param < len(s.Params) && !strings.Contains(path, "Request") && s.Params[p.Param] == "string"
	})
}

// answered tells whether a value is what the request was answered with: its status,
// or what the handlers behind this one have written.
func answered(s *flow.Summary, v flow.Value) bool {
	if response.MatchString(v.Class) {
		return true
	}
	return slices.ContainsFunc(v.From, func(p flow.Part) bool {
		return p.Event >= 0 && s.Events[p.Event].Op == libs.Calls && handler.MatchString(s.Events[p.Event].Method)
	})
}
