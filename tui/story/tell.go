package story

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/ccheck/ccheck/analyzers/report"
)

const (
	labelWidth = 10
	fewRows    = 5 // evidence rows that are shown unless Verbose
)

// Tell tells a finding whole: what and how often, before and after, the
// lanes, why, the rows that prove it, the mends with their SQL and how to see it
// again.
func Tell(f report.Finding, o Options) []Line {
	if o.Plain {
		return plainTell(f, o)
	}
	out := Head(f, o)
	if body := Lanes(f, o); body != nil {
		out = append(out, Line{})
		out = append(out, body...)
		out = append(out, Line{})
	}
	if f.Growth != nil {
		out = append(out, Growth(*f.Growth, o)...)
	}
	return append(out, Tail(f, o)...)
}

// Head is the part above the lanes.
func Head(f report.Finding, o Options) []Line {
	role := SeverityRole(f.Severity)
	title := []Segment{
		seg(o.Sign(Bad)+" "+strings.ToUpper(o.Text(string(f.Severity)))+" ", role),
		seg(o.Text(Name(f)), Strong),
	}
	if f.Claim != "" {
		title = append(title, seg(o.Text(breaks(f, `"%s"`)), Body))
	}
	out := fold(title, o.width())
	for _, text := range Wrap(o.Text(message(f)), o.width()-2, 0) {
		out = append(out, line(seg("  "+text, Body)))
	}
	if seen := Seen(f, o); seen != "" {
		out = append(out, line(seg("  "+seen, Muted)))
	}
	out = append(out, o.label("before", f.Before, Read)...)
	out = append(out, o.label("after", f.After, Bad)...)
	out = append(out, o.label("expected", f.Expected, Good)...)
	return append(out, o.label("books", books(f), Bad)...)
}

// breaks names the claims that a race breaks, each in the quotes.
func breaks(f report.Finding, quotes string) string {
	text := "breaks " + fmt.Sprintf(quotes, f.Claim)
	for i, claim := range f.Also {
		sep := ", "
		if i == len(f.Also)-1 {
			sep = " and "
		}
		text += sep + fmt.Sprintf(quotes, claim)
	}
	return text
}

// message is the message without the name of the claim, which the title has.
func message(f report.Finding) string {
	rest, ok := strings.CutPrefix(f.Message, strconv.Quote(f.Claim)+" was ")
	if !ok || f.Claim == "" {
		return f.Message
	}
	return upperFirst(rest)
}

// books says what a ledger does not account for, where the judge's words do not.
func books(f report.Finding) string {
	if f.Books == nil || strings.Contains(f.Message+f.Why, f.Books.Lost+" lost") || strings.Contains(f.Message+f.Why, f.Books.Created+" from nowhere") {
		return ""
	}
	return fmt.Sprintf("%s created from nothing, %s lost", f.Books.Created, f.Books.Lost)
}

// Seen says how often and when: "seen 12 times, first at 1.2 s". A number that
// the message has is not said again.
func Seen(f report.Finding, o Options) string {
	var said []string
	if f.Count > 0 && !slices.Contains(strings.Fields(f.Message), itoa(f.Count)) {
		said = append(said, "seen "+o.plural(int64(f.Count), "time"))
	}
	if f.First > 0 {
		said = append(said, "first at "+o.Dur(f.First))
	}
	if f.Last > f.First {
		said = append(said, "last at "+o.Dur(f.Last))
	}
	return strings.Join(said, ", ")
}

// Tail is the part below the lanes.
func Tail(f report.Finding, o Options) []Line {
	out := o.label("why", f.Why, Body)
	if len(f.Rows) > 0 {
		out = append(out, o.evidence(f)...)
	}
	for i, fix := range f.Fixes {
		out = append(out, o.fix(i, fix)...)
	}
	out = append(out, o.command("see again", f.Repro.Command)...)
	if o.Verbose {
		for i, script := range f.Repro.Psql {
			out = append(out, o.block(fmt.Sprintf("psql %d", i+1), script)...)
		}
	}
	out = append(out, o.label("where", Where(f.Where), Muted)...)
	return append(out, o.label("help", help(f), Muted)...)
}

// help is how to read more: with the command, since who has the binary need not
// have the pages.
func help(f report.Finding) string {
	if f.Help != "" && f.Rule != "" {
		return "ccheck explain " + f.Rule
	}
	return f.Help
}

// Where writes a location as file:line:column.
func Where(l report.Location) string {
	if l.File == "" || l.Line == 0 {
		return l.File
	}
	if l.Column == 0 {
		return fmt.Sprintf("%s:%d", l.File, l.Line)
	}
	return fmt.Sprintf("%s:%d:%d", l.File, l.Line, l.Column)
}

// command sets a command line behind a label, so that a shell takes what is
// copied: each line but the last ends with a backslash.
func (o Options) command(name, text string) []Line {
	var out []Line
	for i, part := range wrapCommand(o.Text(text), o.width()-labelWidth-2) {
		head := ""
		if i == 0 {
			head = name
		}
		out = append(out, line(seg("  "+pad(head, labelWidth), Strong), seg(part, Code)))
	}
	return out
}

