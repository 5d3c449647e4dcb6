package config

import (
	"path/filepath"
	"slices"
	"strings"
)

// rail says how far from the command line a flag may be set. A repository is
// read before anybody has looked at it, so its file can make ccheck no bolder
// than it is; and what is dangerous once is not said for all time.
type rail struct {
	least Layer  // the weakest layer that may set it: CommandLine, Environment, User
	why   string // a part of a sentence, after "because"
}

// rails are the flags that are not for every layer. A file of the repository may
// set only what harmless names, so that a flag that is new is closed to it until
// somebody has thought about it; the rails say why of those that are asked for.
var rails = map[string]rail{
	"config":           {CommandLine, "a file cannot say where it is itself"},
	"dsn":              {CommandLine, "servers are named by --dsn, CCHECK_DSN, PGSERVICE and the PG* variables, and by no file that is found by chance"},
	"dsn-file":         {CommandLine, "servers are named by --dsn-file, CCHECK_DSN, PGSERVICE and the PG* variables, and by no file that is found by chance"},
	"url":              {Environment, "servers are named by no file that is found by chance"},
	"use-database-url": {CommandLine, "DATABASE_URL is most often the one of production"},
	"i-know-this-is":   {CommandLine, "whoever runs on a server that looks like production says so each time"},
	"force":            {CommandLine, "it removes what another run may be using"},
	"fix":              {CommandLine, "it changes source files"},
	"app":              {User, "it runs a command"},
	"reset-cmd":        {User, "it runs a command"},
	"load":             {User, "it runs a command"},
	"max-connections":  {User, "it takes connections from others on the server"},
	"older-than":       {User, "it lets `ccheck clean` remove what another run may be using"},
	"history":          {User, "it writes a file"},
	"output":           {User, "it writes a file"},
	"save":             {User, "it writes a file"},
	"write-baseline":   {User, "it writes a file"},
	"proxy":            {User, "it opens a port"},
}

// harmless are the flags that a file of the repository may set: how ccheck
// talks, how hard it tries within the rails, and what it looks for.
var harmless = []string{
	"ascii", "color", "plain", "quiet", "verbose", "no-tui", "theme", "format", "json", "fail-on", "exit-zero", "origin",
	"severity", "rules", "tests", "tags", "diff", "no-cache", "baseline", "new-from-rev",
	"clients", "duration", "transactions", "rate", "think", "isolation", "protocol", "scale", "max-tries", "define", "check-every",
	"compare", "variant", "plan", "seed", "throwaway",
	"lanes", "schedule", "replay", "times", "max", "max-rows", "jobs", "real-deadlocks", "full", "no-fixes",
	"list", "interval", "snapshots", "per-request", "rounds", "ttl",
}

// closed is the rail of a flag that nobody has called harmless.
var closed = rail{User, "nobody has looked at what a file of a repository could do with it"}

// railOf is the rail of a flag; one that every layer may set has none.
func railOf(flag string) (rail, bool) {
	r, ok := rails[flag]
	if !ok && !slices.Contains(harmless, flag) {
		return closed, true
	}
	return r, ok
}

// reads are flags whose variable the command reads by itself, since it means
// more than the flag or is read before flags are.
var reads = map[string]bool{"ascii": true, "config": true, "dsn": true}

// trusted orders the layers by whose they are. That is not the order in which
// they win: a file of the repository is stronger than one of the user, and
// trusted less.
var trusted = []Layer{CommandLine, Environment, User, Repository}

// refusal says why the layer may not set the flag to the values, "" when it
// may.
func refusal(flag string, layer Layer, values []string) string {
	if r, ok := railOf(flag); ok && slices.Index(trusted, layer) > slices.Index(trusted, r.least) {
		return r.why
	}
	if layer != Repository {
		return ""
	}
	for _, v := range values {
		_, path, named := strings.Cut(v, ":")
		switch {
		case flag == "throwaway" && v != "true":
			return "a file of the repository can ask for a throw-away server and not forbid it"
		case flag == "format" && named && !filepath.IsLocal(path):
			return "a file of the repository writes below the current folder and nowhere else"
		}
	}
	return ""
}

// rivals are flags that say the same in different words: the strongest layer
// that names one of them speaks for all.
var rivals = [][]string{
	{"format", "json", "output"},
	{"quiet", "verbose"},
	{"throwaway", "dsn", "dsn-file", "use-database-url"},
	{"compare", "variant", "plan"},
}
