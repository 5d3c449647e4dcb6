package record

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/ccheck/ccheck/probes/history"
	"github.com/ccheck/ccheck/probes/record/tape"
)

// masker knows which values are secret, and where values came from.
type masker struct {
	names history.Mask

	mu      sync.Mutex
	given   map[string]string // reference by value, of what answers gave
	secrets map[string]string // reference by value, of secrets
	long    []string          // of those, what is looked for inside of texts, the longest first
	named   map[string]int    // secrets by name
}

func newMasker(words []string) *masker {
	return &masker{names: history.NewMask(words), given: map[string]string{}, secrets: map[string]string{}, named: map[string]int{}}
}

const (
	// telling is the length from which a value says where it came from: a random
	// id does, a count does not.
	telling = 8
	// telltale is that length for a value without a digit: a random id of 26
	// letters and digits has none once in 200 times, and hardly a word is as
	// long.
	telltale = 21
	// scrubbed is the length from which a secret is looked for inside of texts.
	scrubbed = 6
	// maxKnown bounds what is remembered of values, maxLong what is looked for
	// inside of texts.
	maxKnown, maxLong = 1 << 16, 1000
)

// secret reports whether the field is masked.
func (m *masker) secret(name string) bool { return m.names.Secret(name) }

// value is what the tape has of a field's value.
func (m *masker) value(name, value string) string {
	m.mu.Lock()
	defer m.mu.Unlock()
	ref := m.given[value]
	switch {
	case value == "":
		return ""
	case m.secret(name):
		return m.hide(name, value, ref)
	case ref != "" && tells(value) && m.secrets[value] == "":
		return tape.Else(ref, value)
	}
	return m.scrubLocked(value)
}

// tells reports whether a value is one that an application makes up, such as an
// id, and no word.
func tells(value string) bool {
	if strings.ContainsAny(value, "0123456789") {
		return len(value) >= telling && !strings.ContainsAny(value, "{}")
	}
	return len(value) >= telltale && !notWord.MatchString(value)
}

// hide makes a secret of a value, and returns its reference. ref is where it
// came from, if that is known.
func (m *masker) hide(name, value, ref string) string {
	if ref == "" {
		ref = m.secrets[value]
	}
	if ref == "" {
		name = strings.ToLower(notWord.ReplaceAllString(name, "-"))
		if m.named[name]++; m.named[name] > 1 {
			name = fmt.Sprintf("%s-%d", name, m.named[name])
		}
		ref = tape.SecretRef(name)
	}
	m.keep(value, ref)
	return ref
}

// keep remembers a secret.
func (m *masker) keep(value, ref string) {
	if _, known := m.secrets[value]; !known && len(value) >= scrubbed && len(m.long) < maxLong {
		i, _ := slices.BinarySearchFunc(m.long, value, func(a, b string) int { return cmp.Compare(len(b), len(a)) })
		m.long = slices.Insert(m.long, i, value)
	}
	if len(m.secrets) < maxKnown {
		m.secrets[value] = ref
	}
}

var notWord = regexp.MustCompile(`[^A-Za-z0-9_-]+`)

// gave notes a value of an answer, and returns what the tape has of it.
func (m *masker) gave(name, value, ref string) string {
	m.mu.Lock()
	defer m.mu.Unlock()
	hidden := m.secret(name)
	if (hidden || tells(value)) && len(value) > 1 && len(m.given) < maxKnown {
		m.given[value] = ref
	}
	switch {
	case value == "":
		return ""
	case hidden:
		m.keep(value, ref)
		return masked
	case m.secrets[value] != "" || m.holds(value):
		return masked
	}
	return value
}

// masked stands for a value that is not on the tape and never needed.
const masked = history.Masked

// scrub takes every known secret out of a text, and escapes it.
func (m *masker) scrub(text string) string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.scrubLocked(text)
}

func (m *masker) scrubLocked(text string) string {
	if ref := m.secrets[text]; ref != "" {
		return ref
	}
	out := tape.Escape(text)
	for _, value := range m.long {
		if strings.Contains(out, value) {
			out = strings.ReplaceAll(out, value, m.secrets[value])
		}
	}
	return out
}

// args masks the values of a statement. columns are those that they go to, as
// far as they are known.
func (m *masker) args(args []history.Value, columns []string) []history.Value {
	list := slices.Clone(args)
	for i, v := range list {
		if v.Null {
			continue
		}
		if i < len(columns) && columns[i] != "" && m.secret(columns[i]) {
			list[i].Text = masked
			continue
		}
		m.mu.Lock()
		if m.secrets[v.Text] != "" || m.holds(v.Text) {
			list[i].Text = masked
		}
		m.mu.Unlock()
	}
	return list
}

// holds reports whether a known secret is part of the text.
func (m *masker) holds(text string) bool {
	return slices.ContainsFunc(m.long, func(value string) bool { return strings.Contains(text, value) })
}
