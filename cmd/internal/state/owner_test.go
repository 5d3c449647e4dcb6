//go:build unix

package state

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Without a home histories go to a folder that nobody else made or can read.
func TestNoHome(t *testing.T) {
	tests := []struct {
		name string
		make func(t *testing.T, dir string)
		want string // "" for one that can be used
	}{
		{"not there", func(*testing.T, string) {}, ""},
		{"the user's", func(t *testing.T, dir string) { folder(t, dir, 0o700) }, ""},
		{"open to all", func(t *testing.T, dir string) { folder(t, dir, 0o777) }, "is open to other users"},
		{"open to readers", func(t *testing.T, dir string) { folder(t, dir, 0o755) }, "is open to other users"},
		{"a link to elsewhere", func(t *testing.T, dir string) {
			if err := os.Symlink(t.TempDir(), dir); err != nil {
				t.Fatal(err)
			}
		}, "is no folder"},
		{"of another user", func(t *testing.T, dir string) {
			if os.Getuid() != 0 {
				t.Skip("SKIPPED, NOT PROVEN: only root can give a folder to another user")
			}
			folder(t, dir, 0o700)
			if err := os.Chown(dir, 1, 1); err != nil {
				t.Fatal(err)
			}
		}, "belongs to another user"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Setenv("TMPDIR", t.TempDir())
			tt.make(t, filepath.Join(os.TempDir(), shared()))
			path, err := New(env(nil), "run")
			if tt.want == "" {
				if err != nil || !strings.HasPrefix(path, filepath.Join(os.TempDir(), shared())) {
					t.Errorf("%q, %v", path, err)
				}
				return
			}
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Fatalf("%q, %v", path, err)
			}
			// Nor is a history of somebody else's the newest.
			planted := filepath.Join(Folder(env(nil)), "planted"+Ext)
			if err := os.WriteFile(planted, nil, 0o600); err != nil {
				t.Fatal(err)
			}
			if path, ok := Newest(env(nil)); ok {
				t.Errorf("took %s", path)
			}
		})
	}
}

func folder(t *testing.T, dir string, mode os.FileMode) {
	t.Helper()
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(dir, mode); err != nil {
		t.Fatal(err)
	}
}
