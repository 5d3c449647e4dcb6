package a

import (
	"net/http"
	"slices"
	"sort"
	"strings"
	"sync"
)

// Behind an interface of the package.

type answers interface {
	get(k string) (string, bool)
	set(k, v string)
}

type plain map[string]string

func (p plain) get(k string) (string, bool) { v, ok := p[k]; return v, ok }

func (p plain) set(k, v string) {
	p[k] = v // want `a map that all requests share is changed by HTTP handler ServeHTTP without a lock`
}

type lockedAnswers struct {
	mu   sync.Mutex
	m    map[string]string
	last string
}

func (l *lockedAnswers) get(k string) (string, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	v, ok := l.m[k]
	return v, ok
}

func (l *lockedAnswers) set(k, v string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.m[k], l.last = v, k
}

type oracle struct{ a answers }

func (o *oracle) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if _, ok := o.a.get(r.URL.Path); !ok {
		o.a.set(r.URL.Path, "yes")
	}
}

// One for each request, behind the same interface.
func fresh(w http.ResponseWriter, r *http.Request) {
	var a answers = plain{}
	a.set(r.URL.Path, "no")
}

// The order of a list that all share.
var names = []string{"b", "a"}

func Names(w http.ResponseWriter, r *http.Request) {
	sort.Strings(names) // want `the order of a shared list is changed`
	w.Write([]byte(strings.Join(names, ",")))
}

func OwnNames(w http.ResponseWriter, r *http.Request) {
	own := slices.Clone(names)
	slices.Sort(own)
	w.Write([]byte(strings.Join(own, ",")))
}

var _ = fresh
