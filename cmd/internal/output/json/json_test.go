package json_test

import (
	"bytes"
	stdjson "encoding/json"
	"errors"
	"flag"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/ccheck/ccheck/analyzers/report"
	"github.com/ccheck/ccheck/cmd/internal/output/json"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// run is a run as a probe would tell it, with everything in it that a sink has
// to carry.
func run(s report.Sink) error {
	start := time.Date(2026, 11, 29, 12, 0, 0, 0, time.UTC)
	evidence := report.Evidence{Calls: 4, Transactions: 4, Statements: 12, Tries: 4, Overlaps: 120, LockWaits: 2, SmallestGap: 34 * time.Microsecond, Checks: 3, Enough: true}
	progress := report.Progress{
		Phase: "running", Elapsed: time.Second, Total: 2 * time.Second, Accepted: 4, Rate: 4.5, P50: time.Millisecond,
		Errors: []report.Count{{Key: "40001", N: 2}}, Marks: []report.Mark{{Slot: 1, Kind: "violation"}},
		Claims:     []report.ClaimState{{Name: "money is conserved", State: "bad", Checks: 3, Bad: 1, FirstBad: time.Second}},
		Violations: []report.Violation{{ID: 1, At: time.Second, Claim: "money is conserved", Text: "sum 1997", Finding: 0}},
		Evidence:   evidence,
	}
	errs := []error{s.Begin(report.Run{
		ID: "7f3a", Tool: "ccheck v0.1.0", Probe: "stress", Scenario: "wallet", Target: "localhost:5432/lab",
		Server: "PostgreSQL 15.18", Isolation: "read committed", Seed: 1<<64 - 1, Clients: 8, Started: start, Claims: []string{"money is conserved"},
	})}
	s.Progress(progress)
	errs = append(errs, s.Add(finding()), s.End(report.Summary{
		Verdict: report.Faulty, Final: progress, Evidence: evidence, History: "run.history", Line: "ccheck: 1 finding",
		Tables: []report.Table{{Title: "versions", Columns: []string{"version", "lost"}, Rows: [][]string{{"naive", "3"}}, Bad: []bool{true}}},
	}))
	return errors.Join(errs...)
}

func finding() report.Finding {
	return report.Finding{
		Rule: "invariant", Severity: report.High, Message: "Money is lost: two transfers read the same balance & both wrote it.",
		Claim: "money is conserved", Anomaly: "lost update (P4)", Where: report.Location{File: "transfer.sql", Line: 3},
		Count: 3, First: time.Second, Last: 2 * time.Second, Columns: []string{"sum"}, Rows: [][]string{{"1997"}},
		Lanes: []report.Lane{{Name: "T1", Detail: "client 3"}, {Name: "T2"}},
		Steps: []report.Step{
			{Lane: 0, Text: "SELECT balance FROM account WHERE id = 3", Read: "100", Start: 1, End: 2},
			{Lane: 1, Text: "UPDATE account SET balance = 70 WHERE id = 3", Wrote: "70", Start: 3, End: 4, Deps: []report.Dep{{From: 0, Kind: "rw"}}},
		},
		Fixes: []report.Fix{{
			Kind: report.Atomic, Title: "let the server compute", SQL: "UPDATE account SET balance = balance - $1 WHERE id = $2 AND balance >= $1",
			Edits: []report.Edit{{Location: report.Location{File: "a.go", Line: 1, Column: 2}, NewText: "x"}},
		}},
		Repro:       report.Repro{Command: "ccheck stress wallet --seed 7", Seed: 7, Psql: []string{"BEGIN;"}},
		Fingerprint: "abc",
	}
}

func TestGolden(t *testing.T) {
	sinks := []struct {
		file string
		new  func(*bytes.Buffer) report.Sink
	}{
		{"document.json", func(b *bytes.Buffer) report.Sink { return json.New(b) }},
		{"events.jsonl", func(b *bytes.Buffer) report.Sink { return json.NewLines(b) }},
	}
	for _, tt := range sinks {
		t.Run(tt.file, func(t *testing.T) {
			var out bytes.Buffer
			if err := run(tt.new(&out)); err != nil {
				t.Fatal(err)
			}
			golden(t, tt.file, out.Bytes())
		})
	}
}

func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("%s differs (-want +got); -update rewrites it\n%s", path, diff)
	}
}

