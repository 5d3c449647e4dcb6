// Package state is the folder in which ccheck keeps the histories of its runs
// where the user names no file. It knows their names and ages and reads none
// of them.
package state

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"
)

// Ext is how the name of a history ends.
const Ext = ".jsonl"

// kept is how many histories the folder keeps.
const kept = 30

// Folder is where histories go: below the state folder of the XDG Base
// Directory Specification, by which one that is not absolute does not count, or
// in a folder of the user's among the temporary files where there is no home. It
// need not exist.
func Folder(env func(string) string) string {
	dir := home(env)
	if dir == "" {
		dir = filepath.Join(os.TempDir(), shared())
	}
	return filepath.Join(dir, "ccheck", "histories")
}

// home is the user's state folder, "" where there is none.
func home(env func(string) string) string {
	if dir := env("XDG_STATE_HOME"); filepath.IsAbs(dir) {
		return dir
	}
	if home := env("HOME"); home != "" {
		return filepath.Join(home, ".local", "state")
	}
	return ""
}

// trusted finds out whether the folder is the user's own. Among the temporary
// files anybody can make one of that name first, and read what comes into it.
func trusted(env func(string) string) error {
	if home(env) != "" {
		return nil
	}
	return owned(filepath.Dir(filepath.Dir(Folder(env))))
}

// New is the path of a new history in the folder, which is made when it is not
// there. The oldest histories give way.
func New(env func(string) string, run string) (string, error) {
	dir := Folder(env)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", fmt.Errorf("making the folder for histories: %w", err)
	}
	if err := trusted(env); err != nil {
		return "", fmt.Errorf("there is no home for histories: %w", err)
	}
	all := list(dir)
	for i := kept - 1; i < len(all); i++ {
		_ = os.Remove(all[i].path) // a failure costs space and nothing else
	}
	return filepath.Join(dir, run+Ext), nil
}

// Newest is the history in the folder that was written last.
func Newest(env func(string) string) (path string, ok bool) {
	all := list(Folder(env))
	if len(all) == 0 || trusted(env) != nil {
		return "", false
	}
	return all[0].path, true
}

// entry is one history of the folder.
type entry struct {
	path    string
	written time.Time
}

// list is the histories of the folder, the newest first. One that vanishes
// meanwhile is left out.
func list(dir string) []entry {
	files, _ := os.ReadDir(dir) // a folder that cannot be read is empty
	var all []entry
	for _, f := range files {
		info, err := f.Info()
		if err == nil && info.Mode().IsRegular() && filepath.Ext(f.Name()) == Ext {
			all = append(all, entry{filepath.Join(dir, f.Name()), info.ModTime()})
		}
	}
	slices.SortFunc(all, func(a, b entry) int {
		return cmp.Or(b.written.Compare(a.written), cmp.Compare(b.path, a.path))
	})
	return all
}
