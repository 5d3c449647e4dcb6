package driver

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/go/analysis"

	"github.com/ccheck/ccheck/analyzers/code/filecheckact"
	"github.com/ccheck/ccheck/analyzers/code/goroutineleak"
	"github.com/ccheck/ccheck/analyzers/code/sqlcheckact"
	"github.com/ccheck/ccheck/analyzers/internal/flow"
	"github.com/ccheck/ccheck/analyzers/report"
)

// layers has a check and an act behind an interface, in a package that the
// caller does not import.
const layers = `
-- go.mod --
module example.com/app

go 1.24
-- service/service.go --
package service

type Files interface {
	Has(name string) bool
	Put(name string, data []byte) error
}

func Once(f Files, name string, data []byte) error {
	if f.Has(name) {
		return nil
	}
	return f.Put(name, data)
}
-- disk/disk.go --
package disk

import "os"

type Disk struct{}

func (Disk) Has(name string) bool {
	_, err := os.Stat(name)
	return err == nil
}

func (Disk) Put(name string, data []byte) error { return os.WriteFile(name, data, 0o600) }
-- main.go --
package main

import (
	"example.com/app/disk"
	"example.com/app/service"
)

func main() { _ = service.Once(disk.Disk{}, "a", nil) }
`

func TestLink(t *testing.T) {
	s := Source{
		Dir: tree(t, layers), Cache: t.TempDir(),
		Analyzers: []*analysis.Analyzer{filecheckact.Analyzer}, Pairings: []flow.Pairing{filecheckact.Pairing},
	}
	want := []string{"service/service.go:12:filecheckact"}
	for _, run := range []string{"cold", "warm"} {
		r := vet(t, s)
		if !slices.Equal(places(r), want) || len(r.Findings[0].Steps) == 0 || len(r.Reasons) > 0 {
			t.Errorf("%s: %v %q, want %v", run, places(r), r.Reasons, want)
		}
	}
	put(t, s.Dir+"/disk/disk.go", "package disk\n\ntype Disk struct{}\n\nfunc (Disk) Has(string) bool { return false }\n\nfunc (Disk) Put(string, []byte) error { return nil }\n")
	if r := vet(t, s); len(r.Findings) != 0 {
		t.Errorf("after the disk has gone: %v", places(r))
	}
	s.Pairings = nil
	if r := vet(t, s); len(r.Findings) != 0 {
		t.Errorf("without the step over all packages: %v", places(r))
	}
}

func TestACrashOfTheLinkIsUnknown(t *testing.T) {
	s := Source{
		Dir: tree(t, layers), Analyzers: []*analysis.Analyzer{filecheckact.Analyzer},
		Pairings: []flow.Pairing{{Name: "filecheckact", Judge: func(*flow.Summary) []flow.Found { panic("no such event") }}},
	}
	if r := vet(t, s); len(r.Reasons) != 1 || r.Reasons[0] != "judging all packages together crashed: no such event" {
		t.Errorf("reasons %q", r.Reasons)
	}
}

// signup looks for a user and inserts one.
const signup = `
-- go.mod --
module example.com/app

go 1.24
-- users/users.go --
package users

import (
	"context"
	"database/sql"
)

func SignUp(ctx context.Context, db *sql.DB, email string) error {
	var id int
	err := db.QueryRowContext(ctx, "SELECT id FROM users WHERE email = $1", email).Scan(&id)
	if err != sql.ErrNoRows {
		return err
	}
	_, err = db.ExecContext(ctx, "INSERT INTO users (email) VALUES ($1)", email)
	return err
}
`

func TestMigrationsSayWhatIsUnique(t *testing.T) {
	const unique = "CREATE TABLE users (id serial PRIMARY KEY, email text UNIQUE);\n"
	tests := []struct {
		name, file, text string
		found            int
	}{
		{"no migration", "readme.txt", unique, 1},
		{"a unique column", "db/1.up.sql", unique, 0},
		{"another column", "db/1.sql", "CREATE TABLE users (id serial PRIMARY KEY, email text);\n", 1},
		{"the way back", "db/1.down.sql", unique, 1},
		{"the way back in one file", "db/1.sql", "-- +goose Up\nSELECT 1;\n-- +goose Down\n" + unique, 1},
		{"a migration of a dependency", "vendor/x/1.sql", unique, 1},
		{"in Go", "db/db.go", "package db\n\nimport \"database/sql\"\n\nfunc Migrate(db *sql.DB) error {\n\t_, err := db.Exec(\"CREATE UNIQUE INDEX ON users (lower(email))\")\n\treturn err\n}\n", 0},
		{"in a list in Go", "db/db.go", "package db\n\nvar All = []struct{ up string }{{`create table users (email text primary key)`}}\n", 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			dir := tree(t, signup)
			put(t, dir+"/"+tt.file, tt.text)
			r := vet(t, Source{
				Dir: dir, Analyzers: []*analysis.Analyzer{sqlcheckact.Analyzer}, Pairings: []flow.Pairing{sqlcheckact.Pairing},
			})
			if len(r.Findings) != tt.found || len(r.Reasons) > 0 {
				t.Errorf("%v %q, want %d findings", places(r), r.Reasons, tt.found)
			}
		})
	}
}

