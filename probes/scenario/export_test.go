package scenario_test

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/ccheck/ccheck/probes/scenario"
)

// A folder that is not written to its end is not left half written. The path is
// so long that the manifest can still be named, and the schema beside it cannot:
// an error of the system after the first files, as a full disk is.
func TestExportLeavesNothingHalf(t *testing.T) {
	const longest = 4095 // PATH_MAX without its end
	root := t.TempDir()
	s := open(t, "testdata/cases/01-wallet-absolute-write")
	made := filepath.Join(root, "made")
	dir := made
	for room := longest - len("/scenario.schema.json") + 1; len(dir) < room; {
		dir = filepath.Join(dir, strings.Repeat("x", min(200, max(1, room-len(dir)-1))))
	}
	switch err := s.Export(dir); {
	case err == nil:
		t.Fatal("the path was not too long")
	case runtime.GOOS == "linux" && !strings.Contains(err.Error(), scenario.SchemaFile):
		t.Errorf("it failed before the last file: %v", err)
	}
	if _, err := os.Lstat(made); err == nil {
		t.Errorf("a part of the export was left")
	}
}
