package story

import (
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/charmbracelet/x/ansi"

	"github.com/ccheck/ccheck/analyzers/report"
)

// Clean makes text from outside safe for a terminal: runs of blanks and line
// breaks become one blank, and what cannot be printed becomes a question mark,
// so that a value in a table cannot move the cursor.
func Clean(s string) string {
	return strings.Join(strings.Fields(printable(s)), " ")
}

func printable(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case !unicode.IsPrint(r):
			return '?'
		}
		return r
	}, s)
}

// asciiWords are the signs that judges and sinks write, in ASCII. Data of the
// user's own is not translated.
var asciiWords = strings.NewReplacer(
	"→", "->", "←", "<-", "…", "...", "−", "-", "–", "-", "—", "-", "≥", ">=", "≤", "<=", "≠", "!=",
	"×", "x", "·", "-", "µ", "u", "“", `"`, "”", `"`, "’", "'", "✗", "x", "✓", "+", "◂", "<", "▸", ">", "⋯", "...")

// Text makes one line of text ready for the terminal of o.
func (o Options) Text(s string) string {
	s = Clean(s)
	if o.ASCII {
		s = asciiWords.Replace(s)
	}
	return s
}

// clean makes every text of a finding's story ready for the terminal.
func (o Options) clean(f report.Finding) report.Finding {
	f.Lanes = append([]report.Lane(nil), f.Lanes...)
	for i, l := range f.Lanes {
		f.Lanes[i] = report.Lane{Name: o.Text(l.Name), Detail: o.Text(l.Detail)}
	}
	f.Steps = append([]report.Step(nil), f.Steps...)
	for i := range f.Steps {
		s := &f.Steps[i]
		s.Text, s.Read, s.Wrote = o.Text(s.Text), o.Text(s.Read), o.Text(s.Wrote)
		s.Result, s.Wait = o.Text(s.Result), o.Text(s.Wait)
	}
	return f
}

// Wrap breaks s at blanks into lines of at most width cells; continuation
// lines are indented by indent. A word that is longer than a line is cut.
func Wrap(s string, width, indent int) []string {
	width = max(width, 4)
	indent = min(indent, width/2)
	var lines []string
	cur, pad := "", ""
	flush := func() {
		if strings.TrimSpace(cur) != "" {
			lines = append(lines, cur)
		}
		pad = strings.Repeat(" ", indent)
		cur = pad
	}
	for word := range strings.SplitSeq(s, " ") {
		for first := true; word != ""; first = false {
			if first && strings.TrimSpace(cur) != "" {
				if ansi.StringWidth(cur)+1+ansi.StringWidth(word) <= width {
					cur += " " + word
					break
				}
				flush()
			}
			head := ansi.Truncate(word, max(width-ansi.StringWidth(cur), 1), "")
			if head == "" { // a sign wider than what is left
				head = word
			}
			cur += head
			word = word[len(head):]
			if word != "" {
				flush()
			}
		}
	}
	flush()
	return lines
}

// wrapCommand breaks a command line between its words into lines of at most width
// cells, with a backslash at the end of each but the last. A quoted word stays
// whole, since a break would be part of it; where one alone is too long for a
// line there is no way to break that a shell takes, and all is cut as by Wrap.
func wrapCommand(s string, width int) []string {
	const more = ` \`
	var lines []string
	cur := ""
	for _, word := range shellWords(s) {
		if ansi.StringWidth(word)+len(more) > width {
			return Wrap(s, width, 0)
		}
		switch {
		case cur == "":
			cur = word
		case ansi.StringWidth(cur+" "+word)+len(more) > width:
			lines, cur = append(lines, cur+more), word
		default:
			cur += " " + word
		}
	}
	if cur == "" {
		return nil
	}
	return append(lines, cur)
}

// shellWords are the words of a command line as it is written, with their quotes.
func shellWords(s string) []string {
	var words []string
	var quote byte
	start := 0
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == '\\' && quote != '\'':
			i++ // the next one says nothing
		case c == quote:
			quote = 0
		case quote == 0 && (c == '\'' || c == '"'):
			quote = c
		case quote == 0 && c == ' ':
			words, start = append(words, s[start:i]), i+1
		}
	}
	words = append(words, s[start:])
	return slices.DeleteFunc(words, func(w string) bool { return w == "" })
}

// wrapped is Wrap with at most maxTextLines lines.
func wrapped(s string, width int, g glyphs) []string {
	lines := Wrap(s, width, 2)
	if len(lines) <= maxTextLines {
		return lines
	}
	lines = lines[:maxTextLines]
	last := ansi.Truncate(lines[maxTextLines-1], width-len(g.ellipsis)-1, "")
	lines[maxTextLines-1] = last + " " + g.ellipsis
	return lines
}

// pad fills s with blanks to width cells, or cuts it.
func pad(s string, width int) string {
	w := ansi.StringWidth(s)
	if w > width {
		return ansi.Truncate(s, max(width, 0), "")
	}
	return s + strings.Repeat(" ", width-w)
}

// fill appends blanks to segs until they are width cells wide.
func fill(segs []Segment, width int) []Segment {
	n := width - line(segs...).cells()
	if n <= 0 {
		return segs
	}
	return append(segs, seg(strings.Repeat(" ", n), Body))
}

// cells is Width with the trailing blanks.
func (l Line) cells() int {
	n := 0
	for _, s := range l.Segments {
		n += ansi.StringWidth(s.Text)
	}
	return n
}

func itoa(n int) string { return strconv.Itoa(n) }