// label sets wrapped text behind a label; without text it is nothing.
func (o Options) label(name, text string, role Role) []Line {
	text = o.Text(text)
	if text == "" {
		return nil
	}
	var out []Line
	for i, part := range Wrap(text, o.width()-labelWidth-2, 0) {
		head := ""
		if i == 0 {
			head = name
		}
		out = append(out, line(seg("  "+pad(head, labelWidth), Strong), seg(part, role)))
	}
	return out
}

// block sets text behind a label with its own line breaks.
func (o Options) block(name, text string) []Line {
	var out []Line
	for raw := range strings.SplitSeq(strings.TrimRight(text, "\n"), "\n") {
		room := o.width() - labelWidth - 2
		indent := min(len(raw)-len(strings.TrimLeft(raw, " ")), room/3)
		for _, part := range Wrap(o.Text(raw), room-indent, 2) {
			text := strings.Repeat(" ", indent) + part
			out = append(out, line(seg("  "+pad(name, labelWidth), Strong), seg(text, Code)))
			name = ""
		}
	}
	return out
}

func (o Options) fix(i int, fix report.Fix) []Line {
	title := string(fix.Kind)
	if fix.Title != "" {
		title += ": " + fix.Title
	}
	out := o.label(fmt.Sprintf("fix %d", i+1), title, Body)
	if fix.SQL != "" {
		out = append(out, o.block("", fix.SQL)...)
	}
	out = append(out, o.label("", fix.Note, Muted)...)
	if fix.Verified != "" {
		out = append(out, o.label("", "verified: "+fix.Verified, Good)...)
	}
	return out
}

func (o Options) evidence(f report.Finding) []Line {
	rows, more := f.Rows, f.More
	if !o.Verbose && len(rows) > fewRows {
		more += len(rows) - fewRows
		rows = rows[:fewRows]
	}
	inner := o
	inner.Width = o.width() - labelWidth - 2
	var out []Line
	for i, l := range Table(report.Table{Columns: f.Columns, Rows: rows}, inner) {
		head := ""
		if i == 0 {
			head = "rows"
		}
		segs := append([]Segment{seg(pad("  "+head, labelWidth), Strong)}, l.Segments...)
		out = append(out, line(segs...))
	}
	if more > 0 {
		out = append(out, o.label("", fmt.Sprintf("and %s", o.plural(int64(more), "more row")), Muted)...)
	}
	return out
}

// fold puts segments on as many lines as the width asks for.
func fold(segs []Segment, width int) []Line {
	var out []Line
	cur, used := Line{}, 0
	for _, s := range segs {
		for i, text := range Wrap(s.Text, width-2, 0) {
			w := line(seg(text, s.Role)).cells()
			if i > 0 || used > 0 && used+1+w > width {
				out = append(out, cur)
				cur, used = line(seg("  ", Body)), 2
			}
			if len(cur.Segments) > 0 && used > 2 {
				cur.Segments, used = append(cur.Segments, seg(" ", Body)), used+1
			}
			cur.Segments, used = append(cur.Segments, seg(text, s.Role)), used+w
		}
	}
	return append(out, cur)
}

// plainTell says one fact a line, each with a leading word.
func plainTell(f report.Finding, o Options) []Line {
	var out []Line
	say := func(word, text string) {
		if text = o.Text(text); text != "" {
			out = append(out, line(seg(word+" "+text, Body)))
		}
	}
	say("FINDING", fmt.Sprintf("%s %s: %s", f.Severity, Name(f), f.Message))
	say("CLAIM", f.Claim)
	for _, claim := range f.Also {
		say("ALSO", claim)
	}
	say("SEEN", strings.TrimPrefix(Seen(f, o), "seen "))
	say("BEFORE", f.Before)
	say("AFTER", f.After)
	say("EXPECTED", f.Expected)
	say("BOOKS", books(f))
	for i := range f.Lanes {
		say("LANE", strings.TrimSpace(f.Lanes[i].Name+" "+f.Lanes[i].Detail))
	}
	out = append(out, Lanes(f, o)...)
	if f.Growth != nil {
		out = append(out, Growth(*f.Growth, o)...)
	}
	say("WHY", f.Why)
	out = append(out, Table(report.Table{Columns: f.Columns, Rows: f.Rows}, o)...)
	for i, fix := range f.Fixes {
		say(fmt.Sprintf("FIX %d", i+1), fmt.Sprintf("%s: %s", fix.Kind, fix.Title))
		say(fmt.Sprintf("FIX %d SQL", i+1), fix.SQL)
		say(fmt.Sprintf("FIX %d NOTE", i+1), fix.Note)
		say(fmt.Sprintf("FIX %d VERIFIED", i+1), fix.Verified)
	}
	say("REPRO", f.Repro.Command)
	say("WHERE", Where(f.Where))
	say("HELP", f.Help)
	return out
}
