package fencing_test

import (
	"testing"

	"golang.org/x/tools/go/analysis/analysistest"

	"github.com/ccheck/ccheck/analyzers/code/fencing"
)

func Test(t *testing.T) {
	analysistest.Run(t, analysistest.TestData(), fencing.Analyzer, "a", "etcd", "locker", "touch", "rows", "flags", "scripts", "files", "stamps")
}
