package cli

import (
	"fmt"
	"strings"

	"github.com/charmbracelet/x/ansi"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// The measures of a page, in cells.
const (
	widest   = 100 // longer lines are hard to read
	narrow   = 20  // what a description gets on the smallest terminal
	between  = 2   // from a name to its description
	indented = 2
)

// page is the help of one command. Its lines fit the terminal, but for examples:
// those are there to be copied.
type page struct {
	b     strings.Builder
	width int
	bold  bool
}

// entry is a name and what it is: a command or a flag.
type entry struct{ name, text string }

func (p *page) command(cmd *cobra.Command) {
	long := cmd.Long
	if long == "" {
		long = cmd.Short + "."
	}
	p.prose(long)
	p.usage(cmd)
	if example := strings.TrimSpace(cmd.Example); example != "" {
		p.title("examples")
		p.lines(strings.Split(example, "\n"))
	}
	p.commands(cmd)
	p.flags("flags", cmd.LocalNonPersistentFlags())
	p.flags("flags of every command", everywhere(cmd))
}

// everywhere is the set of flags that cmd has because all commands have them.
func everywhere(cmd *cobra.Command) *pflag.FlagSet {
	if cmd.HasParent() {
		return cmd.InheritedFlags()
	}
	return cmd.PersistentFlags()
}

// prose writes paragraphs. The line ends of the source mean nothing, unless a
// line is indented: then it is a list.
func (p *page) prose(s string) {
	for i, paragraph := range strings.Split(strings.TrimSpace(s), "\n\n") {
		if i > 0 {
			p.b.WriteByte('\n')
		}
		if strings.Contains("\n"+paragraph, "\n ") {
			p.lines(strings.Split(paragraph, "\n"))
			continue
		}
		text := strings.Join(strings.Fields(paragraph), " ")
		p.lines(wrap(text, p.width-indented))
	}
}

func (p *page) usage(cmd *cobra.Command) {
	p.title("usage")
	var ways []string
	if strings.Contains(cmd.Use, " ") || !cmd.HasAvailableSubCommands() {
		ways = append(ways, cmd.UseLine())
	}
	if cmd.HasAvailableSubCommands() {
		ways = append(ways, cmd.CommandPath()+" [command]")
	}
	p.lines(ways)
}

// commands writes the commands below cmd, by their groups.
func (p *page) commands(cmd *cobra.Command) {
	titles := map[string]string{"": "commands"}
	order := []string{""}
	for _, g := range cmd.Groups() {
		titles[g.ID] = g.Title
		order = append(order, g.ID)
	}
	grouped := map[string][]entry{}
	for _, c := range cmd.Commands() {
		if c.IsAvailableCommand() || c.Name() == "help" {
			grouped[c.GroupID] = append(grouped[c.GroupID], entry{c.Use, c.Short})
		}
	}
	for _, id := range order {
		p.entries(titles[id], grouped[id])
	}
}

func (p *page) flags(title string, fs *pflag.FlagSet) {
	var all []entry
	fs.VisitAll(func(f *pflag.Flag) {
		if !f.Hidden {
			all = append(all, flagEntry(f))
		}
	})
	p.entries(title, all)
}

// flagEntry is a flag as it is typed, with the name of its value.
func flagEntry(f *pflag.Flag) entry {
	kind, text := pflag.UnquoteUsage(f)
	name := "    --" + f.Name
	if f.Shorthand != "" {
		name = "-" + f.Shorthand + ", --" + f.Name
	}
	switch f.DefValue {
	case "", "false", "[]", "0", "0s":
	default:
		text += fmt.Sprintf(" (default: %s)", f.DefValue)
	}
	return entry{strings.TrimRight(name+" "+kind, " "), text}
}

// entries writes names beside their descriptions. A name that is longer than a
// third of the line has its description below it.
func (p *page) entries(title string, all []entry) {
	if len(all) == 0 {
		return
	}
	column := 0
	for _, e := range all {
		if w := ansi.StringWidth(e.name); w <= p.width/3 {
			column = max(column, w)
		}
	}
	column += indented + between
	p.title(title)
	for _, e := range all {
		p.entry(e, column)
	}
}

func (p *page) entry(e entry, column int) {
	head := strings.Repeat(" ", indented) + e.name
	for _, line := range wrap(e.text, max(p.width-column, narrow)) {
		if head != "" && ansi.StringWidth(head)+between > column {
			p.b.WriteString(head + "\n")
			head = ""
		}
		p.b.WriteString(head + strings.Repeat(" ", column-ansi.StringWidth(head)) + line + "\n")
		head = ""
	}
}

func (p *page) title(s string) {
	s = strings.ToUpper(s)
	if p.bold {
		s = "\x1b[1m" + s + "\x1b[0m"
	}
	p.b.WriteString("\n" + s + "\n")
}

func (p *page) lines(lines []string) {
	for _, line := range lines {
		p.b.WriteString(strings.TrimRight(strings.Repeat(" ", indented)+line, " ") + "\n")
	}
}

// wrap breaks s between words, and nowhere else: a hyphen belongs to the flag
// that it begins.
func wrap(s string, width int) []string {
	var lines []string
	line := ""
	for _, word := range strings.Fields(s) {
		if line != "" && ansi.StringWidth(line)+1+ansi.StringWidth(word) > width {
			lines, line = append(lines, line), ""
		}
		line = strings.TrimSpace(line + " " + word)
	}
	return append(lines, line)
}
