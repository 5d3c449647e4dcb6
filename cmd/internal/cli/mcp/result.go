package mcp

import (
	"fmt"

	"github.com/ccheck/ccheck/analyzers/report"
	"github.com/ccheck/ccheck/cmd/internal/output"
	"github.com/ccheck/ccheck/tui/story"
)

// few is how many findings an answer holds unless more are asked for: an
// assistant pays for every word, and show_finding has the rest.
const few = 20

// Result is the answer of a tool that passes judgement.
type Result struct {
	Verdict  string    `json:"verdict" jsonschema:"clean, faulty or unknown; unknown is no pass"`
	Summary  string    `json:"summary" jsonschema:"the last line of the run"`
	Reasons  []string  `json:"reasons,omitempty" jsonschema:"why the verdict is unknown, or what was cut short"`
	Notes    []string  `json:"notes,omitempty"`
	Findings []Finding `json:"findings" jsonschema:"the gravest first"`
	LeftOut  int       `json:"left_out,omitempty" jsonschema:"findings that are not in this answer; show_finding has them by number"`
}

// Finding is the short form of one finding.
type Finding struct {
	Number   int      `json:"number" jsonschema:"for show_finding"`
	Rule     string   `json:"rule" jsonschema:"for explain"`
	Severity string   `json:"severity"`
	Name     string   `json:"name,omitempty" jsonschema:"the field's word for the anomaly"`
	Where    string   `json:"where,omitempty" jsonschema:"file:line:column"`
	Message  string   `json:"message"`
	Why      string   `json:"why,omitempty"`
	Steps    []string `json:"steps,omitempty" jsonschema:"the interleaving, in the order in which it happened"`
	Fixes    []string `json:"fixes,omitempty" jsonschema:"in the order to try them"`
}

func newResult(r output.Recording, most int) Result {
	if most <= 0 {
		most = few
	}
	all := Result{Verdict: string(r.Summary.Verdict), Summary: r.Summary.Line, Reasons: r.Summary.Reasons, Notes: r.Summary.Notes, Findings: []Finding{}}
	for i, f := range r.Findings {
		if i >= most {
			all.LeftOut = len(r.Findings) - most
			break
		}
		all.Findings = append(all.Findings, short(i+1, f))
	}
	return all
}

func short(number int, f report.Finding) Finding {
	all := Finding{Number: number, Rule: f.Rule, Severity: string(f.Severity), Name: f.Anomaly, Where: story.Where(f.Where), Message: f.Message, Why: f.Why}
	for i, s := range f.Steps {
		lane := ""
		if s.Lane >= 0 && s.Lane < len(f.Lanes) {
			lane = f.Lanes[s.Lane].Name + ": "
		}
		text := fmt.Sprintf("%d. %s%s", i+1, lane, s.Text)
		for _, more := range []string{s.Wait, s.Read, s.Wrote, s.Result, story.Where(s.Where)} {
			if more != "" {
				text += " | " + more
			}
		}
		all.Steps = append(all.Steps, text)
	}
	for _, x := range f.Fixes {
		text := string(x.Kind) + ": " + x.Title
		for _, more := range []string{x.SQL, x.Note} {
			if more != "" {
				text += "\n" + more
			}
		}
		all.Fixes = append(all.Fixes, text)
	}
	return all
}
