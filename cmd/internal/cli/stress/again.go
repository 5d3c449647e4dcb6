package stress

import (
	"strings"

	"github.com/ccheck/ccheck/cmd/internal/flags"
	"github.com/ccheck/ccheck/probes/scenario"
)

// again completes the command that makes a run again with what no history
// holds: the scenario as the user named it, the variables, and the server, of
// which a flag that may hold a password is left out.
func (o *Options) again(command string, sc *scenario.Scenario) string {
	name := o.Name
	if sc.Version != "" {
		name = strings.TrimSuffix(name, "/"+sc.Version)
	}
	words := []string{strings.Replace(command, " "+sc.Name+" ", " "+flags.Quoted(name)+" ", 1)}
	for _, d := range o.Define {
		words = append(words, "-D "+flags.Quoted(d))
	}
	if o.Think != "" {
		words = append(words, "--think "+o.Think)
	}
	words = append(words, o.Place.Again()...)
	return strings.Join(words, " ")
}
