package driver

import (
	"slices"
	"testing"

	"golang.org/x/tools/go/analysis"

	"github.com/ccheck/ccheck/analyzers/code/filecheckact"
	"github.com/ccheck/ccheck/analyzers/internal/flow"
)

// layers has a check and an act behind an interface, in a package that the
// caller does not import.
const layers = `
-- go.mod --
module example.com/app

go 1.24
-- service/service.go --
package service

type Files interface {
	Has(name string) bool
	Put(name string, data []byte) error
}

func Once(f Files, name string, data []byte) error {
	if f.Has(name) {
		return nil
	}
	return f.Put(name, data)
}
-- disk/disk.go --
package disk

import "os"

type Disk struct{}

func (Disk) Has(name string) bool {
	_, err := os.Stat(name)
	return err == nil
}

func (Disk) Put(name string, data []byte) error { return os.WriteFile(name, data, 0o600) }
-- main.go --
package main

import (
	"example.com/app/disk"
	"example.com/app/service"
)

func main() { _ = service.Once(disk.Disk{}, "a", nil) }
`

func TestLink(t *testing.T) {
	s := Source{
		Dir: tree(t, layers), Cache: t.TempDir(),
		Analyzers: []*analysis.Analyzer{filecheckact.Analyzer}, Pairings: []flow.Pairing{filecheckact.Pairing},
	}
	want := []string{"service/service.go:12:filecheckact"}
	for _, run := range []string{"cold", "warm"} {
		r := vet(t, s)
		if !slices.Equal(places(r), want) || len(r.Findings[0].Steps) == 0 || len(r.Reasons) > 0 {
			t.Errorf("%s: %v %q, want %v", run, places(r), r.Reasons, want)
		}
	}
	put(t, s.Dir+"/disk/disk.go", "package disk\n\ntype Disk struct{}\n\nfunc (Disk) Has(string) bool { return false }\n\nfunc (Disk) Put(string, []byte) error { return nil }\n")
	if r := vet(t, s); len(r.Findings) != 0 {
		t.Errorf("after the disk has gone: %v", places(r))
	}
	s.Pairings = nil
	if r := vet(t, s); len(r.Findings) != 0 {
		t.Errorf("without the step over all packages: %v", places(r))
	}
}

func TestACrashOfTheLinkIsUnknown(t *testing.T) {
	s := Source{
		Dir: tree(t, layers), Analyzers: []*analysis.Analyzer{filecheckact.Analyzer},
		Pairings: []flow.Pairing{{Name: "filecheckact", Judge: func(*flow.Summary) []flow.Found { panic("no such event") }}},
	}
	if r := vet(t, s); len(r.Reasons) != 1 || r.Reasons[0] != "judging all packages together crashed: no such event" {
		t.Errorf("reasons %q", r.Reasons)
	}
}
