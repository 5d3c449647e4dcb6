package story

import (
	"fmt"
	"slices"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"github.com/ccheck/ccheck/analyzers/report"
)

// maxCell is the widest a cell may be before it is cut.
const maxCell = 48

// Table aligns a table. Rows that show a fault get a cross in front. From a
// table that is wider than the terminal, columns with nothing in them go first;
// one that is still too wide is continued below, with its leading text columns
// said again. In plain mode every row is one line of key=value.
func Table(t report.Table, o Options) []Line {
	if o.Plain {
		return plainTable(t, o)
	}
	cells, widths := cellsOf(t, o)
	if tableWidth(widths, 1) > o.width()-2 {
		t = withoutZeros(t, tableWidth(widths, 1)-o.width()+2, widths)
		cells, widths = cellsOf(t, o)
	}
	keys := keyColumns(t)
	var out []Line
	if t.Title != "" {
		out = append(out, line(seg(o.Text(t.Title), Strong)))
	}
	gap := gapOf(widths, o.width()-2)
	for i, group := range groups(widths, keys, o.width()-2, gap) {
		if i > 0 {
			out = append(out, Line{})
		}
		out = append(out, tableRow(cells[0], widths, group, t, " ", Strong, o, gap))
		for r, row := range cells[1:] {
			sign, role := " ", Body
			if r < len(t.Bad) && t.Bad[r] {
				sign, role = o.Sign(Bad), Bad
			}
			out = append(out, tableRow(row, widths, group, t, sign, role, o, gap))
		}
	}
	for _, n := range t.Notes {
		for _, text := range Wrap(o.Text(n), o.width()-2, 0) {
			out = append(out, line(seg("  "+text, Muted)))
		}
	}
	return out
}

// cellsOf cleans the cells, the header first, and measures the columns.
func cellsOf(t report.Table, o Options) ([][]string, []int) {
	widths := make([]int, len(t.Columns))
	var cells [][]string
	for _, row := range append([][]string{t.Columns}, t.Rows...) {
		clean := make([]string, len(t.Columns))
		for i := range clean {
			if i < len(row) {
				clean[i] = ansi.Truncate(o.Text(row[i]), min(maxCell, o.width()-2), o.glyphs().ellipsis)
			}
			widths[i] = max(widths[i], ansi.StringWidth(clean[i]))
		}
		cells = append(cells, clean)
	}
	return cells, widths
}

// keyColumns counts the leading columns that hold words and not numbers.
func keyColumns(t report.Table) int {
	for i := range t.Columns {
		if Numeric(t, i) {
			return max(i, 1)
		}
	}
	return 1
}

// Numeric reports whether a column holds numbers, which are aligned to the right.
func Numeric(t report.Table, col int) bool {
	seen := false
	for _, row := range t.Rows {
		if col >= len(row) || row[col] == "" || row[col] == "-" || row[col] == "–" {
			continue
		}
		if !strings.ContainsAny(row[col][:1], "0123456789+-−<>≤≥") {
			return false
		}
		seen = true
	}
	return seen
}

// gapOf is the space between columns: two cells, or one where that saves
// continuing the table below.
func gapOf(widths []int, room int) int {
	if tableWidth(widths, 2) > room && tableWidth(widths, 1) <= room {
		return 1
	}
	return 2
}

func tableWidth(widths []int, gap int) int {
	total := -gap
	for _, w := range widths {
		total += w + gap
	}
	return total
}

// withoutZeros drops number columns that say 0 in every row, from the right,
// until excess cells are saved, and says so below the table.
func withoutZeros(t report.Table, excess int, widths []int) report.Table {
	var dropped []string
	for i := len(t.Columns) - 1; i >= 0 && excess > 0; i-- {
		if !zeros(t, i) {
			continue
		}
		dropped = append(dropped, t.Columns[i])
		excess -= widths[i] + 1
		t.Columns = slices.Delete(slices.Clone(t.Columns), i, i+1)
		t.Rows = slices.Clone(t.Rows)
		for r, row := range t.Rows {
			t.Rows[r] = slices.Delete(slices.Clone(row), i, i+1)
		}
	}
	if len(dropped) > 0 {
		slices.Reverse(dropped)
		t.Notes = append([]string{"0 in every row: " + strings.Join(dropped, ", ")}, t.Notes...)
	}
	return t
}

func zeros(t report.Table, col int) bool {
	for _, row := range t.Rows {
		if col >= len(row) || row[col] != "0" && row[col] != "-" {
			return false
		}
	}
	return len(t.Rows) > 0
}

// groups splits the columns so that each group fits; all begin with the key columns.
func groups(widths []int, keys, room, gap int) [][]int {
	var lead []int
	used := 0
	for i := 0; i < keys && i < len(widths); i++ {
		if i > 0 && used+gap+widths[i] > room/2 {
			break
		}
		lead = append(lead, i)
		used += gap + widths[i]
	}
	all := [][]int{append([]int(nil), lead...)}
	at := used
	for i := len(lead); i < len(widths); i++ {
		last := len(all) - 1
		if at+widths[i] > room && len(all[last]) > len(lead) {
			all = append(all, append([]int(nil), lead...))
			last, at = last+1, used
		}
		all[last] = append(all[last], i)
		at += gap + widths[i]
	}
	return all
}

func tableRow(cells []string, widths, group []int, t report.Table, sign string, role Role, o Options, gap int) Line {
	var b strings.Builder
	for k, i := range group {
		if k > 0 {
			b.WriteString(strings.Repeat(" ", gap))
		}
		blank := strings.Repeat(" ", widths[i]-ansi.StringWidth(cells[i]))
		if Numeric(t, i) {
			b.WriteString(blank + cells[i])
		} else {
			b.WriteString(cells[i] + blank)
		}
	}
	text := ansi.Truncate(strings.TrimRight(b.String(), " "), o.width()-2, o.glyphs().ellipsis)
	return line(seg(sign+" ", role), seg(text, role))
}

func plainTable(t report.Table, o Options) []Line {
	var out []Line
	for r, row := range t.Rows {
		facts := []string{"ROW"}
		if r < len(t.Bad) && t.Bad[r] {
			facts = append(facts, "BAD")
		}
		for i, col := range t.Columns {
			if i < len(row) {
				facts = append(facts, fmt.Sprintf("%s=%s", plainKey(o.Text(col)), plainValue(o.Text(row[i]))))
			}
		}
		out = append(out, line(seg(strings.Join(facts, " "), Body)))
	}
	for _, n := range t.Notes {
		out = append(out, line(seg("NOTE "+o.Text(n), Body)))
	}
	return out
}

func plainKey(s string) string { return strings.ReplaceAll(s, " ", "_") }

// plainValue quotes a value that a blank would tear apart.
func plainValue(s string) string {
	if s == "" || strings.ContainsAny(s, " \"=") {
		return fmt.Sprintf("%q", s)
	}
	return s
}
