package json_test

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ccheck/ccheck/analyzers/report"
	"github.com/ccheck/ccheck/cmd/internal/output/json"
)

// written is the sample run as a document and as events.
func written(t testing.TB) (doc, events []byte) {
	t.Helper()
	var d, e bytes.Buffer
	if err := errors.Join(run(json.New(&d)), run(json.NewLines(&e))); err != nil {
		t.Fatal(err)
	}
	return d.Bytes(), e.Bytes()
}

// What was written is read back, from either form.
func TestRead(t *testing.T) {
	doc, events := written(t)
	want, err := json.Read(bytes.NewReader(doc))
	if err != nil || want.Run.ID != "7f3a" || len(want.Findings) != 1 || want.Summary.Verdict != report.Faulty {
		t.Fatalf("error %v, read %+v", err, want)
	}
	got, err := json.Read(bytes.NewReader(events))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("the events give another run than the document:\n%s", diff)
	}
}

func TestReadErrors(t *testing.T) {
	doc, _ := written(t)
	tests := []struct {
		text string
		cut  bool
	}{
		{"", true},
		{string(doc[:len(doc)/2]), true},
		{"[1, 2]", false},
		{`{"schema":"ccheck/2"}`, false},
		{`{"schema":"ccheck/1","run":3}`, false},
		{"not JSON", false},
	}
	for _, tt := range tests {
		_, err := json.Read(strings.NewReader(tt.text))
		if err == nil || errors.Is(err, json.ErrCut) != tt.cut {
			t.Errorf("%.30q: error %v, want cut %v", tt.text, err, tt.cut)
		}
	}
}

// Events that end anywhere before the last are an unknown run, never a clean one.
func TestReadCutEvents(t *testing.T) {
	_, events := written(t)
	lines := bytes.SplitAfter(events, []byte("\n"))
	for n := 1; n < len(lines)-1; n++ {
		doc, err := json.Read(bytes.NewReader(bytes.Join(lines[:n], nil)))
		if !errors.Is(err, json.ErrCut) || doc.Summary.Verdict != report.Unknown || doc.Run.ID != "7f3a" {
			t.Errorf("%d lines: error %v, verdict %q, run %q", n, err, doc.Summary.Verdict, doc.Run.ID)
		}
	}
}

func FuzzRead(f *testing.F) {
	doc, events := written(f)
	f.Add(doc)
	f.Add(events)
	f.Add([]byte(`{"schema":"ccheck/1","event":"begin"}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		got, err := json.Read(bytes.NewReader(text))
		if err == nil && got.Schema != json.Schema {
			t.Errorf("read a run of schema %q", got.Schema)
		}
	})
}
