package flags

import (
	"github.com/spf13/cobra"

	"github.com/ccheck/ccheck/cmd/internal/exit"
	"github.com/ccheck/ccheck/probes/scenario"
)

// OpenScenario is scenario.Open, with a guard: a connection string that was
// written without --dsn must not be quoted back as the name of a scenario.
func OpenScenario(name string) (*scenario.Scenario, error) {
	if isConnection(name) {
		return nil, exit.Usagef("a scenario is named by a word or a folder, not by %s", Shown(name)).
			WithHint("a server is named by --dsn; `ccheck scenario list` has the scenarios")
	}
	return scenario.Open(name)
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
