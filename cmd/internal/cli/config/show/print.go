package show

import (
	"fmt"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/spf13/pflag"

	"github.com/ccheck/ccheck/cmd/internal/config"
	"github.com/ccheck/ccheck/cmd/internal/exit"
)

// row is one flag of one command, as the JSON array has it.
type row struct {
	Command string        `json:"command"`
	Flag    string        `json:"flag"`
	Values  []string      `json:"values"`
	Origin  config.Origin `json:"origin"`
	plain   bool          // a number or a switch: no quotes
}

func plain(f *pflag.Flag) bool {
	switch f.Value.Type() {
	case "bool", "int", "int64", "uint", "uint64", "float64":
		return true
	}
	return false
}

// yaml is the value as a file has it.
func (r row) yaml() string {
	if r.plain && len(r.Values) == 1 && r.Values[0] != "" {
		return r.Values[0]
	}
	quoted := make([]string, len(r.Values))
	for i, v := range r.Values {
		quoted[i] = strconv.Quote(v)
	}
	if len(quoted) == 1 {
		return quoted[0]
	}
	return "[" + strings.Join(quoted, ", ") + "]"
}

// printText prints the rows as a file that would say the same.
func printText(opts *Options, rows []row) error {
	w := tabwriter.NewWriter(opts.Streams.Out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "version: 1")
	section := ""
	for _, r := range rows {
		if r.Command != section {
			section = r.Command
			fmt.Fprintf(w, "%s:\n", section)
		}
		fmt.Fprintf(w, "  %s: %s", r.Flag, r.yaml())
		if opts.Origin {
			fmt.Fprintf(w, "\t# %s", r.Origin)
		}
		fmt.Fprintln(w)
	}
	if err := w.Flush(); err != nil {
		return exit.Failedf("cannot write the configuration: %w", err)
	}
	return nil
}
