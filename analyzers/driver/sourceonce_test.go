package driver

import (
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/passes/copylock"
)

const copies = `
-- go.mod --
module example.com/copies

go 1.24
-- a/a.go --
package a

import "sync"

type Store struct{ mu sync.Mutex }

type Index struct{ Store }

func first(s Store) {}

func second(s Store) Store { return s }

func other(i Index) {}
-- a/b.go --
package a

func third(s Store) { //ccheck:ignore copylocks a test
}

func fourth(s Store) {}
-- b/b.go --
package b

import "example.com/copies/a"

func Take(s a.Store) {}
`

// copyOf is the type at the end of a message of copylocks.
func copyOf(rule, message string) string {
	_, about, _ := strings.Cut(message, ": ")
	return about
}

var copying = []*analysis.Analyzer{copylock.Analyzer}

// One type is one finding in a package, another type or package another one, and
// what a directive silences is no step.
func TestCopiesOfATypeAreToldOnce(t *testing.T) {
	r := vet(t, Source{Dir: tree(t, copies), Analyzers: copying, Once: copyOf})
	if want := []string{"a/a.go:09:copylocks", "a/a.go:13:copylocks", "b/b.go:05:copylocks"}; !slices.Equal(places(r), want) {
		t.Fatalf("%v, want %v", places(r), want)
	}
	var steps []string
	for _, s := range r.Findings[0].Steps {
		steps = append(steps, s.Where.File+":"+itoa(s.Where.Line)+": "+s.Text)
	}
	want := []string{
		"a/a.go:11: second passes lock by value: example.com/copies/a.Store contains sync.Mutex",
		"a/a.go:11: return copies lock value: example.com/copies/a.Store contains sync.Mutex",
		"a/b.go:06: fourth passes lock by value: example.com/copies/a.Store contains sync.Mutex",
	}
	if !slices.Equal(steps, want) {
		t.Errorf("steps %q, want %q", steps, want)
	}
	if len(r.Findings[1].Steps)+len(r.Findings[2].Steps) > 0 {
		t.Errorf("a single copy has steps: %+v", r.Findings[1:])
	}
}

// A rule that is not named tells every place.
func TestEveryCopyOfOtherRules(t *testing.T) {
	if r := vet(t, Source{Dir: tree(t, copies), Analyzers: copying}); len(r.Findings) != 6 {
		t.Errorf("%v, want six", places(r))
	}
}
