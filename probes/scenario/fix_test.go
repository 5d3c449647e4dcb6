package scenario

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestWithFix(t *testing.T) {
	s, err := Open("counter")
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "atomic") // a name that the scenario has
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	const text = "\\set page 1\nUPDATE page SET views = views + 1 WHERE id = :page;\n"
	if err := os.WriteFile(filepath.Join(dir, "view.sql"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	with, err := s.WithFix(dir)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := with.Variants(), append(s.Variants(), "fix"); !slices.Equal(got, want) {
		t.Errorf("variants %v, want %v", got, want)
	}
	fix, err := with.Variant("fix")
	if err != nil {
		t.Fatal(err)
	}
	if a := fix.Actor("view"); !fix.Fixed || a.Text != text || len(fix.Invariants) != len(s.Invariants) {
		t.Errorf("fixed %v, script %q, %d invariants", fix.Fixed, a.Text, len(fix.Invariants))
	}
	if strings.Contains(s.Actor("view").Text, "views + 1 WHERE") {
		t.Error("the scenario itself has changed")
	}
}
