package libs

import "testing"

// Two rows for one function would hide each other.
func TestRowsAreDistinct(t *testing.T) {
	seen := map[string]bool{}
	for _, r := range all() {
		name := r.Path + "." + r.Type + "." + r.Name
		if seen[name] {
			t.Errorf("%s has two rows", name)
		}
		seen[name] = true
	}
}

func TestRowsAreWhole(t *testing.T) {
	for name, r := range tables().rows {
		if r.Path == "" || r.Name == "" || r.Op == "" {
			t.Errorf("%s: a row needs a path, a name and an operation", name)
		}
		if r.Args != None && r.Key == None && r.Note != "prepared" {
			t.Errorf("%s has bound values and no statement", name)
		}
	}
}

func TestKnown(t *testing.T) {
	for path, want := range map[string]bool{
		"gorm.io/gorm": true, "gorm.io/gorm/clause": true, "github.com/jackc/pgx/v5/pgconn": true, "sync": true,
		"syncer": false, "sync/errgroup": false, "example.com/gorm": false,
	} {
		if Known(path) != want {
			t.Errorf("%s: known %v, want %v", path, !want, want)
		}
	}
}