// What was written reads back as what was told.
func TestDocumentRoundTrip(t *testing.T) {
	var out bytes.Buffer
	if err := run(json.New(&out)); err != nil {
		t.Fatal(err)
	}
	var doc json.Document
	if err := stdjson.Unmarshal(out.Bytes(), &doc); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]report.Finding{finding()}, doc.Findings); diff != "" {
		t.Errorf("-told +read\n%s", diff)
	}
	if doc.Run.Seed != 1<<64-1 {
		t.Errorf("the largest seed came back as %d", doc.Run.Seed)
	}
}

func TestOutputMatchesTheSchema(t *testing.T) {
	var doc, events bytes.Buffer
	if err := errors.Join(run(json.New(&doc)), run(json.NewLines(&events))); err != nil {
		t.Fatal(err)
	}
	for _, strict := range []bool{false, true} {
		validate(t, compile(t, strict, ""), doc.Bytes())
		for line := range bytes.Lines(events.Bytes()) {
			validate(t, compile(t, strict, "#/$defs/Event"), line)
		}
	}
}

// A schema that accepts everything would pass the test above.
func TestTheSchemaRefuses(t *testing.T) {
	var out bytes.Buffer
	if err := run(json.New(&out)); err != nil {
		t.Fatal(err)
	}
	spoil := []struct{ name, old, new string }{
		{"another major version", `"schema": "ccheck/1"`, `"schema": "ccheck/2"`},
		{"a verdict we do not have", `"verdict": "faulty"`, `"verdict": "fine"`},
		{"a severity we do not have", `"severity": "high"`, `"severity": "huge"`},
		{"text for a duration", `"elapsed_ns": 1000000000`, `"elapsed_ns": "1s"`},
		{"a finding without its message", `"message": `, `"massage": `},
	}
	for _, tt := range spoil {
		bad := strings.Replace(out.String(), tt.old, tt.new, 1)
		if bad == out.String() {
			t.Errorf("%s: the document has no %s to spoil", tt.name, tt.old)
			continue
		}
		if err := compile(t, false, "").Validate(decode(t, []byte(bad))); err == nil {
			t.Errorf("%s was accepted", tt.name)
		}
	}
}

func compile(t *testing.T, strict bool, at string) *jsonschema.Schema {
	t.Helper()
	text, err := json.SchemaJSON(strict)
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	if err := c.AddResource(json.SchemaID, decode(t, text)); err != nil {
		t.Fatal(err)
	}
	schema, err := c.Compile(json.SchemaID + at)
	if err != nil {
		t.Fatal(err)
	}
	return schema
}

func decode(t *testing.T, text []byte) any {
	t.Helper()
	v, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func validate(t *testing.T, schema *jsonschema.Schema, text []byte) {
	t.Helper()
	if err := schema.Validate(decode(t, text)); err != nil {
		t.Errorf("%s\ndoes not match the schema: %v", text, err)
	}
}

func TestPublishedSchemaIsFresh(t *testing.T) {
	const path = "../../../../docs/formats/ccheck-1.schema.json"
	want, err := json.SchemaJSON(false)
	if err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(path)
	if err != nil || !bytes.Equal(got, want) {
		t.Errorf("%s is stale: run `go run ./cmd/gendocs` (%v)", path, err)
	}
}

// full is a disk with room for n bytes.
type full struct{ n int }

func (f *full) Write(p []byte) (int, error) {
	if f.n -= len(p); f.n < 0 {
		return 0, errors.New("no space left on device")
	}
	return len(p), nil
}

// No byte that does not fit may be lost in silence, not even one of a Progress,
// which cannot return an error.
func TestWriteErrorsSurface(t *testing.T) {
	var whole bytes.Buffer
	if err := run(json.NewLines(&whole)); err != nil {
		t.Fatal(err)
	}
	for n := 0; n < whole.Len(); n += 97 {
		if err := run(json.NewLines(&full{n})); err == nil {
			t.Fatalf("%d of %d bytes fit, and no error", n, whole.Len())
		}
	}
	if err := run(json.New(&full{})); err == nil {
		t.Error("nothing of the document fits, and no error")
	}
}

func TestNoFindingsIsAnEmptyArray(t *testing.T) {
	var out bytes.Buffer
	s := json.New(&out)
	if err := errors.Join(s.Begin(report.Run{}), s.End(report.Summary{Verdict: report.Clean})); err != nil {
		t.Fatal(err)
	}
	var doc map[string]any
	if err := stdjson.Unmarshal(out.Bytes(), &doc); err != nil {
		t.Fatal(err)
	}
	if got, ok := doc["findings"].([]any); !ok || !reflect.DeepEqual(got, []any{}) {
		t.Errorf("findings is %v", doc["findings"])
	}
}