// A package alone does not know the key, and says that both insert.
func TestWhatAllPackagesKnowIsSaid(t *testing.T) {
	wanted := strings.NewReplacer("email string) error {", "email string) (int, error) {", "return err\n", "return id, err\n").Replace(signup)
	dir := tree(t, wanted)
	put(t, dir+"/db/1.sql", "CREATE TABLE users (id serial PRIMARY KEY, email text UNIQUE);\n")
	r := vet(t, Source{Dir: dir, Analyzers: []*analysis.Analyzer{sqlcheckact.Analyzer}, Pairings: []flow.Pairing{sqlcheckact.Pairing}})
	if len(r.Findings) != 1 || !strings.Contains(r.Findings[0].Message, "one gets an error") || r.Findings[0].Severity != report.Low {
		t.Errorf("%+v, want the error of the unique key, low", r.Findings)
	}
}

// keep has a type that starts a goroutine without an end, and promises one.
const keep = `
-- go.mod --
module example.com/app

go 1.24
-- keep/keep.go --
package keep

import "time"

type Keeper struct{ n int }

func New() *Keeper {
	k := &Keeper{}
	go k.sweep()
	return k
}

func (k *Keeper) Close() {}

func (k *Keeper) sweep() {
	for range time.NewTicker(time.Second).C {
		k.n++
	}
}
`

func TestWhatStartsOnceIsNoLeak(t *testing.T) {
	tests := []struct {
		name, file, text string
		found            int
	}{
		{"a library", "other/other.go", "package other\n", 1},
		{"main starts it", "main.go", "package main\n\nimport \"example.com/app/keep\"\n\nfunc main() { defer keep.New().Close() }\n", 0},
		{"a handler starts it", "main.go", "package main\n\nimport (\n\t\"net/http\"\n\n\t\"example.com/app/keep\"\n)\n\nfunc handle(http.ResponseWriter, *http.Request) { keep.New().Close() }\n\nfunc main() { http.HandleFunc(\"/\", handle) }\n", 1},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			dir := tree(t, keep)
			put(t, dir+"/"+tt.file, tt.text)
			r := vet(t, Source{
				Dir: dir, Analyzers: []*analysis.Analyzer{goroutineleak.Analyzer}, Pairings: []flow.Pairing{filecheckact.Pairing},
				Quiet: map[string]Start{"goroutineleak": OneGoroutine},
			})
			if len(r.Findings) != tt.found || len(r.Reasons) > 0 {
				t.Errorf("%v %q, want %d findings", places(r), r.Reasons, tt.found)
			}
		})
	}
}

// A function that is too long to be looked at makes the verdict unknown, unless a
// machine wrote it.
func TestTooLongIsUnknown(t *testing.T) {
	body := "package x\n\nvar m = map[int]int{}\n\nfunc Long(n int) {\n" + strings.Repeat("\tif n > 1 {\n\t\tm[n]++\n\t}\n", 2100) + "}\n"
	for _, c := range []struct {
		head string
		want report.Verdict
	}{{"", report.Unknown}, {"// Code generated by hand. DO NOT EDIT.\n\n", report.Clean}} {
		dir := tree(t, "-- go.mod --\nmodule example.com/x\n\ngo 1.24\n")
		put(t, filepath.Join(dir, "x.go"), c.head+body)
		r := vet(t, Source{Dir: dir, Analyzers: []*analysis.Analyzer{filecheckact.Analyzer}})
		if r.Verdict != c.want || c.want == report.Unknown && (len(r.Reasons) != 1 || !strings.Contains(r.Reasons[0], "example.com/x.Long has")) {
			t.Errorf("%q: verdict %s, reasons %q", c.head, r.Verdict, r.Reasons)
		}
	}
}

// What was found goes with the SQL that is embedded.
func TestEmbeddedChanges(t *testing.T) {
	dir := tree(t, embedding)
	s := Source{Dir: dir, Cache: t.TempDir(), Analyzers: []*analysis.Analyzer{sqlcheckact.Analyzer}, Pairings: []flow.Pairing{sqlcheckact.Pairing}}
	if r := vet(t, s); len(r.Findings) != 1 {
		t.Fatalf("%v %q, want one finding", places(r), r.Reasons)
	}
	put(t, filepath.Join(dir, "take.sql"), "UPDATE seats SET taken = true WHERE id = $1 AND NOT taken RETURNING id")
	if r := vet(t, s); len(r.Findings) != 0 {
		t.Errorf("%v with a guard in the file, want none", places(r))
	}
}

const embedding = `
-- go.mod --
module example.com/x

go 1.24
-- find.sql --
SELECT taken FROM seats WHERE id = $1
-- take.sql --
UPDATE seats SET taken = true WHERE id = $1
-- x.go --
package x

import (
	"database/sql"
	_ "embed"
	"errors"
)

//go:embed find.sql
var find string

//go:embed take.sql
var take string

func Take(db *sql.DB, id int64) error {
	var taken bool
	if err := db.QueryRow(find, id).Scan(&taken); err != nil {
		return err
	}
	if taken {
		return errors.New("taken")
	}
	_, err := db.Exec(take, id)
	return err
}
`
