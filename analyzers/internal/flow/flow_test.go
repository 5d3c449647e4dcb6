package flow_test

import (
	"bytes"
	"encoding/gob"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/analysistest"

	"github.com/ccheck/ccheck/analyzers/internal/flow"
)

var update = flag.Bool("update", false, "write the golden files")

// collect hands out the result of flow, whose facts analysistest would ask
// comments for.
var collect = &analysis.Analyzer{
	Name:       "collect",
	Doc:        "collect: the summaries of a package",
	Requires:   []*analysis.Analyzer{flow.Analyzer},
	ResultType: reflect.TypeFor[*flow.Package](),
	Run:        func(pass *analysis.Pass) (any, error) { return pass.ResultOf[flow.Analyzer], nil },
}

func load(t *testing.T, pkgs ...string) []*flow.Package {
	t.Helper()
	var all []*flow.Package
	for _, r := range analysistest.Run(t, analysistest.TestData(), collect, pkgs...) {
		all = append(all, r.Result.(*flow.Package))
	}
	return all
}

func TestSummaries(t *testing.T) {
	var b strings.Builder
	for _, p := range load(t, "a") {
		for _, s := range p.Own {
			tell(&b, s)
		}
	}
	golden(t, "summaries.golden", b.String())
}

// The step over the module folds the implementation into the caller.
func TestLink(t *testing.T) {
	var b strings.Builder
	flow.Link(load(t, "a"), []flow.Pairing{{Name: "tell", Judge: func(s *flow.Summary) []flow.Found {
		if strings.HasSuffix(s.Name, ".through") {
			tell(&b, s)
		}
		return nil
	}}})
	golden(t, "linked.golden", b.String())
}

// Summaries are finite: names and values that contain themselves are cut.
func TestOdd(t *testing.T) {
	pkgs := load(t, "odd")
	flow.Link(pkgs, nil)
	for _, s := range pkgs[0].Own {
		if len(s.Events) > 200 {
			t.Errorf("%s has %d events", s.Name, len(s.Events))
		}
		for i := range s.Events {
			if text := s.Events[i].On.String(); len(text) > 2000 {
				t.Errorf("%s: event %d is on %.80s…", s.Name, i, text)
			}
		}
	}
}

// What Link needs survives the way through a fact or a cache.
func TestFact(t *testing.T) {
	for _, p := range load(t, "a") {
		var b bytes.Buffer
		if err := gob.NewEncoder(&b).Encode(&flow.Fact{Summaries: p.Own}); err != nil {
			t.Fatal(err)
		}
		var got flow.Fact
		if err := gob.NewDecoder(&b).Decode(&got); err != nil {
			t.Fatal(err)
		}
		var before, after strings.Builder
		for i := range p.Own {
			tell(&before, p.Own[i])
			tell(&after, got.Summaries[i])
		}
		if diff := cmp.Diff(before.String(), after.String()); diff != "" {
			t.Error(diff)
		}
	}
}

// A fact of one source is the same bytes each time.
func TestFieldsEncodeInOrder(t *testing.T) {
	in := flow.Value{Parts: flow.Fields{}}
	for _, path := range []string{".Key", ".Value", ".Flags", ".Expiration", ".TTL", ".Mode", ".Get", ".KeepTTL"} {
		in.Parts[path] = flow.Desc{Root: flow.Const, Name: path}
	}
	var first []byte
	for range 20 {
		var b bytes.Buffer
		if err := gob.NewEncoder(&b).Encode(in); err != nil {
			t.Fatal(err)
		}
		if first == nil {
			first = b.Bytes()
		}
		if !bytes.Equal(first, b.Bytes()) {
			t.Fatal("two encodings of one value differ")
		}
	}
	var out flow.Value
	if err := gob.NewDecoder(bytes.NewReader(first)).Decode(&out); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(in, out); diff != "" {
		t.Error(diff)
	}
}

func golden(t *testing.T, name, got string) {
	t.Helper()
	file := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Error(diff)
	}
}

func tell(b *strings.Builder, s *flow.Summary) {
	fmt.Fprintf(b, "%s\n", s.Name)
	if s.Folded {
		fmt.Fprintf(b, "    is folded into %s\n", s.Parent)
	}
	for i := range s.Events {
		tellEvent(b, s, i)
	}
	for k, parts := range s.Results {
		fmt.Fprintf(b, "    result %d is %s, from %s\n", k, s.Descs[k], sources(parts))
	}
	for _, o := range s.Outs {
		fmt.Fprintf(b, "    leaves in p%d%s %s\n", o.Param, o.Path, sources(o.From))
	}
	for _, a := range s.Asks {
		fmt.Fprintf(b, "    asks %s of %s\n", a.Text, source(a.Source))
	}
	b.WriteByte('\n')
}

func tellEvent(b *strings.Builder, s *flow.Summary, i int) {
	e := &s.Events[i]
	var lines []string
	for _, p := range e.Site {
		lines = append(lines, fmt.Sprint(p.Line))
	}
	fmt.Fprintf(b, "    %d %s at %s on %s", i, e.Op, strings.Join(lines, " in "), e.On)
	if e.Handle != 0 {
		fmt.Fprintf(b, " (%s)", e.Handle)
	}
	if e.SQL != "" {
		fmt.Fprintf(b, ": %s", e.SQL)
	}
	b.WriteByte('\n')
	for k, a := range e.Args {
		fmt.Fprintf(b, "        arg %d %s, from %s\n", k+1, a.Desc, sources(a.From))
	}
	for _, c := range e.Conds {
		fmt.Fprintf(b, "        when %s of %s %s %v\n", [...]string{"", "no error", "error", "absence", "presence", "the value"}[c.Test], source(c.Source), c.Text, c.Yes)
	}
	if len(e.Held) > 0 {
		fmt.Fprintf(b, "        held %v\n", e.Held)
	}
	for _, l := range e.Loop {
		fmt.Fprintf(b, "        for each of %s\n", l.Over.Desc)
	}
	if e.Deferred {
		b.WriteString("        deferred\n")
	}
}

func sources(parts []flow.Part) string {
	var out []string
	for _, p := range parts {
		text := p.Path
		if p.Over {
			text += "!"
		}
		if p.Event >= 0 || p.Param >= 0 {
			text += "<" + source(p.Source) + ">"
		}
		out = append(out, text)
	}
	return "[" + strings.Join(out, " ") + "]"
}

func source(s flow.Source) string {
	text := fmt.Sprintf("%d%s", s.Event, s.Path)
	if s.Event < 0 {
		text = fmt.Sprintf("p%d%s", s.Param, s.Path)
	}
	if s.Calc {
		text += " calc"
	}
	return text
}

// A call of what a field holds is followed where only one function is ever put there.
func TestHooked(t *testing.T) {
	got := map[string]string{}
	flow.Link(load(t, "hooked"), []flow.Pairing{{Name: "tell", Judge: func(s *flow.Summary) []flow.Found {
		if name := s.Name[strings.LastIndexByte(s.Name, '.')+1:]; strings.HasPrefix(name, "run") && len(s.Events) == 1 {
			got[name] = string(s.Events[0].Op) + " " + s.Events[0].On.String()
		}
		return nil
	}}})
	want := map[string]string{
		"runOnce":  "lock p0.once.receiver.mu",
		"runPlain": "lock g:hooked.global",
		"runTwice": "call p0.twice",
		"runOpen":  "call p0.Open",
		"runList":  "call l:runList.t0[].run",
	}
	if !maps.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}
