package main

import (
	"fmt"
	"strings"

	"github.com/ccheck/ccheck/tui"
)

// keys makes the page of the terminal interface's keys, from the same keymap
// as its help.
func (p pages) keys() {
	b := page("Keys of the terminal interface")
	fmt.Fprint(b, "\n`?` shows them too.\n")
	for _, g := range tui.Keys() {
		fmt.Fprintf(b, "\n## %s\n\n| key | |\n|---|---|\n", g.Screen)
		for _, k := range g.Keys {
			fmt.Fprintf(b, "| `%s` | %s |\n", strings.Join(k.Keys, "` `"), cell(k.Does))
		}
	}
	p["keys.md"] = []byte(b.String())
}
