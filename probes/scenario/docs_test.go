package scenario_test

import (
	"encoding/json"
	"os"
	"regexp"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/ccheck/ccheck/probes/scenario"
	"github.com/ccheck/ccheck/probes/server/postgres/pgtest"
)

const reference = "../../docs/formats/scenario.md"

// The example of the reference is what it claims to be.
func TestExampleOfTheReference(t *testing.T) {
	b, err := os.ReadFile(reference)
	if err != nil {
		t.Fatal(err)
	}
	folder := fstest.MapFS{}
	fence := regexp.MustCompile("(?ms)^(?:`([a-z/]+\\.sql)`.*?)?^```(yaml|sql)\n(.*?)^```$")
	for _, m := range fence.FindAllStringSubmatch(string(b), -1) {
		name := m[1]
		if m[2] == "yaml" {
			name = scenario.File
		}
		if name != "" {
			folder["purse/"+name] = &fstest.MapFile{Data: []byte(m[3])}
		}
	}
	s, err := scenario.Load(folder, "purse")
	if err != nil {
		t.Fatal(err)
	}
	if got := s.Variants(); len(folder) != 4 || len(got) != 1 || got[0] != "atomic" {
		t.Errorf("%d files, variants %q", len(folder), got)
	}
	config := pgtest.Config(t)
	for _, v := range versions(t, s) {
		if found := duel(newStage(t, config, with(v, map[string]string{"purses": "1"}), scenario.ReadCommitted), "pay", 0); (found == nil) != v.Fixed {
			t.Errorf("%s: %q", v.FullName(), found)
		}
	}
}

// The reference has every key that a manifest can have.
func TestReferenceNamesEveryKey(t *testing.T) {
	b, err := os.ReadFile(reference)
	if err != nil {
		t.Fatal(err)
	}
	var schema any
	if err := json.Unmarshal(scenario.Schema(), &schema); err != nil {
		t.Fatal(err)
	}
	keys := map[string]bool{}
	properties(schema, keys)
	if len(keys) < 30 {
		t.Errorf("only %d keys found", len(keys))
	}
	for key := range keys {
		if !strings.Contains(string(b), "`"+key+"`") && !strings.Contains(string(b), "`{"+key+": ") {
			t.Errorf("%s is not in %s", key, reference)
		}
	}
}

// properties collects the names of all properties in a schema.
func properties(schema any, into map[string]bool) {
	switch v := schema.(type) {
	case []any:
		for _, item := range v {
			properties(item, into)
		}
	case map[string]any:
		names, _ := v["properties"].(map[string]any)
		for name := range names {
			into[name] = true
		}
		for _, item := range v {
			properties(item, into)
		}
	}
}
