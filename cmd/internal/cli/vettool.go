package cli

import (
	"strings"

	"golang.org/x/tools/go/analysis/unitchecker"

	"github.com/ccheck/ccheck/analyzers"
)

// isVet reports whether the go command runs this binary as its -vettool or
// -fixtool. It asks -V=full and -flags first and then hands over one .cfg file
// for each package, behind any analyzer flags.
func isVet(args []string) bool {
	if len(args) < 2 {
		return false
	}
	if len(args) == 2 && (args[1] == "-V=full" || args[1] == "-flags") {
		return true
	}
	last := len(args) - 1
	for _, a := range args[1:last] {
		if !strings.HasPrefix(a, "-") {
			return false
		}
	}
	return strings.HasSuffix(args[last], ".cfg") && !strings.HasPrefix(args[last], "-")
}

// vetTool is the protocol between go vet and an analysis tool. It ends the process.
func vetTool() { unitchecker.Main(analyzers.Code...) }
