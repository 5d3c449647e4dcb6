package driver

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/ccheck/ccheck/analyzers/internal/schema"
)

// largestDDL is the size, in bytes, of a .sql file that may be a migration; what
// is larger is a dump.
const largestDDL = 1 << 20

// migrations returns the texts of the .sql files of the modules, where migrations
// lie that no Go string holds. Those that take a step back are left out.
func (j *session) migrations() []string {
	var dirs, texts []string
	for _, u := range j.units {
		if u.Module != nil && !slices.Contains(dirs, u.Module.Dir) {
			dirs = append(dirs, u.Module.Dir)
		}
	}
	for _, dir := range dirs {
		_ = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
			switch {
			case err != nil:
				return nil // a folder that cannot be read holds nothing for us
			case d.IsDir():
				return skip(dir, path, d.Name())
			case strings.HasSuffix(path, ".sql") && !strings.HasSuffix(path, ".down.sql"):
				if info, err := d.Info(); err == nil && info.Size() <= largestDDL {
					if text, err := os.ReadFile(path); err == nil {
						texts = append(texts, string(text))
					}
				}
			}
			return nil
		})
	}
	return texts
}

// skip keeps out of folders that are large and hold no migration of the module.
func skip(root, path, name string) error {
	if path != root && (strings.HasPrefix(name, ".") || name == "node_modules" || name == "vendor" || name == "testdata") {
		return fs.SkipDir
	}
	return nil
}

// declared reads the unique keys out of migrations.
func declared(texts []string) schema.Schema {
	found := schema.Schema{}
	for _, t := range texts {
		found.Read(up(t))
	}
	return found
}

// up is the part of a migration that goes forward, for tools that keep both ways
// in one file: goose, sql-migrate and dbmate write a comment between them.
func up(text string) string {
	lower := strings.ToLower(text)
	for _, mark := range []string{"+goose down", "+migrate down", "migrate:down"} {
		if i := strings.Index(lower, mark); i >= 0 {
			text, lower = text[:i], lower[:i]
		}
	}
	return text
}
