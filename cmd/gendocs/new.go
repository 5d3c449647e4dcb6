package main

import (
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"

	"golang.org/x/tools/txtar"
)

//go:embed new/*.txtar
var drafts embed.FS

// word is what a rule, a probe or a screen is called, and its folder.
var word = regexp.MustCompile(`^[a-z][a-z0-9]*$`)

// draft writes the first files of a contribution below root: it compiles, its
// test passes, and its words say what to replace. It returns what is left to do
// by hand. Nothing is overwritten.
func draft(root, kind, name string) (next string, err error) {
	text, err := drafts.ReadFile(path.Join("new", kind+".txtar"))
	if err != nil {
		return "", fmt.Errorf("there is nothing like %q to begin: -new takes %s", kind, strings.Join(kinds(), ", "))
	}
	if !word.MatchString(name) {
		return "", fmt.Errorf("%q is no name: it takes one word of lower-case letters and digits, such as lostupdate", name)
	}
	all := txtar.Parse([]byte(strings.ReplaceAll(string(text), "{{name}}", name)))
	dir := filepath.Join(root, filepath.FromSlash(path.Dir(all.Files[0].Name)))
	if _, err := os.Stat(dir); !errors.Is(err, fs.ErrNotExist) {
		return "", fmt.Errorf("%s is there already", dir)
	}
	for _, f := range all.Files {
		to := filepath.Join(root, filepath.FromSlash(f.Name))
		if err := os.MkdirAll(filepath.Dir(to), 0o777); err != nil {
			return "", fmt.Errorf("making the folder: %w", err)
		}
		if err := os.WriteFile(to, f.Data, 0o666); err != nil {
			return "", fmt.Errorf("writing the draft: %w", err)
		}
	}
	return string(all.Comment), nil
}

// kinds are what can be begun.
func kinds() []string {
	entries, _ := drafts.ReadDir("new") // it is embedded
	var all []string
	for _, e := range entries {
		all = append(all, strings.TrimSuffix(e.Name(), ".txtar"))
	}
	return all
}
