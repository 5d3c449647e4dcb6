package scaffold

import (
	"embed"
	"errors"
	"fmt"
	"go/format"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/ccheck/ccheck/cmd/internal/exit"
)

//go:embed ledger/migration.sql ledger/ledger.go ledger/ledger_test.go
var sources embed.FS

// names are the files that are written, as they are named in the source.
var names = []string{"migration.sql", "ledger.go", "ledger_test.go"}

// write makes the folder and the files in it.
func (o *Options) write() error {
	entries, err := os.ReadDir(o.Folder)
	switch {
	case err == nil && len(entries) > 0:
		return exit.Usagef("the folder %s is not empty", o.Folder).WithHint("name a new folder; nothing is ever overwritten")
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return exit.Usagef("%s cannot be the folder: %w", o.Folder, cause(err)).WithHint("name a new folder")
	}
	if err := os.MkdirAll(o.Folder, 0o777); err != nil {
		return exit.Failedf("making the folder %s: %w", o.Folder, cause(err)).WithHint("name a folder that can be made")
	}
	for _, name := range names {
		text, err := o.file(name)
		if err != nil {
			return err
		}
		path := filepath.Join(o.Folder, name)
		if err := os.WriteFile(path, text, 0o666); err != nil {
			return exit.Failedf("writing %s: %w", path, cause(err)).WithHint("free some space, or name another folder")
		}
		o.Streams.Sayf("wrote %s", path)
	}
	o.Streams.Sayf("next: go get github.com/jackc/pgx/v5 github.com/ccheck/ccheck && go test %s", dotted(o.Folder))
	return nil
}

func cause(err error) error {
	var pe *fs.PathError
	if errors.As(err, &pe) {
		return pe.Err
	}
	return err
}

// dotted writes a relative folder as the Go command wants a package.
func dotted(folder string) string {
	if filepath.IsAbs(folder) {
		return folder
	}
	return "./" + filepath.ToSlash(filepath.Clean(folder))
}

// file is a file of the ledger with the names of the user in it.
func (o *Options) file(name string) ([]byte, error) {
	b, err := sources.ReadFile("ledger/" + name)
	if err != nil {
		return nil, fmt.Errorf("reading a file of the ledger: %w", err)
	}
	text := o.rename(string(b))
	if !strings.HasSuffix(name, ".go") {
		return []byte(text), nil
	}
	out, err := format.Source([]byte(text))
	if err != nil {
		return nil, fmt.Errorf("formatting %s: %w", name, err)
	}
	return out, nil
}

// accountColumn is a key of the ledger that refers to an account.
var accountColumn = regexp.MustCompile(`(account_id\s+)bigint`)

// rename puts the names of the user in the place of those of the source. A test
// compares every combination with what it should be.
func (o *Options) rename(text string) string {
	text = accountColumn.ReplaceAllString(text, "${1}"+o.KeyType)
	r := []string{
		"the table account (id bigint)", fmt.Sprintf("the table %s (%s %s)", o.Table, o.Key, o.KeyType),
		"REFERENCES account (id)", fmt.Sprintf("REFERENCES %s (%s)", o.Table, o.Key),
		"CREATE TABLE account (id bigint PRIMARY KEY)", fmt.Sprintf("CREATE TABLE %s (%s %s PRIMARY KEY)", o.Table, o.Key, o.KeyType),
		"INSERT INTO account (id)", fmt.Sprintf("INSERT INTO %s (%s)", o.Table, o.Key),
		"'::bigint, -200", "'::" + o.KeyType + ", -200",
		"$2::bigint[]", "$2::" + o.KeyType + "[]",
		"package ledger\n", "package " + o.Package + "\n", "Package ledger ", "Package " + o.Package + " ",
	}
	switch o.KeyType {
	case "integer":
		r = append(r, "type AccountID = int64", "type AccountID = int32")
	case "uuid", "text":
		r = append(r, "type AccountID = int64", "type AccountID = string", "return AccountID(n)", `return fmt.Sprintf("00000000-0000-0000-0000-%012d", n)`)
	}
	return strings.NewReplacer(r...).Replace(text)
}
