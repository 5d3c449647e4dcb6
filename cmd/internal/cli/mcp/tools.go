package mcp

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/ccheck/ccheck/analyzers/report"
	"github.com/ccheck/ccheck/cmd/internal/exit"
	"github.com/ccheck/ccheck/cmd/internal/output"
	"github.com/ccheck/ccheck/cmd/internal/output/json"
	"github.com/ccheck/ccheck/cmd/internal/stored"
	"github.com/ccheck/ccheck/probes/scenario"
	"github.com/ccheck/ccheck/tui/story"
)

// tools are the handlers, with the last result for show_finding.
type tools struct {
	run      Runner
	allowOwn bool

	mu   sync.Mutex
	last []report.Finding
}

// describe is a tool that changes nothing outside a server of its own.
func (t *tools) describe(name, doc string) *sdk.Tool {
	no := false
	return &sdk.Tool{Name: name, Description: doc, Annotations: &sdk.ToolAnnotations{ReadOnlyHint: name != "explore" || !t.allowOwn, DestructiveHint: &no, OpenWorldHint: &no}}
}

// VetIn are the arguments of vet.
type VetIn struct {
	Packages   []string `json:"packages,omitempty" jsonschema:"package patterns as for the go command; default ./..."`
	Rules      []string `json:"rules,omitempty" jsonschema:"names of the rules to report; with a leading - those to leave out; default all"`
	Severity   string   `json:"severity,omitempty" jsonschema:"least severity to report: low, medium or high; default low"`
	NewFromRev string   `json:"new_from_rev,omitempty" jsonschema:"report only what has to do with lines changed since this git revision, such as HEAD"`
	Max        int      `json:"max,omitempty" jsonschema:"findings to return at most, the gravest first; default 20"`
}

func (t *tools) vet(ctx context.Context, _ *sdk.CallToolRequest, in VetIn) (*sdk.CallToolResult, Result, error) {
	args := []string{"vet", "--json"}
	if len(in.Rules) > 0 {
		args = append(args, "--rules="+strings.Join(in.Rules, ","))
	}
	if in.Severity != "" {
		args = append(args, "--severity="+in.Severity)
	}
	if in.NewFromRev != "" {
		args = append(args, "--new-from-rev="+in.NewFromRev)
	}
	args = append(args, "--") // a pattern is no flag, whatever it begins with
	return t.judged(ctx, in.Max, append(args, in.Packages...)...)
}

// ExploreIn are the arguments of explore.
type ExploreIn struct {
	Scenario  string   `json:"scenario" jsonschema:"name of a built-in scenario"`
	Lanes     []string `json:"lanes,omitempty" jsonschema:"the actors that run together, such as transfer and withdraw; default: the scenario's"`
	Isolation string   `json:"isolation,omitempty" jsonschema:"isolation levels, joined by commas: rc, rr, ser; default all three"`
	Variant   string   `json:"variant,omitempty" jsonschema:"version of the scenario to run; default: as it is and those that are called fixed"`
	Max       int      `json:"max,omitempty" jsonschema:"findings to return at most; default 20"`
}

func (t *tools) exploreDoc() string {
	doc := "Run two calls of a scenario through every interleaving of their statements on a throw-away PostgreSQL that ccheck starts and removes, and return the races with their lanes. Takes up to minutes. Built in: " +
		strings.Join(builtins(), ", ") + "."
	if t.allowOwn {
		doc += " A folder with ccheck.yaml may be named, too."
	}
	return doc
}

func builtins() []string {
	var names []string
	for _, s := range scenario.Builtin() {
		names = append(names, s.Name)
	}
	return names
}

