package state

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"
)

func env(vars map[string]string) func(string) string {
	return func(name string) string { return vars[name] }
}

func TestFolder(t *testing.T) {
	tests := []struct {
		name string
		vars map[string]string
		want string
	}{
		{"the state folder", map[string]string{"XDG_STATE_HOME": "/s", "HOME": "/h"}, "/s/ccheck/histories"},
		{"the home", map[string]string{"HOME": "/h"}, "/h/.local/state/ccheck/histories"},
		{"no home", nil, filepath.Join(os.TempDir(), shared(), "ccheck", "histories")},
		{"one that is not absolute does not count", map[string]string{"XDG_STATE_HOME": "s", "HOME": "/h"}, "/h/.local/state/ccheck/histories"},
	}
	for _, tt := range tests {
		if got := Folder(env(tt.vars)); got != filepath.FromSlash(tt.want) {
			t.Errorf("%s: %s, want %s", tt.name, got, tt.want)
		}
	}
}

// The newest histories stay, by the time of writing and not by the name.
func TestNewAndNewest(t *testing.T) {
	e := env(map[string]string{"XDG_STATE_HOME": t.TempDir()})
	if path, ok := Newest(e); ok {
		t.Errorf("an empty folder has a newest history %s", path)
	}
	at := time.Now().Add(-time.Hour)
	for i := range kept + 5 {
		path, err := New(e, fmt.Sprintf("run%02d", 99-i))
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(path, at, at.Add(time.Duration(i)*time.Second)); err != nil {
			t.Fatal(err)
		}
	}
	other := filepath.Join(Folder(e), "notes.txt")
	if err := os.WriteFile(other, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	path, ok := Newest(e)
	if want := fmt.Sprintf("run%02d%s", 99-kept-4, Ext); !ok || filepath.Base(path) != want {
		t.Errorf("the newest is %s, want %s", path, want)
	}
	if n := len(list(Folder(e))); n != kept {
		t.Errorf("%d histories are kept, want %d", n, kept)
	}
	if _, err := os.Stat(other); err != nil {
		t.Errorf("a file of another kind is gone: %v", err)
	}
}

func TestNewInAFile(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := New(env(map[string]string{"XDG_STATE_HOME": file}), "run"); err == nil {
		t.Error("a folder was made inside of a file")
	}
}
