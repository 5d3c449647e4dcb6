// Package pairing reads a tape for what is worth running together: which
// requests are of one kind, and which two could get in each other's way.
//
// It runs nothing. The commands record and explore use it.
package pairing

import (
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"

	"github.com/ccheck/ccheck/analyzers/rivals"
	"github.com/ccheck/ccheck/probes/actor/web"
	"github.com/ccheck/ccheck/probes/history"
	"github.com/ccheck/ccheck/probes/record/tape"
)

// Kind is the requests that do the same: one method, one path but for the ids in
// it, and the same statements but for their values.
type Kind struct {
	Name  string // "orders-pay"
	Route string // "POST /orders/*/pay"
	// Examples are those that were accepted and can be sent again.
	Examples []*tape.Request
	Reads    bool // by its method it changes nothing
	All      int
	// Why there is no example; "" when there is one.
	Why    string
	shapes string // of its statements
}

// maxExamples bounds those of a kind that are compared with others.
const maxExamples = 20

// Kinds are the kinds on the tape. Requests whose statements may be those of
// others tell no kind apart, and are of the first one with their route.
func Kinds(t *tape.Tape) []*Kind {
	s := &sorter{byKey: map[string]*Kind{}, taken: map[string]int{}}
	var unsure []*tape.Request
	for _, r := range t.Requests {
		if _, maybe := t.Of(r.N); len(maybe) > 0 {
			unsure = append(unsure, r)
			continue
		}
		s.take(r, shapes(t, r))
	}
	for _, r := range unsure {
		s.take(r, s.first(routeOf(r)))
	}
	return s.list
}

// sorter puts requests into kinds.
type sorter struct {
	list  []*Kind
	byKey map[string]*Kind
	taken map[string]int // by name
}

func (s *sorter) take(r *tape.Request, shapes string) {
	why, route := unfit(r), routeOf(r)
	key := route + "\x00" + shapes
	if why != "" {
		key = route + "\x00" + why
	}
	k := s.byKey[key]
	if k == nil {
		k = &Kind{Name: Name(r.Path), Route: route, Reads: r.Method == http.MethodGet || r.Method == http.MethodHead, Why: why, shapes: shapes}
		if s.taken[k.Name]++; s.taken[k.Name] > 1 {
			k.Name = fmt.Sprint(k.Name, s.taken[k.Name])
		}
		s.byKey[key] = k
		s.list = append(s.list, k)
	}
	if k.All++; why == "" && len(k.Examples) < maxExamples {
		k.Examples = append(k.Examples, r)
	}
}

// first are the shapes of the first kind with that route.
func (s *sorter) first(route string) string {
	for _, k := range s.list {
		if k.Route == route && k.Why == "" {
			return k.shapes
		}
	}
	return ""
}

// unfit says why a request is no example of its kind.
func unfit(r *tape.Request) string {
	var classes web.Classes
	switch {
	case r.Unusable != "":
		return r.Unusable
	case r.Method == http.MethodOptions:
		return "a browser sent it to ask for permission"
	case classes.Of(r.Status) != history.Accepted:
		return fmt.Sprintf("it was answered %d", r.Status)
	}
	return ""
}

// shapes are the statements that the request surely caused, without values.
func shapes(t *tape.Tape, r *tape.Request) string {
	sure, _ := t.Of(r.N)
	var list []string
	for _, s := range sure {
		list = append(list, rivals.Shape(s.SQL))
	}
	slices.Sort(list)
	return strings.Join(slices.Compact(list), "\x00")
}

// routeOf is the method and the path without what changes in it.
func routeOf(r *tape.Request) string {
	path, _, _ := strings.Cut(r.Path, "?")
	parts := strings.Split(path, "/")
	for i, p := range parts {
		if changes(p) {
			parts[i] = "*"
		}
	}
	return r.Method + " " + strings.Join(parts, "/")
}

var hexID = regexp.MustCompile(`^[0-9a-fA-F-]{8,}$`)

func changes(part string) bool {
	return part != "" && (strings.ContainsAny(part[:1], "0123456789") || strings.Contains(part, "{{") || hexID.MatchString(part))
}

var notWord = regexp.MustCompile(`[^A-Za-z0-9_-]+`)

// Name makes a name for a lane of a path, without the parts that are ids:
// /jobs/7/complete is jobs-complete.
func Name(path string) string {
	path, _, _ = strings.Cut(path, "?")
	var words []string
	for part := range strings.SplitSeq(path, "/") {
		if changes(part) {
			continue
		}
		if word := strings.Trim(notWord.ReplaceAllString(part, "-"), "-"); word != "" {
			words = append(words, word)
		}
	}
	if len(words) == 0 {
		return "request"
	}
	return strings.Join(words[max(0, len(words)-3):], "-")
}