func (t *tools) explore(ctx context.Context, _ *sdk.CallToolRequest, in ExploreIn) (*sdk.CallToolResult, Result, error) {
	if !t.allowOwn && !slices.Contains(builtins(), in.Scenario) {
		return nil, Result{}, fmt.Errorf("%q is no built-in scenario, and what lies in files may run commands; built in are %s; `ccheck mcp --allow-own-scenarios` allows others",
			in.Scenario, strings.Join(builtins(), ", "))
	}
	args := []string{"explore", "--json", "--throwaway"}
	for _, f := range [][2]string{{"lanes", strings.Join(in.Lanes, ",")}, {"isolation", in.Isolation}, {"variant", in.Variant}} {
		if f[1] != "" {
			args = append(args, "--"+f[0]+"="+f[1])
		}
	}
	return t.judged(ctx, in.Max, append(args, "--", in.Scenario)...)
}

// ExplainIn are the arguments of explain.
type ExplainIn struct {
	Name string `json:"name" jsonschema:"a rule, an SQLSTATE or a word: sqlcheckact, 40001, write skew"`
}

// Page is a text for people.
type Page struct {
	Text string `json:"text"`
}

func (t *tools) explain(ctx context.Context, _ *sdk.CallToolRequest, in ExplainIn) (*sdk.CallToolResult, Page, error) {
	out, said, code, err := t.run(ctx, "explain", "--plain", "--color=never", "--", in.Name)
	if err == nil && code != exit.Clean {
		err = problem(said)
	}
	return nil, Page{string(out)}, err
}

// ShowIn are the arguments of show_finding.
type ShowIn struct {
	Number int    `json:"number" jsonschema:"number of the finding, from 1"`
	File   string `json:"file,omitempty" jsonschema:"a report or history that ccheck wrote; default: the result of the last vet or explore of this session"`
}

func (t *tools) show(ctx context.Context, _ *sdk.CallToolRequest, in ShowIn) (*sdk.CallToolResult, Page, error) {
	all := t.recall()
	if in.File != "" {
		run, _, err := stored.Load(ctx, in.File)
		if err != nil {
			return nil, Page{}, err
		}
		all = run.Findings
	}
	switch {
	case len(all) == 0:
		return nil, Page{}, errors.New("there is no finding to show: call vet or explore first, or name the file of a stored run")
	case in.Number < 1 || in.Number > len(all):
		return nil, Page{}, fmt.Errorf("there is no finding %d: they go from 1 to %d", in.Number, len(all))
	}
	f := all[in.Number-1]
	text := story.Markdown(f)
	if where := story.Where(f.Where); where != "" {
		text += "\n**Where:** " + where + "\n"
	}
	return nil, Page{text}, nil
}

func (t *tools) recall() []report.Finding {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.last
}

// judged runs a command that passes judgement and reads its report.
func (t *tools) judged(ctx context.Context, most int, args ...string) (*sdk.CallToolResult, Result, error) {
	out, said, code, err := t.run(ctx, args...)
	if err != nil {
		return nil, Result{}, err
	}
	if code != exit.Clean && code != exit.Findings && code != exit.Unknown {
		return nil, Result{}, problem(said)
	}
	doc, err := json.Read(bytes.NewReader(out))
	if err != nil {
		return nil, Result{}, fmt.Errorf("reading the report of ccheck %s: %w; it said: %s", args[0], err, bytes.TrimSpace(said))
	}
	t.mu.Lock()
	t.last = doc.Findings
	t.mu.Unlock()
	return nil, newResult(output.Recording{Run: doc.Run, Findings: doc.Findings, Summary: doc.Summary}, most), nil
}

// problem is what a command said about why it could not run: its errors and its
// hints, which are made for people and hold no secret.
func problem(said []byte) error {
	var parts []string
	for line := range strings.Lines(string(said)) {
		line = strings.TrimSpace(line)
		if text, ok := strings.CutPrefix(line, "ccheck: error: "); ok {
			parts = append(parts, text)
		}
		if text, ok := strings.CutPrefix(line, "ccheck: hint: "); ok {
			parts = append(parts, "hint: "+text)
		}
	}
	if len(parts) == 0 {
		return errors.New("ccheck ended without a result and without a reason")
	}
	return errors.New(strings.Join(parts, "; "))
}
