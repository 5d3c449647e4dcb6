package flags

import (
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/ccheck/ccheck/cmd/internal/exit"
	"github.com/ccheck/ccheck/probes/scenario"
)

// OpenScenario is scenario.Open, with a guard: a connection string that was
// written without --dsn must not be quoted back as the name of a scenario.
func OpenScenario(name string) (*scenario.Scenario, error) {
	sc, err := AnyScenario(name)
	if err == nil && sc.App != nil {
		return nil, exit.Usagef("scenario %s is of an application, whose requests only explore and stress send", sc.Name).WithHint("`ccheck explore %s`", name)
	}
	return sc, err
}

// AnyScenario is OpenScenario that takes one of an application, too.
func AnyScenario(name string) (*scenario.Scenario, error) {
	if isConnection(name) {
		return nil, exit.Usagef("a scenario is named by a word or a folder, not by %s", Shown(name)).
			WithHint("a server is named by --dsn; `ccheck scenario list` has the scenarios")
	}
	return scenario.Open(name)
}

// Shadowed returns the folder beside us that has the name of a built-in
// scenario, as an export without a folder leaves it, or "". The built-in one is
// meant by the bare name: what runs must not depend on where.
func Shadowed(name string) string {
	name, _, _ = strings.Cut(name, "/")
	for _, s := range scenario.Builtin() {
		if _, err := os.Stat(filepath.Join(name, scenario.File)); s.Name == name && err == nil {
			return "./" + name
		}
	}
	return ""
}

// Scenarios completes the names of the built-in scenarios and their variants;
// the shell adds folders.
func Scenarios(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveDefault
	}
	return ScenarioNames(), cobra.ShellCompDirectiveDefault
}

// ScenarioNames are the names of the built-in scenarios and their variants, as
// scenario.Open takes them.
func ScenarioNames() []string {
	var names []string
	for _, s := range scenario.Builtin() {
		names = append(names, s.Name)
		for _, v := range s.Variants() {
			names = append(names, s.Name+"/"+v)
		}
	}
	return names
}
