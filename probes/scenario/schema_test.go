package scenario_test

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
	"github.com/google/go-cmp/cmp"
	"github.com/santhosh-tekuri/jsonschema/v6"
	"golang.org/x/tools/txtar"

	"github.com/ccheck/ccheck/probes/scenario"
)

const published = "../../docs/formats/scenario.schema.json"

func TestPublishedSchemaIsFresh(t *testing.T) {
	if *update {
		if err := os.WriteFile(published, scenario.Schema(), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	b, err := os.ReadFile(published)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(b), string(scenario.Schema())); diff != "" {
		t.Errorf("stale, -update rewrites it:\n%s", diff)
	}
}

func compiled(t *testing.T) *jsonschema.Schema {
	t.Helper()
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(scenario.Schema()))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("scenario.schema.json", doc); err != nil {
		t.Fatal(err)
	}
	s, err := c.Compile("scenario.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// validate holds a manifest against the schema, as an editor does.
func validate(t *testing.T, s *jsonschema.Schema, manifest []byte) error {
	t.Helper()
	asJSON, err := yaml.YAMLToJSON(manifest)
	if err != nil {
		return err
	}
	v, err := jsonschema.UnmarshalJSON(bytes.NewReader(asJSON))
	if err != nil {
		return err
	}
	return s.Validate(v)
}

func TestSchemaAllowsEveryScenario(t *testing.T) {
	s, n := compiled(t), 0
	for _, root := range []string{"builtin", "testdata/cases"} {
		err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.Name() != scenario.File {
				return err
			}
			b, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			if err := validate(t, s, b); err != nil {
				t.Errorf("%s: %v", path, err)
			}
			n++
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if n < 7+len(cases) {
		t.Errorf("only %d manifests", n)
	}
}

// What the schema can see, it refuses as Load does. The rest is about files,
// names that have to agree, and what YAML itself refuses.
func TestSchemaRefusesFaults(t *testing.T) {
	beyond := "aliases documents empty effects files lanes lanes-and-clients names placeholders script-errors syntax"
	s := compiled(t)
	archives, err := filepath.Glob("testdata/faults/*.txtar")
	if err != nil || len(archives) == 0 {
		t.Fatalf("no archives: %v", err)
	}
	for _, path := range archives {
		name := strings.TrimSuffix(filepath.Base(path), ".txtar")
		if strings.Contains(" "+beyond+" ", " "+name+" ") {
			continue
		}
		a, err := txtar.ParseFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if err := validate(t, s, a.Files[0].Data); err == nil {
			t.Errorf("%s is allowed", name)
		}
	}
}
