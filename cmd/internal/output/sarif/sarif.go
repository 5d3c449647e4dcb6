package sarif

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/ccheck/ccheck/analyzers/report"
)

// Rule is what a log says about a rule beside its findings.
type Rule struct {
	Name    string
	Summary string
	Doc     string // the rest of its page
}

// What GitHub takes, see "SARIF results exceed one or more limits" in its
// documentation.
const (
	maxResults = 5000
	maxSteps   = 1000
)

// New returns a sink that writes one log to out when the run ends.
func New(out io.Writer, rules []Rule) report.Sink { return &sink{out: out, rules: rules} }

type sink struct {
	out      io.Writer
	rules    []Rule
	run      report.Run
	findings []report.Finding
}

func (s *sink) Begin(r report.Run) error {
	s.run = r
	return nil
}

func (*sink) Progress(report.Progress) {}

func (s *sink) Add(f report.Finding) error {
	s.findings = append(s.findings, f)
	return nil
}

func (s *sink) End(sum report.Summary) error {
	enc := json.NewEncoder(s.out)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(s.log(sum)); err != nil {
		return fmt.Errorf("writing the SARIF log: %w", err)
	}
	return nil
}

func (s *sink) log(sum report.Summary) log {
	findings := s.findings
	notes := notifications(sum)
	if n := len(findings); n > maxResults {
		findings = slices.Clone(findings)
		slices.SortStableFunc(findings, func(a, b report.Finding) int { return b.Severity.Rank() - a.Severity.Rank() })
		findings = findings[:maxResults]
		notes = append(notes, note("warning", fmt.Sprintf("%d of %d findings are left out; --severity high or fewer packages make it fit", n-maxResults, n)))
	}
	rules := s.used(findings)
	r := run{
		Tool:        tool{driver{Name: "ccheck", Version: s.run.Tool, URI: "https://github.com/ccheck/ccheck", Rules: descriptors(rules)}},
		Bases:       map[string]artifact{base: {Description: &text{Text: "the folder in which ccheck ran"}}},
		Invocations: []invocation{{Successful: sum.Verdict != report.Unknown && len(sum.Reasons) == 0, Notes: notes}},
		Columns:     "utf16CodeUnits",
		Results:     []result{},
	}
	for _, f := range findings {
		r.Results = append(r.Results, toResult(f, slices.IndexFunc(rules, func(x Rule) bool { return x.Name == f.Rule })))
	}
	return log{Schema: schema, Version: "2.1.0", Runs: []run{r}}
}

// used are the rules of the findings, in the order of the registry.
func (s *sink) used(findings []report.Finding) []Rule {
	var all []Rule
	has := func(list []Rule, name string) bool {
		return slices.ContainsFunc(list, func(r Rule) bool { return r.Name == name })
	}
	for _, r := range s.rules {
		if !has(all, r.Name) && slices.ContainsFunc(findings, func(f report.Finding) bool { return f.Rule == r.Name }) {
			all = append(all, r)
		}
	}
	for _, f := range findings {
		if !has(all, f.Rule) {
			all = append(all, Rule{Name: f.Rule, Summary: f.Rule})
		}
	}
	return all
}

func descriptors(rules []Rule) []descriptor {
	all := []descriptor{}
	for _, r := range rules {
		d := descriptor{ID: r.Name, Short: text{Text: r.Summary}, HelpURI: "https://github.com/ccheck/ccheck/blob/main/docs/analyzers/" + r.Name + ".md"}
		if r.Doc != "" {
			d.Help = &text{Text: r.Doc, Markdown: r.Doc}
		}
		all = append(all, d)
	}
	return all
}

func notifications(sum report.Summary) []notification {
	var all []notification
	for _, why := range sum.Reasons {
		all = append(all, note("error", why))
	}
	for _, n := range sum.Notes {
		all = append(all, note("note", n))
	}
	return all
}

func note(level, message string) notification { return notification{level, text{Text: message}} }

var levels = map[report.Severity]string{report.High: "error", report.Medium: "warning", report.Low: "note"}

func toResult(f report.Finding, rule int) result {
	where := located(f.Where)
	if where.Physical.Artifact.URI == "" {
		where.Physical = physical{Artifact: artifactLocation{"ccheck.yaml", base}, Region: &region{StartLine: 1}}
	}
	r := result{
		RuleID: f.Rule, RuleIndex: rule, Level: cmp.Or(levels[f.Severity], "warning"), Message: text{Text: message(f)},
		Locations: []location{where},
	}
	if f.Fingerprint != "" {
		r.Fingerprints = map[string]string{"ccheck/1": f.Fingerprint}
	}
	for _, s := range f.Steps {
		if s.Where.File != "" {
			l := located(s.Where)
			l.Message = &text{Text: step(f, s)}
			r.Related = append(r.Related, l)
		}
	}
	r.Flows = flows(f, where)
	for _, x := range f.Fixes {
		if len(x.Edits) > 0 {
			r.Fixes = append(r.Fixes, toFix(x))
		}
	}
	return r
}

// message is all that some viewers show: what is wrong, the story, and the
// mends in words.
func message(f report.Finding) string {
	parts := []string{f.Message}
	if f.Why != "" {
		parts = append(parts, f.Why)
	}
	for _, x := range f.Fixes {
		if line := strings.TrimSpace(x.Title + " " + x.SQL); line != "" {
			parts = append(parts, "Fix: "+line)
		}
	}
	return strings.Join(parts, "\n")
}

// step is a step in words, with the lane that made it.
func step(f report.Finding, s report.Step) string {
	if s.Lane < len(f.Lanes) && f.Lanes[s.Lane].Name != "" {
		return f.Lanes[s.Lane].Name + ": " + s.Text
	}
	return cmp.Or(s.Text, "here")
}

// flows is the story as one flow that ends where the finding is. A step without
// a place of its own is shown at that place.
func flows(f report.Finding, where location) []codeFlow {
	if len(f.Steps) == 0 {
		return nil
	}
	var flow threadFlow
	for _, s := range f.Steps[:min(len(f.Steps), maxSteps-1)] {
		l := where
		if s.Where.File != "" {
			l = located(s.Where)
		}
		l.Message = &text{Text: step(f, s)}
		flow.Locations = append(flow.Locations, flowLocation{Location: l})
	}
	end := where
	end.Message = &text{Text: f.Message}
	flow.Locations = append(flow.Locations, flowLocation{Location: end})
	return []codeFlow{{Threads: []threadFlow{flow}}}
}

func toFix(x report.Fix) fix {
	out := fix{Description: text{Text: x.Title}}
	for _, e := range x.Edits {
		l := located(e.Location).Physical
		i := slices.IndexFunc(out.Changes, func(c change) bool { return c.Artifact == l.Artifact })
		if i < 0 {
			out.Changes = append(out.Changes, change{Artifact: l.Artifact})
			i = len(out.Changes) - 1
		}
		out.Changes[i].Replacements = append(out.Changes[i].Replacements, replacement{Deleted: *l.Region, Inserted: &content{e.NewText}})
	}
	return out
}
