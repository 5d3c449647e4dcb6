package main

import (
	"encoding/xml"
	"errors"
	"io"
	"strings"
	"testing"
)

// A picture is XML with the text of the screen in it, each piece in its place.
func TestPicture(t *testing.T) {
	lines := []string{"ccheck vet  ✗ FAULTY", "    ◂ balance 100 ──┐ │ a < b && c", " ? help"}
	got := string(picture(lines))
	var text []string
	d := xml.NewDecoder(strings.NewReader(got))
	for {
		tok, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatalf("%v in\n%s", err, got)
		}
		if c, ok := tok.(xml.CharData); ok && strings.TrimSpace(string(c)) != "" {
			text = append(text, string(c))
		}
	}
	if want := "ccheck vet|✗ FAULTY|◂ balance 100|──┐|│|a < b && c|? help"; strings.Join(text, "|") != want {
		t.Errorf("%q, want %q", strings.Join(text, "|"), want)
	}
	for _, want := range []string{`fill="#E8743B"`, `fill="#56B4E9"`, `fill="#E69F00"`, `x="45.2"`} {
		if !strings.Contains(got, want) {
			t.Errorf("%s is not in\n%s", want, got)
		}
	}
}
