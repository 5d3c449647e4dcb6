package main

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/charmbracelet/x/ansi"
)

// screens are the pictures of the pages, and the golden file of the terminal UI
// that each is drawn from: what is shown is what the tests compare with.
var screens = map[string]string{
	"pictures/story.svg": "story.120x40.golden",
	"pictures/vet.svg":   "vet.list.120x40.golden",
}

// pictures draws the screens.
func (p pages) pictures(dir string) error {
	for name, golden := range screens {
		text, err := os.ReadFile(filepath.Join(dir, "..", "tui", "testdata", golden))
		if err != nil {
			return fmt.Errorf("reading the screen of a picture: %w", err)
		}
		p[name] = picture(strings.Split(strings.TrimRight(string(text), "\n"), "\n"))
	}
	return nil
}

// The size of a cell, in pixels. The fonts of readers differ: each piece of text
// has its own place and length, so that columns stand below each other in all.
const (
	cellWidth, cellHeight = 7.8, 17
	margin                = 14
)

// The colours are those of the UI on a dark ground (Okabe and Ito).
var colours = map[string]string{
	"bad": "#E8743B", "good": "#2FB98F", "read": "#56B4E9", "wrote": "#CC79A7", "edge": "#E69F00", "muted": "#8b919c", "strong": "#ffffff",
}

func picture(lines []string) []byte {
	width := 0
	for _, l := range lines {
		width = max(width, ansi.StringWidth(l))
	}
	var b bytes.Buffer
	w, h := float64(width)*cellWidth+2*margin, len(lines)*cellHeight+2*margin
	fmt.Fprintf(&b, "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %.0f %d\" width=\"%.0f\" height=\"%d\" font-family=\"ui-monospace,Menlo,Consolas,'DejaVu Sans Mono',monospace\" font-size=\"13\">\n", w, h, w, h)
	fmt.Fprintf(&b, "<rect width=\"100%%\" height=\"100%%\" rx=\"8\" fill=\"#16181d\"/>\n<g fill=\"#d7dae0\" xml:space=\"preserve\">\n")
	for i, l := range lines {
		row(&b, l, margin+(i+1)*cellHeight-4, i == 0, i == len(lines)-1)
	}
	b.WriteString("</g>\n</svg>\n")
	return b.Bytes()
}

var (
	// piece is a run of text with single blanks in it, or an arrow or line.
	piece = regexp.MustCompile(`[─│┌┐└┘┼▶◀╭╮╰╯]+|[^\s─│┌┐└┘┼▶◀╭╮╰╯]+(?: [^\s─│┌┐└┘┼▶◀╭╮╰╯]+)*`)
	arrow = regexp.MustCompile(`^(?:[─│┌┐└┘┼▶◀]{2,}|[─┌┐└┘┼▶◀]|rw|ww|wr)$`)
	label = regexp.MustCompile(`^(?:why|fix \d|see again|before|after|expected|books|rows|race|▾ .*|[▌ ]?(?:Finding|Source).*)$`)
)

// row draws one line, piece by piece.
func row(b *bytes.Buffer, l string, y int, first, last bool) {
	for _, at := range piece.FindAllStringIndex(l, -1) {
		text := l[at[0]:at[1]]
		role := roleOf(text)
		switch {
		case last:
			role = "muted"
		case first && role == "":
			role = "strong"
		}
		draw(b, ansi.StringWidth(l[:at[0]]), y, text, role)
	}
}

// roleOf guesses from its signs what a piece of a screen is.
func roleOf(text string) string {
	switch {
	case strings.HasPrefix(text, "✗"), strings.HasPrefix(text, "→ "), strings.HasPrefix(text, "high"):
		return "bad"
	case strings.HasPrefix(text, "✓"), strings.HasPrefix(text, "verified"):
		return "good"
	case strings.HasPrefix(text, "◂"):
		return "read"
	case strings.HasPrefix(text, "▸"):
		return "wrote"
	case strings.HasPrefix(text, "⋯"), arrow.MatchString(text):
		return "edge"
	case label.MatchString(text):
		return "strong"
	case text == "│":
		return "muted"
	}
	return ""
}

func draw(b *bytes.Buffer, column, y int, text, role string) {
	fmt.Fprintf(b, "<text x=\"%.1f\" y=\"%d\" textLength=\"%.1f\" lengthAdjust=\"spacingAndGlyphs\"", margin+float64(column)*cellWidth, y, float64(ansi.StringWidth(text))*cellWidth)
	if colour := colours[role]; colour != "" {
		fmt.Fprintf(b, " fill=\"%s\"", colour)
	}
	if role == "strong" || role == "bad" {
		b.WriteString(" font-weight=\"bold\"")
	}
	b.WriteByte('>')
	_ = xml.EscapeText(b, []byte(text)) // a buffer takes everything
	b.WriteString("</text>\n")
}
