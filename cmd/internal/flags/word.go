package flags

import (
	"net/url"
	"slices"
	"strings"

	"github.com/ccheck/ccheck/cmd/internal/exit"
	"github.com/ccheck/ccheck/cmd/internal/suggest"
)

// Word finds out that a flag has none of the words that it takes.
func Word(flag, given string, all []string) error {
	if slices.Contains(all, given) {
		return nil
	}
	err := exit.Usagef("%s cannot be %s", flag, Shown(given))
	if near := suggest.Nearest(given, all); near != "" {
		return err.WithHint("did you mean %q?", near)
	}
	return err.WithHint("it takes %s", strings.Join(all, ", "))
}

// Redacted is a URL without its password, for a command that is shown.
func Redacted(address string) string {
	if u, err := url.Parse(address); err == nil {
		return u.Redacted()
	}
	return address
}

// Quoted is the word as a shell takes it.
func Quoted(word string) string {
	if word != "" && strings.Trim(word, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./=:,@+") == "" {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}
