package startup

import (
	"testing"

	"golang.org/x/tools/go/analysis/analysistest"
)

// TestCommand: what a command runs is run once, as main is; a function in another
// field can be called by anybody, and so can a method that an interface has.
func TestCommand(t *testing.T) {
	r := analysistest.Run(t, analysistest.TestData(), Analyzer, "app")[0]
	p := New([]*Package{r.Result.(*Package)})
	file := r.Pass.Fset.Position(r.Pass.Files[0].Pos()).Filename
	tests := []struct {
		line           int
		before, single bool
	}{
		{19, true, true},  // start
		{21, false, true}, // the goroutine of it
		{27, false, false},
		{30, false, true},  // Watch, which no interface has
		{31, false, false}, // Name, which one has
		{32, false, false}, // nobody calls it
	}
	for _, tt := range tests {
		if before, single := p.Before(file, tt.line), p.Single(file, tt.line); before != tt.before || single != tt.single {
			t.Errorf("line %d: before %v, single %v; want %v, %v", tt.line, before, single, tt.before, tt.single)
		}
	}
}
