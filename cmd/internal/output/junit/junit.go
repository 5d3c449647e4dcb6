package junit

import (
	"encoding/xml"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/ccheck/ccheck/analyzers/report"
	"github.com/ccheck/ccheck/tui/story"
)

// width of the story in a failure, in cells: build servers show it in a box
// that does not wrap.
const width = 100

// New returns a sink that writes one document to out when the run ends.
func New(out io.Writer) report.Sink { return &sink{out: out} }

type sink struct {
	out      io.Writer
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
	text, err := xml.MarshalIndent(s.document(sum), "", "  ")
	if err != nil {
		return fmt.Errorf("encoding the JUnit file: %w", err)
	}
	if _, err := io.WriteString(s.out, xml.Header+string(text)+"\n"); err != nil {
		return fmt.Errorf("writing the JUnit file: %w", err)
	}
	return nil
}

func (s *sink) document(sum report.Summary) suites {
	one := suite{Name: s.name(), Time: seconds(max(sum.Final.Elapsed, s.run.Duration)), Cases: s.cases(sum), Output: output(sum)}
	if !s.run.Started.IsZero() {
		one.Timestamp = s.run.Started.UTC().Format("2006-01-02T15:04:05")
	}
	for _, p := range [][2]string{
		{"tool", s.run.Tool}, {"target", s.run.Target}, {"server", s.run.Server}, {"isolation", s.run.Isolation},
		{"seed", fmt.Sprint(s.run.Seed)}, {"verdict", string(sum.Verdict)}, {"history", sum.History},
	} {
		if p[1] != "" {
			one.Properties = append(one.Properties, property{p[0], p[1]})
		}
	}
	for _, c := range one.Cases {
		one.count(c)
	}
	return suites{Name: "ccheck", Tests: one.Tests, Failures: one.Failures, Errors: one.Errors, Skipped: one.Skipped, Time: one.Time, Suites: []suite{one}}
}

// name is the class of the claims: "stress.wallet", "vet".
func (s *sink) name() string {
	return strings.Join(slices.DeleteFunc([]string{s.run.Probe, s.run.Scenario}, func(w string) bool { return w == "" }), ".")
}

// cases are the claims with their findings, then the findings without a claim,
// then the verdict where no other case has it.
func (s *sink) cases(sum report.Summary) []testcase {
	var all []testcase
	claims := slices.Clone(s.run.Claims)
	for _, c := range sum.Final.Claims {
		if !slices.Contains(claims, c.Name) {
			claims = append(claims, c.Name)
		}
	}
	for _, claim := range claims {
		all = append(all, s.claim(claim, sum)...)
	}
	for _, f := range s.findings {
		if !slices.Contains(claims, f.Claim) {
			all = append(all, failed(f, story.Clean(f.Rule), title(f)))
		}
	}
	if c := s.verdict(sum); c.Error != nil || c.Failure != nil || len(all) == 0 {
		all = append(all, c)
	}
	return distinct(all)
}

// claim is one case for each finding that breaks the claim, or the one that says
// how it stands.
func (s *sink) claim(name string, sum report.Summary) []testcase {
	var all []testcase
	for _, f := range s.findings {
		if f.Claim == name {
			all = append(all, failed(f, s.name(), name))
		}
	}
	if len(all) > 0 {
		return all
	}
	c := testcase{Class: s.name(), Name: name}
	i := slices.IndexFunc(sum.Final.Claims, func(c report.ClaimState) bool { return c.Name == name })
	switch {
	case i >= 0 && sum.Final.Claims[i].State == "bad":
		c.Failure = &outcome{Message: "the claim was seen broken", Type: "claim", Text: sum.Final.Claims[i].Note}
	case i >= 0 && sum.Final.Claims[i].State == "unproven":
		c.Skipped = &outcome{Message: "not judged: " + why(sum)}
	case i >= 0 && sum.Final.Claims[i].State != "ok":
		c.Skipped = &outcome{Message: "not judged: " + sum.Final.Claims[i].Note}
	case sum.Verdict == report.Unknown || sum.Verdict == report.Faulty && !sum.Evidence.Enough:
		c.Skipped = &outcome{Message: "not judged: " + why(sum)}
	}
	return []testcase{c}
}

// verdict is the case of a run as a whole: the only one of a clean run without
// claims, and the one that keeps an unknown run from passing.
func (s *sink) verdict(sum report.Summary) testcase {
	c := testcase{Class: s.name(), Name: "verdict"}
	switch {
	case sum.Verdict == report.Unknown:
		c.Error = &outcome{Message: "unknown: " + why(sum), Type: "unknown", Text: strings.Join(sum.Reasons, "\n")}
	case sum.Verdict == report.Faulty && len(s.findings) == 0:
		c.Failure = &outcome{Message: "a claim was broken", Type: "faulty", Text: strings.Join(sum.Reasons, "\n")}
	}
	return c
}

func why(sum report.Summary) string {
	if len(sum.Reasons) > 0 {
		return sum.Reasons[0]
	}
	return "the run was not hard enough"
}

// title names a finding that breaks no claim, so that two of one rule are two
// cases: a message has no line numbers, the place does.
func title(f report.Finding) string {
	if where := story.Where(f.Where); where != "" {
		return where + ": " + f.Message
	}
	return f.Message
}

func failed(f report.Finding, class, name string) testcase {
	c := testcase{Class: class, Name: name, File: f.Where.File, Line: f.Where.Line}
	c.Failure = &outcome{Message: f.Message, Type: fmt.Sprintf("%s (%s)", story.Name(f), f.Severity), Text: lines(story.Tell(f, story.Options{Width: width}))}
	var again []string
	if f.Repro.Command != "" {
		again = append(again, f.Repro.Command)
	}
	for i, script := range f.Repro.Psql {
		again = append(again, fmt.Sprintf("-- psql %d\n%s", i+1, script))
	}
	c.Output = strings.Join(again, "\n\n")
	return c
}

// distinct numbers cases of one name: some servers keep the last of them only.
func distinct(all []testcase) []testcase {
	seen := map[[2]string]int{}
	for i := range all {
		key := [2]string{all[i].Class, all[i].Name}
		if seen[key]++; seen[key] > 1 {
			all[i].Name = fmt.Sprintf("%s #%d", all[i].Name, seen[key])
		}
	}
	return all
}

func output(sum report.Summary) string {
	said := slices.Concat(sum.Notes, []string{sum.Line})
	return strings.Join(slices.DeleteFunc(said, func(s string) bool { return s == "" }), "\n")
}

func lines(all []story.Line) string {
	var b strings.Builder
	for _, l := range all {
		b.WriteString(l.String() + "\n")
	}
	return b.String()
}

func seconds(d time.Duration) string { return fmt.Sprintf("%.3f", d.Seconds()) }
