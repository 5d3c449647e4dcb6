package a

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

func SaveUnlisted(dir, name string, data []byte) error {
	list, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, e := range list {
		if e.Name() == name {
			return errTaken
		}
	}
	return os.WriteFile(filepath.Join(dir, name), data, 0o644) // want `check then act on a path: os.ReadDir decides`
}

func hasEntry(dir, name string) (bool, error) {
	list, err := os.ReadDir(dir)
	if err != nil {
		return false, err
	}
	for _, e := range list {
		if strings.EqualFold(e.Name(), name) {
			return true, nil
		}
	}
	return false, nil
}

func SaveThroughHelper(dir, name string, data []byte) error {
	found, err := hasEntry(dir, name)
	if err != nil {
		return err
	}
	if found {
		return errTaken
	}
	f, err := os.Create(filepath.Join(dir, name)) // want `check then act on a path: os.ReadDir decides`
	if err != nil {
		return err
	}
	defer f.Close()
	_, err = f.Write(data)
	return err
}

func SaveFlagged(dir, name string, data []byte) error {
	list, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	found := false
	for _, e := range list {
		if e.Name() == name {
			found = true
			break
		}
	}
	if !found {
		return os.WriteFile(dir+"/"+name, data, 0o644) // want `check then act on a path: os.ReadDir decides`
	}
	return nil
}

func SaveUncontained(dir, name string, data []byte) error {
	list, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	if slices.ContainsFunc(list, func(e os.DirEntry) bool { return e.Name() == name }) {
		return errTaken
	}
	return os.WriteFile(filepath.Join(dir, name), data, 0o644) // want `check then act on a path: os.ReadDir decides`
}

func SaveUnmatched(dir, id string, data []byte) error {
	found, err := filepath.Glob(filepath.Join(dir, id+".*"))
	if err != nil {
		return err
	}
	if len(found) > 0 {
		return errTaken
	}
	return os.WriteFile(filepath.Join(dir, id+".json"), data, 0o644) // want `check then act on a path: path/filepath.Glob decides|check then act on a path: filepath.Glob decides`
}

func SaveCounted(dir string, data []byte) error {
	found, err := filepath.Glob(filepath.Join(dir, "part-*"))
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, fmt.Sprintf("part-%d", len(found)+1)), data, 0o644) // want `another file can have the number by then`
}

func LinkOnce(target, link string) error {
	if _, err := os.Readlink(link); err == nil {
		return nil
	}
	return os.Symlink(target, link) // want `check then act on a path: os.Readlink decides`
}

// The file is made by a call that one alone can win.
func SaveExclusive(dir, name string) (*os.File, error) {
	list, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	for _, e := range list {
		if e.Name() == name {
			return nil, errTaken
		}
	}
	return os.OpenFile(filepath.Join(dir, name), os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o644)
}

// What is listed is counted, and says nothing of the name.
func SaveWithin(dir, name string, limit int, data []byte) error {
	list, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	if len(list) == limit {
		return errors.New("full")
	}
	return os.WriteFile(filepath.Join(dir, name), data, 0o644)
}

// A file of another name is looked for.
func SaveBesideMarker(dir, marker, name string, data []byte) error {
	list, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, e := range list {
		if e.Name() == marker {
			return errors.New("frozen")
		}
	}
	return os.WriteFile(filepath.Join(dir, name), data, 0o644)
}

// A directory that is there is as good as one that is made.
func EnsureListed(dir, name string) error {
	list, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, e := range list {
		if e.Name() == name {
			return nil
		}
	}
	return os.MkdirAll(filepath.Join(dir, name), 0o755)
}

// The new link is moved over the old one, whichever that is by then.
func Relink(target, link string) error {
	if old, err := os.Readlink(link); err == nil && old == target {
		return nil
	}
	tmp := link + ".new"
	if err := os.Symlink(target, tmp); err != nil {
		return err
	}
	return os.Rename(tmp, link)
}

// Plugins are found by a pattern, and the report goes elsewhere.
func ReportPlugins(dir, out string) error {
	found, err := filepath.Glob(filepath.Join(dir, "*.so"))
	if err != nil || len(found) == 0 {
		return err
	}
	return os.WriteFile(filepath.Join(dir, out), []byte(strings.Join(found, "\n")), 0o644)
}
