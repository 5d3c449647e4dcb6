package served_test

import (
	"testing"

	"golang.org/x/tools/go/ssa"

	"github.com/ccheck/ccheck/analyzers/internal/callers"
	"github.com/ccheck/ccheck/analyzers/internal/served"
	"github.com/ccheck/ccheck/analyzers/internal/ssatest"
)

const src = `package p

import (
	"context"
	"net/http"
)

type H struct{ m map[string]int }

var global = map[string]int{}

func shared(any)  {}
func private(any) {}

func (h *H) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	shared(h.m)
	shared(global)
	private(r.URL)
	l := &H{m: map[string]int{}}
	private(l.m)
	h.help(l)
}

func (h *H) help(o *H) {
	shared(h.m)
	private(o.m)
}

func Middleware(next http.Handler) http.Handler {
	n := map[string]int{}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		shared(n)
		v := map[string]int{}
		func() { private(v) }()
		next.ServeHTTP(w, r)
	})
}

func notServed(h *H) { private(h.m) }

// Ctx is made for each request.
type Ctx struct {
	w    http.ResponseWriter
	r    *http.Request
	seen map[string]int
}

type Event struct{ Ctx }

func (c *Ctx) SetWriter(w http.ResponseWriter) { private(c.seen) }

// Last keeps the request that it is given, and is shared.
type Last struct {
	r    *http.Request
	seen map[string]int
}

func (l *Last) Keep(w http.ResponseWriter, r *http.Request) { shared(l.seen) }

func WrapRequest(e *Event) {
	http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { private(e.seen) }).ServeHTTP(e.w, e.r)
}

type LoginRequestObject struct{ Name string }

type LoginResponseObject interface{ visit() }

func (h *H) Login(ctx context.Context, request LoginRequestObject) (LoginResponseObject, error) {
	shared(h.m)
	private(request.Name)
	return nil, nil
}

// notStrict is called by whoever has the request.
func (h *H) NotStrict(ctx context.Context, request LoginRequestObject) error {
	private(h.m)
	return nil
}

type Resolver struct{ m map[string]int }

type queryResolver struct{ *Resolver }

var resolvers = []any{&queryResolver{}, &pathResolver{}}

func (r *queryResolver) Users(ctx context.Context, n int) ([]string, error) {
	shared(r.m)
	return nil, nil
}

type pathResolver struct{ m map[string]int }

func (r *pathResolver) Find(ctx context.Context, n int) error {
	private(r.m)
	return nil
}
`

func TestWalk(t *testing.T) {
	fns := ssatest.Build(t, src)
	all := ssatest.All(fns)
	seen := map[string]int{}
	served.Walk(all, callers.Of(all), func(c *served.Context, in ssa.Instruction) {
		call, ok := in.(*ssa.Call)
		if !ok || call.Call.StaticCallee() == nil {
			return
		}
		name := call.Call.StaticCallee().Name()
		if name != "shared" && name != "private" {
			return
		}
		seen[name]++
		if got := c.Shared(call.Call.Args[0]); got != (name == "shared") {
			t.Errorf("in %s, under %s: shared %v at %s", c.Fn.Name(), c.Handler.Name(), got, call)
		}
	})
	if seen["shared"] != 7 || seen["private"] != 5 {
		t.Errorf("visited %v, want 7 and 5: notServed, NotStrict, SetWriter and Find are no handlers", seen)
	}
}
