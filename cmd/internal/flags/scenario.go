package flags

import (
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/ccheck/ccheck/cmd/internal/exit"
	"github.com/ccheck/ccheck/cmd/internal/suggest"
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

// Words are the names that a command has of its own, beside scenarios of the
// user: what one is called ("shape of a deadlock"), what they are ("shapes"), and
// what is the user's ("a scenario of yours").
type Words struct {
	One, Many, Yours string
	All              []string
}

// OpenBeside is OpenScenario for a name that is none of the words. One that is
// near a word was meant to be it.
func OpenBeside(name string, w Words) (*scenario.Scenario, error) {
	sc, err := OpenScenario(name)
	if err == nil || strings.ContainsAny(name, "/.=") {
		return sc, err
	}
	all := strings.Join(w.All, ", ")
	none := exit.Usagef("%s is no %s and no scenario", Shown(name), w.One)
	if near := suggest.Nearest(name, w.All); near != "" {
		return nil, none.WithHint("did you mean %q? The %s are %s", near, w.Many, all)
	}
	return nil, none.WithHint("the %s are %s; %s is a folder with ccheck.yaml", w.Many, all, w.Yours)
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
