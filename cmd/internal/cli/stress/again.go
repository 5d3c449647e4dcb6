package stress

import (
	"strings"

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
	words := []string{strings.Replace(command, " "+sc.Name+" ", " "+quoted(name)+" ", 1)}
	for _, d := range o.Define {
		words = append(words, "-D "+quoted(d))
	}
	if o.Think != "" {
		words = append(words, "--think "+o.Think)
	}
	switch {
	case strings.HasPrefix(o.Place.Target.DSN, "env:"):
		words = append(words, "--dsn "+o.Place.Target.DSN)
	case o.Place.Target.DSNFile != "":
		words = append(words, "--dsn-file "+quoted(o.Place.Target.DSNFile))
	case o.Place.Target.UseDatabaseURL:
		words = append(words, "--use-database-url")
	case o.Place.Throwaway:
		words = append(words, "--throwaway")
	}
	return strings.Join(words, " ")
}

// quoted is the word as a shell takes it.
func quoted(word string) string {
	if word != "" && strings.Trim(word, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./=:,@+") == "" {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}
