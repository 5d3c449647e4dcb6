package main

import (
	"fmt"
	"strings"

	"github.com/ccheck/ccheck/cmd/internal/catalog"
	"github.com/ccheck/ccheck/cmd/internal/output/json"
)

// all makes every page of the docs folder dir.
func all(dir string) (pages, error) {
	p := pages{}
	if err := p.readme(dir); err != nil {
		return nil, err
	}
	if err := p.pictures(dir); err != nil {
		return nil, err
	}
	p.section("analyzers", "Rules", rules, catalog.Checker, catalog.Analyzer)
	p.section("probes", "Probes", "What observes a running system and records a history of it.", catalog.Probe)
	p.section("formats", "Formats", formats, catalog.Format)
	p.commands()
	p.keys()
	p.glossary()
	schema, err := json.SchemaJSON(false)
	if err != nil {
		return nil, fmt.Errorf("making the JSON Schema: %w", err)
	}
	p["formats/ccheck-1.schema.json"] = schema
	return p, p.configuration()
}

const (
	rules = "Checkers judge a recorded history, analyzers judge Go source. The name of a rule is in every finding;\n" +
		"`ccheck explain NAME` prints its page."
	formats = "Ways to tell a result, for `--format`. Files that ccheck reads have pages of their own: [scenario](scenario.md),\n" +
		"[tape](tape.md), [configuration](config.md)."
)

// section makes a page for each entry of the kinds, and an index. Entries that
// share a name share the page.
func (p pages) section(folder, title, intro string, kinds ...string) {
	index := page(title)
	fmt.Fprintf(index, "\n%s\n", intro)
	bodies := map[string]*strings.Builder{}
	for _, kind := range kinds {
		entries := catalog.Of(kind)
		if len(entries) > 0 {
			fmt.Fprintf(index, "\n| %s | |\n|---|---|\n", kind)
		}
		for _, e := range entries {
			fmt.Fprintf(index, "| [%s](%s.md) | %s |\n", e.Name, e.Name, cell(e.Summary))
			if bodies[e.Name] == nil {
				bodies[e.Name] = page(e.Name)
			}
			entry(bodies[e.Name], e)
		}
	}
	p[folder+"/README.md"] = []byte(index.String())
	for name, b := range bodies {
		p[folder+"/"+name+".md"] = []byte(b.String())
	}
}

func entry(b *strings.Builder, e catalog.Entry) {
	fmt.Fprintf(b, "\n%s: %s.\n", strings.ToUpper(e.Kind[:1])+e.Kind[1:], e.Summary)
	if e.Doc != "" {
		fmt.Fprintf(b, "\n%s\n", blocks(e.Doc))
	}
}

// blocks sets the indented lines of a Doc off by a blank one: in Markdown they
// are code only then, and run on with the line before otherwise.
func blocks(doc string) string {
	var out []string
	for line := range strings.SplitSeq(doc, "\n") {
		if n := len(out); n > 0 && strings.HasPrefix(line, "    ") && out[n-1] != "" && !strings.HasPrefix(out[n-1], " ") {
			out = append(out, "")
		}
		out = append(out, line)
	}
	return strings.Join(out, "\n")
}
