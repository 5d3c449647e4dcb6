package cli

import (
	"flag"
	"strings"

	"golang.org/x/tools/go/analysis/unitchecker"

	"github.com/ccheck/ccheck/analyzers"
	"github.com/ccheck/ccheck/analyzers/driver"
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

// vetTool is the protocol between go vet and an analysis tool. It ends the
// process. The flags of the protocol live in the flag package's own set.
func vetTool() {
	tests := flag.Bool("tests", false, "report what is in test files, too")
	unitchecker.Main(driver.Guarded(analyzers.Code, func() bool { return *tests })...)
}
