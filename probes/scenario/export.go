package scenario

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// SchemaFile is the name under which Export puts the JSON Schema beside the
// manifest, for editors that complete from it.
const SchemaFile = "scenario.schema.json"

// schemaComment is understood by the YAML language server that most editors
// run.
const schemaComment = "# yaml-language-server: $schema="

// Export writes the scenario as a folder to edit: the files it was read from,
// and for a variant a manifest in which the variant is the default version. It
// makes dir, and writes nothing when dir is there and not empty. When not all of
// it can be written, nothing is left.
func (s *Scenario) Export(dir string) error {
	files, err := s.export()
	if err != nil {
		return err
	}
	entries, err := os.ReadDir(dir)
	switch {
	case err == nil && len(entries) > 0:
		return &Error{File: dir, Msg: "this folder is not empty", Hint: "name a new folder"}
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return &Error{File: dir, Msg: cause(err).Error(), Hint: "name a new folder"}
	}
	var made []string
	for _, f := range files {
		to := filepath.Join(dir, filepath.FromSlash(f.path))
		made = append(append(made, missing(filepath.Dir(to))...), to)
		err := os.MkdirAll(filepath.Dir(to), 0o777)
		if err == nil {
			err = os.WriteFile(to, []byte(f.text), 0o666)
		}
		if err != nil {
			for _, name := range slices.Backward(made) {
				_ = os.Remove(name) // what could not be made is not there
			}
			return fmt.Errorf("exporting %s: %w", s.FullName(), err)
		}
	}
	return nil
}

// missing are the folders above and with this one that are not there yet, the
// outermost first.
func missing(dir string) []string {
	if _, err := os.Stat(dir); !errors.Is(err, fs.ErrNotExist) || filepath.Dir(dir) == dir {
		return nil
	}
	return append(missing(filepath.Dir(dir)), dir)
}

// export returns the files of the folder, the manifest first.
func (s *Scenario) export() ([]file, error) {
	files := slices.Clone(s.files)
	if len(files) == 0 || files[0].path != File || s.Version != "" {
		text, err := s.manifest()
		if err != nil {
			return nil, fmt.Errorf("writing the manifest of %s: %w", s.FullName(), err)
		}
		files = append([]file{{File, text}}, s.used()...)
	}
	files[0].text = withSchema(files[0].text)
	return append(files, file{SchemaFile, string(Schema())}), nil
}

// withSchema points the first line of a manifest to the schema beside it.
func withSchema(text string) string {
	if strings.HasPrefix(text, schemaComment) {
		_, text, _ = strings.Cut(text, "\n")
	}
	return schemaComment + SchemaFile + "\n" + text
}

// used are the files that this version of the scenario needs.
func (s *Scenario) used() []file {
	need := map[string]bool{}
	for _, src := range s.Setup {
		need[src.path] = true
	}
	if s.Reset != nil {
		need[s.Reset.path] = true
	}
	for _, a := range s.Actors {
		need[a.Path] = true
	}
	for _, v := range s.Invariants {
		need[v.SQL.path] = true
	}
	return slices.DeleteFunc(slices.Clone(s.files), func(f file) bool { return !need[f.path] || f.path == File })
}
