package flags

import (
	"maps"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/ccheck/ccheck/cmd/internal/exit"
	"github.com/ccheck/ccheck/probes/scenario"
)

// Isolation is the flag that names isolation levels.
type Isolation struct {
	Text   string
	Levels []scenario.Isolation // after Parse; empty when none was named
}

// Register adds the flag to fs. The end of its help says what holds without it.
func (i *Isolation) Register(fs *pflag.FlagSet, preset string) {
	fs.StringVar(&i.Text, "isolation", "", "isolation `levels` to run at, one after the other: rc, rr, ser, or all (default: "+preset+")")
}

// Levels are all isolation levels, weakest first. READ UNCOMMITTED is READ
// COMMITTED in PostgreSQL.
var Levels = []scenario.Isolation{scenario.ReadCommitted, scenario.RepeatableRead, scenario.Serializable}

// short are the words for the levels beside their own.
var short = map[string]scenario.Isolation{
	"rc": scenario.ReadCommitted, "rr": scenario.RepeatableRead, "ser": scenario.Serializable,
}

// Parse reads the levels.
func (i *Isolation) Parse() error {
	i.Levels = nil
	if i.Text == "" {
		return nil
	}
	if i.Text == "all" {
		i.Levels = Levels
		return nil
	}
	for text := range strings.SplitSeq(i.Text, ",") {
		word := strings.ToLower(strings.TrimSpace(text))
		level, ok := short[word]
		if !ok && slices.Contains(Levels, scenario.Isolation(word)) {
			level, ok = scenario.Isolation(word), true
		}
		if !ok {
			return exit.Usagef("--isolation %q is no isolation level", text).WithHint("it takes rc, rr, ser, or several joined by commas, or all")
		}
		i.Levels = append(i.Levels, level)
	}
	return nil
}

// Short is the level as --isolation takes it, "" for one that is unknown.
func Short(level scenario.Isolation) string {
	for _, word := range slices.Sorted(maps.Keys(short)) {
		if short[word] == level {
			return word
		}
	}
	return ""
}
