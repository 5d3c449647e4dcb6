// Package glossary is what the words of the field mean: anomalies, guarantees,
// locks, SQLSTATEs, each with its source and a command of ccheck that shows it.
// Its data is glossary.yaml, the one source of `ccheck explain` and of
// docs/glossary.md. What ccheck itself has by name is in catalog.
package glossary

import (
	"bytes"
	_ "embed"
	"fmt"
	"slices"
	"strings"

	"github.com/goccy/go-yaml"

	"github.com/ccheck/ccheck/cmd/internal/suggest"
)

//go:embed glossary.yaml
var data []byte

// Source is where a word comes from.
type Source struct {
	Title string `yaml:"title"`
	URL   string `yaml:"url"`
}

// Show is a command that shows the thing.
type Show struct {
	Run  string `yaml:"run"`
	What string `yaml:"what"` // what to look at
}

// Term is one word.
type Term struct {
	Name    string
	Also    []string // other names: "P4", "40001"
	Short   string   // one line
	Text    string   // the rest, may be empty
	Sources []Source
	Show    []Show
	Related []string // names of terms
}

// entry is a term as the file has it: a source is the name of a shared one, or
// stands there itself.
type entry struct {
	Name    string   `yaml:"name"`
	Also    []string `yaml:"also"`
	Short   string   `yaml:"short"`
	Text    string   `yaml:"text"`
	Source  []any    `yaml:"source"`
	Show    []Show   `yaml:"show"`
	Related []string `yaml:"related"`
}

// Terms returns all terms in the order of the file.
func Terms() []Term {
	var file struct {
		Sources map[string]Source `yaml:"sources"`
		Terms   []entry           `yaml:"terms"`
	}
	if err := yaml.NewDecoder(bytes.NewReader(data), yaml.Strict()).Decode(&file); err != nil {
		panic("glossary.yaml, which is part of this binary, cannot be read: " + err.Error())
	}
	terms := make([]Term, len(file.Terms))
	for i, e := range file.Terms {
		terms[i] = Term{Name: e.Name, Also: e.Also, Short: e.Short, Text: strings.TrimSpace(e.Text), Show: e.Show, Related: e.Related}
		for _, s := range e.Source {
			terms[i].Sources = append(terms[i].Sources, source(file.Sources, s))
		}
	}
	return terms
}

// source resolves a source; one without a title is a mistake in the file, which
// a test finds.
func source(shared map[string]Source, s any) Source {
	switch v := s.(type) {
	case string:
		return shared[v]
	case map[string]any:
		return Source{Title: fmt.Sprint(v["title"]), URL: fmt.Sprint(v["url"])}
	}
	return Source{}
}

// Find returns the terms of that name, whichever of their names it is and
// however it is written: "Read-Your-Writes", "read_your_writes".
func Find(name string) []Term {
	want := key(name)
	return slices.DeleteFunc(Terms(), func(t Term) bool {
		return !slices.ContainsFunc(t.names(), func(n string) bool { return key(n) == want })
	})
}

func (t Term) names() []string { return append([]string{t.Name}, t.Also...) }

// key is the name without what people write differently.
func key(name string) string {
	name = strings.NewReplacer("-", " ", "_", " ", "’", "'").Replace(strings.ToLower(name))
	words := strings.Fields(name)
	for i, w := range words {
		if len(w) > 3 && !strings.HasSuffix(w, "ss") {
			words[i] = strings.TrimSuffix(w, "s")
		}
	}
	return strings.Join(words, " ")
}

// Nearest returns the name of a term that was probably meant, "" when none is
// near.
func Nearest(name string) string {
	var keys, names []string
	for _, t := range Terms() {
		for _, n := range t.names() {
			keys, names = append(keys, key(n)), append(names, n)
		}
	}
	near := suggest.Nearest(key(name), keys)
	if near == "" {
		return ""
	}
	return names[slices.Index(keys, near)]
}
