package application

import (
	"strings"

	"github.com/ccheck/ccheck/cmd/internal/flags"
	"github.com/ccheck/ccheck/probes/history"
	"github.com/ccheck/ccheck/probes/record"
)

// Again are the words that name the application in the command that makes a run
// again, without secrets.
func (a *Flags) Again() []string {
	var words []string
	add := func(flag, value string) {
		if value != "" {
			words = append(words, flag+" "+flags.Quoted(value))
		}
	}
	if a.Of == nil {
		add("--app", a.App)
		add("--app-dir", a.Dir)
		add("--ready", a.Ready)
		add("--reset-cmd", a.Reset)
	} else {
		words = append(words, flags.Quoted(a.Folder))
	}
	for _, s := range a.Stubs {
		add("--stub", s)
	}
	for _, e := range a.Env {
		name, value, _ := strings.Cut(e, "=")
		if history.NewMask(a.Masked).Secret(name) {
			value = "…"
		}
		add("--env", name+"="+value)
	}
	for _, s := range a.Seed {
		add("--seed-sql", s)
	}
	if a.Of == nil {
		for _, actor := range a.Actors {
			add("--curl", actor.Name+"="+actor.Curl(record.Shown(history.NewMask(a.Masked))))
		}
	}
	add("--mask", strings.Join(a.Masked, ","))
	add("--db-delay", a.Delay)
	if a.Running {
		words = append(words, "--running")
	}
	if a.Restart {
		words = append(words, "--restart-between")
	}
	return words
}
