package flags

import (
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/ccheck/ccheck/cmd/internal/exit"
)

// Args returns the check for a command's positional arguments. Each name is one
// argument; one in brackets may be left out: Args("NAME", "[FOLDER]").
func Args(names ...string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) > len(names) {
			return exit.Usagef("%s does not take the argument %s", cmd.CommandPath(), Shown(args[len(names)])).
				WithHint("usage: %s", cmd.UseLine())
		}
		if len(args) < len(names) && !strings.HasPrefix(names[len(args)], "[") {
			return exit.Usagef("%s needs %s", cmd.CommandPath(), names[len(args)]).
				WithHint("usage: %s", cmd.UseLine())
		}
		if i := slices.Index(args, ""); i >= 0 {
			return exit.Usagef("%s was given an empty word for %s", cmd.CommandPath(), strings.Trim(names[i], "[]")).
				WithHint("is the variable that it was to come from set?")
		}
		return nil
	}
}

// Shown quotes an argument for a message. One that looks like a connection
// string is not shown at all: it may hold a password, and which part of a
// malformed one is the password cannot be known.
func Shown(arg string) string {
	if isConnection(arg) {
		return `"…" (not shown: it looks like a connection string and may hold a password)`
	}
	return strconv.Quote(arg)
}

func isConnection(arg string) bool { return strings.Contains(arg, "://") || strings.Contains(arg, "=") }
