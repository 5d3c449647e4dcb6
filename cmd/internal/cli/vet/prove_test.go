package vet

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/ccheck/ccheck/analyzers/driver"
	"github.com/ccheck/ccheck/analyzers/report"
	"github.com/ccheck/ccheck/cmd/internal/exit"
	"github.com/ccheck/ccheck/cmd/internal/stdio"
)

// The draft is there while the proof runs, and gone after it.
func TestProve(t *testing.T) {
	at := report.Location{File: "a.go", Line: 3, Column: 2}
	res := driver.SourceResult{Scenarios: []driver.Scenario{
		{Rule: "sqlcheckact", Where: at, Name: "debit", Files: []driver.ScenarioFile{{Name: "ccheck.yaml", Text: "setup: schema.sql\n"}}},
	}}
	if _, err := prove(context.Background(), res, report.Finding{Rule: "growth", Where: at}); err == nil {
		t.Error("a finding without a draft can be proved")
	}
	p, err := prove(context.Background(), res, report.Finding{Rule: "sqlcheckact", Where: at})
	if err != nil {
		t.Fatal(err)
	}
	args := p.Command.Args
	if args[1] != "explore" || args[3] != "--throwaway" {
		t.Errorf("it runs %q", args)
	}
	if _, err := os.Stat(filepath.Join(args[2], "ccheck.yaml")); err != nil {
		t.Error(err)
	}
	p.Done(nil)
	if _, err := os.Stat(args[2]); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the draft is left: %v", err)
	}
}

// What is said follows the exit code: only findings prove anything.
func TestSaid(t *testing.T) {
	for code, want := range map[int]string{
		exit.Clean: "Every interleaving of the draft holds", exit.Findings: "Proved:", exit.Unknown: "Not proved:", exit.Failed: "could not be run (exit code 3)",
	} {
		ended := exec.Command("sh", "-c", "exit "+strconv.Itoa(code)).Run()
		if got := said(ended, nil); !strings.Contains(got, want) {
			t.Errorf("exit code %d: %q, want %q", code, got, want)
		}
	}
	if got := said(errors.New("no such file"), errors.New("removing it")); !strings.Contains(got, "no such file") || !strings.Contains(got, "removing it") {
		t.Errorf("a proof that did not start: %q", got)
	}
}

// A person at a terminal is told what goes on before the first package is judged;
// a pipe gets the result alone.
func TestReadingIsSaid(t *testing.T) {
	for _, tty := range []bool{true, false} {
		s, b := stdio.Test()
		s.ErrTTY = tty
		_, err := judge(context.Background(), &Options{Streams: s, Patterns: []string{"./..."}, NoCache: true}, t.TempDir())
		if err == nil {
			t.Fatal("a folder without a module was judged")
		}
		if got := strings.Contains(b.Err.String(), "ccheck: reading ./..."); got != tty {
			t.Errorf("terminal %t: standard error has %q", tty, b.Err.String())
		}
	}
}
