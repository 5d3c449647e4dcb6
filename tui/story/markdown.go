package story

import (
	"fmt"
	"strings"

	"github.com/ccheck/ccheck/analyzers/report"
)

// MarkdownRun is the head of a page on a whole run: what was run, the verdict,
// what was counted and the tables. The findings go below it.
func MarkdownRun(r report.Run, s report.Summary, findings int) string {
	o := Options{Plain: true}
	var b strings.Builder
	fmt.Fprintf(&b, "## %s\n\n", escape(strings.TrimSpace("ccheck "+r.Probe+" "+r.Scenario)))
	fmt.Fprintf(&b, "**%s** %s.\n", escape(o.Verdict(s, findings)), escape(upperFirst(strings.Join(runFacts(r, o), ", "))))
	sep := "\n"
	for _, x := range append(totals(s, o), remarks(s)...) {
		if x[1] != "" {
			fmt.Fprintf(&b, "%s- %s: %s\n", sep, x[0], escape(x[1]))
			sep = ""
		}
	}
	for _, t := range s.Tables {
		grid(&b, t)
	}
	return b.String()
}

func remarks(s report.Summary) [][2]string {
	var all [][2]string
	label := "reason"
	if s.Verdict == report.Faulty {
		label = "note"
	}
	for _, r := range reasons(s) {
		all = append(all, [2]string{label, r})
	}
	for _, n := range s.Notes {
		all = append(all, [2]string{"note", n})
	}
	return all
}

// grid writes a table. The first cell of a row that shows a fault is bold.
func grid(b *strings.Builder, t report.Table) {
	fmt.Fprintf(b, "\n**%s**\n\n|", escape(t.Title))
	for _, c := range t.Columns {
		fmt.Fprintf(b, " %s |", escape(c))
	}
	b.WriteString("\n|" + strings.Repeat("---|", len(t.Columns)) + "\n")
	for i, row := range t.Rows {
		b.WriteByte('|')
		for k := range t.Columns {
			cell := ""
			if k < len(row) {
				cell = escape(row[k])
			}
			if k == 0 && i < len(t.Bad) && t.Bad[i] {
				cell = "**" + cell + "**"
			}
			fmt.Fprintf(b, " %s |", cell)
		}
		b.WriteByte('\n')
	}
	for _, n := range t.Notes {
		fmt.Fprintf(b, "\n%s\n", escape(n))
	}
}

func upperFirst(s string) string {
	if s == "" {
		return s
	}
	return strings.ToUpper(s[:1]) + s[1:]
}

// Markdown tells a finding for an issue, a pull request or a chat: the lanes as
// a table, the mends as SQL blocks, the command that shows it again.
func Markdown(f report.Finding) string {
	o := Options{}
	f = o.clean(f)
	var b strings.Builder
	fmt.Fprintf(&b, "### %s", escape(Name(f)))
	if f.Claim != "" {
		b.WriteString(" " + escape(breaks(f, "“%s”")))
	}
	fmt.Fprintf(&b, "\n\n%s\n", escape(f.Message))
	if ofSource(f) {
		sourceStory(&b, f)
	} else {
		facts(&b, f)
		steps(&b, f)
		if f.Growth != nil {
			grid(&b, GrowthTable(*f.Growth))
		}
		if f.Why != "" {
			fmt.Fprintf(&b, "\n**Why:** %s\n", escape(f.Why))
		}
	}
	for i, fix := range f.Fixes {
		mend(&b, i, fix)
	}
	if f.Repro.Command != "" {
		fmt.Fprintf(&b, "\n**See it again:**\n\n%s", fenced("sh", f.Repro.Command))
	}
	for i, script := range f.Repro.Psql {
		fmt.Fprintf(&b, "\n**psql session %d:**\n\n%s", i+1, fenced("sql", script))
	}
	return b.String()
}

func facts(b *strings.Builder, f report.Finding) {
	sep := "\n"
	for _, x := range [][2]string{{"before", f.Before}, {"after", f.After}, {"expected", f.Expected}, {"books", books(f)}} {
		if x[1] != "" {
			fmt.Fprintf(b, "%s- %s: %s\n", sep, x[0], escape(x[1]))
			sep = ""
		}
	}
}

// steps writes the lanes as a table, one row a step.
func steps(b *strings.Builder, f report.Finding) {
	n := min(lanesOf(f), 8)
	if len(f.Steps) == 0 || n == 0 {
		return
	}
	b.WriteString("\n| # |")
	for i := range n {
		l := lane(f, i)
		fmt.Fprintf(b, " %s |", escape(strings.TrimSpace(l.Name+" "+l.Detail)))
	}
	b.WriteString("\n|--:|" + strings.Repeat("---|", n) + "\n")
	for i, s := range f.Steps {
		fmt.Fprintf(b, "| %d |", i+1)
		for l := range n {
			cell := ""
			if l == s.Lane {
				cell = stepCell(f, i)
			}
			fmt.Fprintf(b, " %s |", cell)
		}
		b.WriteByte('\n')
	}
}

func stepCell(f report.Finding, i int) string {
	var said []string
	for _, p := range parts(f, i, Options{}, true) {
		if p.role == Body {
			said = append(said, code(p.text))
			continue
		}
		said = append(said, escape(p.text))
	}
	return strings.Join(said, "<br>")
}

func mend(b *strings.Builder, i int, fix report.Fix) {
	fmt.Fprintf(b, "\n**Fix %d, %s:** %s\n", i+1, escape(string(fix.Kind)), escape(fix.Title))
	if fix.SQL != "" {
		b.WriteString("\n" + fenced("sql", fix.SQL))
	}
	for _, note := range []string{fix.Note, fix.Verified} {
		if note != "" {
			fmt.Fprintf(b, "\n%s\n", escape(note))
		}
	}
}

var escaper = strings.NewReplacer(
	`\`, `\\`, "|", `\|`, "*", `\*`, "_", `\_`, "`", "\\`", "<", "&lt;", "[", `\[`, "#", `\#`)

func escape(s string) string { return escaper.Replace(Clean(s)) }

// code sets a statement as code inside a table cell.
func code(s string) string {
	s = strings.ReplaceAll(s, "|", `\|`)
	if strings.Contains(s, "`") {
		return "`` " + s + " ``"
	}
	return "`" + s + "`"
}

// fenced sets a block; its fence is longer than any in the text.
func fenced(lang, text string) string {
	fence := "```"
	for strings.Contains(text, fence) {
		fence += "`"
	}
	lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
	for i := range lines {
		indent := len(lines[i]) - len(strings.TrimLeft(lines[i], " "))
		lines[i] = strings.Repeat(" ", indent) + Clean(lines[i])
	}
	return fence + lang + "\n" + strings.Join(lines, "\n") + "\n" + fence + "\n"
}
