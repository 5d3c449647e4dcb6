package verdict

import (
	"fmt"
	"strings"

	"github.com/ccheck/ccheck/analyzers/report"
	"github.com/ccheck/ccheck/cmd/internal/flags"
	"github.com/ccheck/ccheck/probes/history"
	"github.com/ccheck/ccheck/probes/pg"
	"github.com/ccheck/ccheck/probes/scenario"
	"github.com/ccheck/ccheck/probes/stress"
)

// command is how to make a run of stress again, as far as its history tells: a
// server and values of --define are not in it.
func command(h *history.Header) string {
	name, variant, _ := strings.Cut(h.Scenario, "/")
	words := []string{"ccheck stress", name}
	add := func(flag, value string) {
		if value != "" {
			words = append(words, "--"+flag+" "+value)
		}
	}
	add("variant", variant)
	add("isolation", flags.Short(scenario.Isolation(h.Target.Isolation)))
	if h.Param("mode") == "loop" {
		add("clients", h.Param("clients"))
	}
	for _, p := range []struct{ name, standard string }{
		{"duration", "0s"}, {"transactions", "0"}, {"rate", "0"}, {"protocol", string(pg.Prepared)},
	} {
		if v := h.Param(p.name); v != p.standard {
			add(p.name, v)
		}
	}
	return strings.Join(words, " ") + fmt.Sprintf(" --seed %d", h.Seed)
}

// commandParam is the parameter of a history that holds the command which makes
// the run again, as its own command knows it.
const commandParam = "command"

// Command is that parameter. The words hold no password.
func Command(words ...string) []history.Parameter {
	return []history.Parameter{{Name: commandParam, Value: strings.Join(words, " ")}}
}

// repeat gives the findings the command that shows them again.
func repeat(h *history.Header, findings []report.Finding) {
	for i := range findings {
		f := &findings[i]
		switch own := h.Param(commandParam); {
		case own != "":
			f.Repro.Command = own
		case h.Probe == stress.Probe.Name && f.Repro.Command == "":
			f.Repro.Command = command(h)
		}
	}
}
