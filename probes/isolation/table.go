package isolation

import (
	"bytes"
	"fmt"
	"io"
	"strings"
)

// writeTable writes the rows as libpq's PQprint does with a header, aligned
// columns and | between them. Widths are bytes. A column is set to the right
// when all its values look like numbers, whatever its type is; so is one
// without values. NULL and the empty string look the same.
func writeTable(w io.Writer, r *result) {
	if len(r.columns) == 0 {
		return
	}
	widths, left := layout(r)
	line := make([]string, len(r.columns))
	for i, name := range r.columns {
		line[i] = pad(name, widths[i], left[i])
	}
	fmt.Fprintln(w, strings.Join(line, "|"))
	for i := range line {
		line[i] = strings.Repeat("-", widths[i])
	}
	fmt.Fprintln(w, strings.Join(line, "+"))
	for _, row := range r.rows {
		for i, value := range row {
			line[i] = pad(string(value), widths[i], left[i])
		}
		fmt.Fprintln(w, strings.Join(line, "|"))
	}
	plural := "s"
	if len(r.rows) == 1 {
		plural = ""
	}
	fmt.Fprintf(w, "(%d row%s)\n\n", len(r.rows), plural)
}

// layout returns the width of each column and whether it is set to the left.
func layout(r *result) (widths []int, left []bool) {
	widths, left = make([]int, len(r.columns)), make([]bool, len(r.columns))
	for i, name := range r.columns {
		widths[i] = len(name)
	}
	for _, row := range r.rows {
		for i, value := range row {
			widths[i] = max(widths[i], len(value))
			left[i] = left[i] || len(value) > 0 && !numeric(value)
		}
	}
	return widths, left
}

// numeric is PQprint's idea of a number: made of digits, dots, blanks, minus
// signs and letters E, not beginning with E and ending with a digit.
func numeric(value []byte) bool {
	first, last := value[0], value[len(value)-1]
	return first != 'E' && first != 'e' && digit(last) && len(bytes.Trim(value, "0123456789.eE -")) == 0
}

func pad(s string, width int, left bool) string {
	if left {
		return fmt.Sprint(s, strings.Repeat(" ", width-len(s)))
	}
	return strings.Repeat(" ", width-len(s)) + s
}
