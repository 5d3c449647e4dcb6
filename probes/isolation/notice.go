package isolation

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/jackc/pgx/v5/pgproto3"
)

// message is a notice as libpq words it at its default verbosity: severity,
// text, the line of the query it is about, DETAIL, HINT and QUERY. Context is
// for errors only.
func message(n *pgproto3.NoticeResponse, query string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s:  %s", n.Severity, n.Message)
	switch {
	case n.Position > 0:
		b.WriteString("\n" + excerpt(query, int(n.Position)))
	case n.InternalPosition > 0 && n.InternalQuery != "":
		b.WriteString("\n" + excerpt(n.InternalQuery, int(n.InternalPosition)))
	default:
		b.WriteString("\n")
	}
	for _, f := range []struct{ label, text string }{{"DETAIL", n.Detail}, {"HINT", n.Hint}, {"QUERY", n.InternalQuery}} {
		if f.text != "" {
			fmt.Fprintf(&b, "%s:  %s\n", f.label, f.text)
		}
	}
	return b.String()
}

// libpq's limits for the line it shows, in columns.
const (
	display = 60 // more is cut away
	margin  = 10 // and this much is kept to the right of the mark if it is there
)

// excerpt is the line of the query that holds the character at position, which
// counts from 1, with a mark below it. Each character is one column; libpq
// gives East Asian ones two.
func excerpt(query string, position int) string {
	runes := []rune(strings.ReplaceAll(query, "\t", " "))
	at := position - 1
	if at > len(runes) || !utf8.ValidString(query) {
		return ""
	}
	begin, end, line := lineOf(runes, at)
	begin, end, cutLeft, cutRight := cut(begin, end, at)
	head := fmt.Sprintf("LINE %d: %s", line, dots(cutLeft))
	mark := strings.Repeat(" ", utf8.RuneCountInString(head)+at-begin) + "^"
	return head + string(runes[begin:end]) + dots(cutRight) + "\n" + mark + "\n"
}

// lineOf returns the bounds and the number of the line that holds the rune at
// an index. A lone \r ends a line too.
func lineOf(runes []rune, at int) (begin, end, number int) {
	number = 1
	for i, r := range runes[:at] {
		if r != '\n' && r != '\r' {
			continue
		}
		if r == '\r' || i == 0 || runes[i-1] != '\r' {
			number++
		}
		begin = i + 1
	}
	end = at
	for end < len(runes) && runes[end] != '\n' && runes[end] != '\r' {
		end++
	}
	return begin, end, number
}

// cut narrows a line to the display: on the right alone if that is enough,
// else on the right as far as the margin and the rest on the left.
func cut(begin, end, at int) (b, e int, left, right bool) {
	switch {
	case end-begin <= display:
		return begin, end, false, false
	case begin+display >= at+margin:
		return begin, begin + display, false, true
	}
	right = at+margin < end
	if right {
		end = at + margin
	}
	left = end-begin > display
	return max(begin, end-display), end, left, right
}

func dots(cut bool) string {
	if cut {
		return "..."
	}
	return ""
}
