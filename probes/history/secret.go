package history

import (
	"regexp"
	"slices"
	"strings"
)

// Masked stands for a secret in everything that people or programs are shown.
const Masked = "{{secret}}"

// usual are names of what nobody wants in a report.
var usual = regexp.MustCompile(`(?i)pass(w|phrase|code)|(^|[-_.])pass$|pwd|secret|token|api[-_]?key|private[-_]?key|credential|authorization|cookie|session|csrf|xsrf|\bssn\b|iban|card[-_]?(num|no$)|cvv|cvc|signature|(^|[-_.])(pin|otp|ssn)$`)

// numeric are those whose values are numbers.
var numeric = regexp.MustCompile(`(?i)pass|pwd|ssn|card|cvv|cvc|pin$|otp$`)

// Mask says which names are those of secrets: the usual ones, and its own words.
// A word with a dot is a column of one table.
type Mask []string

// NewMask returns the usual names and those words.
func NewMask(words []string) Mask {
	m := make(Mask, len(words))
	for i, w := range words {
		m[i] = strings.ToLower(w)
	}
	return m
}

// Secret reports whether what has the name is one. A name with a dot is that of
// a column of a table.
func (m Mask) Secret(name string) bool {
	return m.own(name) || usual.MatchString(name)
}

func (m Mask) own(name string) bool {
	name = strings.ToLower(name)
	_, last, dotted := strings.Cut(name, ".")
	return slices.ContainsFunc(m, func(w string) bool {
		_, column, ofTable := strings.Cut(w, ".")
		return w == name || dotted && w == last || ofTable && column == name
	})
}

// Hides reports whether a value of that name is not to be shown. A short number
// in a column such as tokens is a count, and the point of many a race.
func (m Mask) Hides(name string, v Value) bool {
	if v.Null || v.Text == "" || !m.Secret(name) {
		return false
	}
	return m.own(name) || numeric.MatchString(name) || !count(v.Text)
}

// count reports whether a text is a number that counts something.
func count(text string) bool {
	return len(text) <= 6 && strings.Trim(text, "0123456789.-") == "" || text == "t" || text == "f"
}

// Show is a value under a name, or Masked.
func (m Mask) Show(name string, v Value) string {
	if m.Hides(name, v) {
		return Masked
	}
	return v.String()
}

// MaskParam is the parameter of a run that has the words of its mask, with
// commas between them.
const MaskParam = "mask"

// Mask is the mask of a run, as its parameters have it.
func (h *Header) Mask() Mask {
	words := h.Param(MaskParam)
	if words == "" {
		return nil
	}
	return NewMask(strings.Split(words, ","))
}
