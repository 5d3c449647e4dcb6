package story

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/charmbracelet/x/ansi"

	"github.com/ccheck/ccheck/analyzers/report"
)

// Title names a run in one or two lines: what was run against what.
func Title(r report.Run, o Options) []Line {
	parts := []Segment{seg(strings.TrimSpace("ccheck "+o.Text(r.Probe)+" "+o.Text(r.Scenario)), Strong)}
	for i, text := range runFacts(r, o) {
		if i > 0 {
			parts[i].Text += ","
		}
		parts = append(parts, seg(text, Muted))
	}
	if o.Plain {
		return []Line{line(seg("RUN "+spaced(parts), Body))}
	}
	return fold(parts, o.width())
}

func spaced(segs []Segment) string {
	var said []string
	for _, s := range segs {
		said = append(said, s.Text)
	}
	return strings.Join(said, " ")
}

func runFacts(r report.Run, o Options) []string {
	var said []string
	switch {
	case r.Server != "":
		said = append(said, o.Text("on "+r.Server+" at "+r.Target))
	case r.Target != "":
		said = append(said, o.Text("on "+r.Target)) // source has no server
	}
	if r.Isolation != "" {
		said = append(said, o.Text(r.Isolation))
	}
	if r.Clients > 0 {
		said = append(said, o.plural(int64(r.Clients), "client"))
	}
	if r.Limit > 0 {
		said = append(said, o.plural(r.Limit, "call")+" each")
	} else if r.Duration > 0 {
		said = append(said, o.Dur(r.Duration))
	}
	if r.Seed == 0 {
		return said // nothing was chosen at random
	}
	return append(said, fmt.Sprintf("seed %d", r.Seed))
}

// Brief is a finding in one line, for a list.
func Brief(f report.Finding, o Options) Line {
	if o.Plain {
		text := fmt.Sprintf("FINDING %s %s: %s", f.Severity, Name(f), f.Message)
		return line(seg(o.Text(text), Body))
	}
	head := []Segment{
		seg(o.Sign(Bad)+" "+strings.ToUpper(o.Text(string(f.Severity)))+" ", SeverityRole(f.Severity)),
		seg(o.Text(Name(f)), Strong),
	}
	rest := ": " + f.Message
	if f.Count > 1 {
		rest = fmt.Sprintf(" ×%d%s", f.Count, rest)
	}
	room := o.width() - line(head...).cells()
	return line(append(head, seg(o.cut(o.text(rest), max(room, 0)), Body))...)
}

// text is Text that keeps a leading blank.
func (o Options) text(s string) string {
	if strings.HasPrefix(s, " ") {
		return " " + o.Text(s)
	}
	return o.Text(s)
}

// Result sums a run up: the claims, the counts, the latencies, how hard it
// tried, the tables, and the verdict in words. Summary.Line is not in it.
func Result(s report.Summary, findings int, o Options) []Line {
	var out []Line
	out = append(out, Claims(s.Final.Claims, o)...)
	out = append(out, counts(s, o)...)
	for _, t := range s.Tables {
		if !o.Plain && len(out) > 0 {
			out = append(out, Line{})
		}
		out = append(out, Table(t, o)...)
	}
	if t := Timeline(s.Timeline, o); len(t) > 0 {
		if !o.Plain && len(out) > 0 {
			out = append(out, Line{})
		}
		out = append(out, t...)
	}
	if !o.Plain {
		out = append(out, Line{})
	}
	return append(out, conclusion(s, findings, o)...)
}

func counts(s report.Summary, o Options) []Line {
	var out []Line
	for _, x := range totals(s, o) {
		role := Body
		if x[0] == "errors" {
			role = Warn
		}
		out = append(out, o.fact(x[0], x[1], role)...)
	}
	return out
}

// totals is what was counted, as label and text. A text may be empty.
func totals(s report.Summary, o Options) [][2]string {
	p := s.Final
	all := [][2]string{{"calls", ""}, {"errors", o.Counts(p.Errors)}, {"latency", ""}, {"evidence", ""}}
	if p.Accepted+p.Refused+p.Failed+p.Unknown > 0 {
		all[0][1] = o.Calls(p)
	}
	if p.P99 > 0 {
		all[2][1] = fmt.Sprintf("p50 %s, p99 %s, max %s", o.Dur(p.P50), o.Dur(p.P99), o.Dur(p.Max))
	}
	if s.Evidence != (report.Evidence{}) {
		all[3][1] = o.Evidence(s)
	}
	return all
}

// Calls counts how calls ended.
func (o Options) Calls(p report.Progress) string {
	said := fmt.Sprintf("%s accepted, %s refused, %s failed", o.Count(p.Accepted), o.Count(p.Refused), o.Count(p.Failed))
	if p.Unknown > 0 {
		said += fmt.Sprintf(", %s with unknown outcome", o.Count(p.Unknown))
	}
	if p.Retries > 0 {
		said += ", " + o.Count(p.Retries) + " retries"
	}
	if secs := p.Elapsed.Seconds(); secs > 0 {
		said += fmt.Sprintf(", %s/s", o.Count(int64(float64(p.Accepted+p.Refused+p.Failed)/secs+0.5)))
	}
	return said
}

func conclusion(s report.Summary, findings int, o Options) []Line {
	var out []Line
	name, tone := "reason", Warn
	if s.Verdict == report.Faulty {
		name, tone = "note", Muted // the findings are reason enough
	}
	for _, r := range reasons(s) {
		out = append(out, o.fact(name, r, tone)...)
	}
	for _, n := range s.Notes {
		out = append(out, o.fact("note", n, Muted)...)
	}
	if !strings.Contains(s.Line, s.History) {
		out = append(out, o.fact("history", s.History, Muted)...)
	}
	text, role := o.Verdict(s, findings), VerdictRole(s.Verdict)
	if o.Plain {
		return append(out, line(seg("RESULT "+text, Body)))
	}
	for _, l := range Wrap(o.Sign(role)+" "+text, o.width(), 2) {
		out = append(out, line(seg(l, role)))
	}
	return out
}

// reasons are those of the verdict. Contention is not missed where something was
// found.
func reasons(s report.Summary) []string {
	if s.Verdict != report.Faulty {
		return s.Reasons
	}
	return slices.DeleteFunc(slices.Clone(s.Reasons), func(r string) bool { return r == s.Evidence.Missing })
}

// fact is a label, or in plain mode a leading word.
func (o Options) fact(name, text string, role Role) []Line {
	if text = o.Text(text); text == "" {
		return nil
	}
	if o.Plain {
		return []Line{line(seg(strings.ToUpper(name)+" "+text, Body))}
	}
	return o.label(name, text, role)
}

// Claims lists the claims and how they stand, one a line.
func Claims(cs []report.ClaimState, o Options) []Line {
	if o.Plain {
		return plainClaims(cs, o)
	}
	names, facts := claimCells(cs, o)
	if claimWord+1+names+2+facts > o.width() {
		cs = withoutFirst(cs)
		names, facts = claimCells(cs, o)
	}
	if o.width() < claimRoom {
		facts = 0
	}
	names = min(names, max(o.width()-claimWord-facts-3, o.width()/2))
	var out []Line
	for _, c := range cs {
		word, role := o.ClaimWord(c)
		segs := []Segment{seg(pad(word, claimWord)+" ", role), seg(pad(o.cut(o.Text(c.Name), names), names), Body)}
		if rest := claimFacts(c, o); rest != "" && facts > 0 {
			room := o.width() - line(segs...).cells() - 2
			segs = append(segs, seg("  "+o.cut(rest, max(room, 0)), Muted))
		}
		out = append(out, line(segs...))
	}
	return out
}

// claimCells is how much room the longest name and the longest facts take.
func claimCells(cs []report.ClaimState, o Options) (names, facts int) {
	for _, c := range cs {
		names = max(names, ansi.StringWidth(o.Text(c.Name)))
		facts = max(facts, ansi.StringWidth(claimFacts(c, o)))
	}
	return names, facts
}

// withoutFirst leaves out when a claim was broken first: where there is little
// room the name matters more, and the finding says when.
func withoutFirst(cs []report.ClaimState) []report.ClaimState {
	cs = slices.Clone(cs)
	for i := range cs {
		cs[i].FirstBad = 0
	}
	return cs
}

const (
	claimWord = 11 // cells for the state of a claim
	claimRoom = 60 // in less than this the name alone goes beside it
)

// cut shortens text to width cells, at the end of a word where there is one.
func (o Options) cut(text string, width int) string {
	if ansi.StringWidth(text) <= width {
		return text
	}
	mark := o.glyphs().ellipsis
	short := ansi.Truncate(text, max(width-ansi.StringWidth(mark)-1, 0), "")
	if i := strings.LastIndexByte(short, ' '); i > len(short)/2 {
		return short[:i] + " " + mark
	}
	return ansi.Truncate(text, width, mark)
}

// ClaimWord is the state of a claim as glyph and word.
func (o Options) ClaimWord(c report.ClaimState) (string, Role) {
	g := o.glyphs()
	switch c.State {
	case "ok":
		return g.good + " OK", Good
	case "bad":
		return fmt.Sprintf("%s BAD %d", g.bad, c.Bad), Bad
	case "error":
		return g.unknown + " ERROR", Warn
	case "unproven":
		return g.unknown + " unproven", Warn
	}
	return g.ellipsis + " waiting", Muted
}

// claimFacts is what there is to say about a claim. How it is looked at counts
// only while it has not been, or cannot be.
func claimFacts(c report.ClaimState, o Options) string {
	var said []string
	if c.Checks > 0 {
		checks := o.plural(int64(c.Checks), "check")
		said = append(said, strings.Repeat(" ", max(len("00000 checks")-len(checks), 0))+checks)
	}
	if c.FirstBad > 0 {
		said = append(said, "first bad at "+o.Dur(c.FirstBad))
	}
	if c.Note != "" && (c.State == "waiting" || c.State == "error") {
		said = append(said, o.Text(c.Note))
	}
	return strings.Join(said, "  ")
}

func plainClaims(cs []report.ClaimState, o Options) []Line {
	var out []Line
	for _, c := range cs {
		text := fmt.Sprintf("CLAIM %s %s", c.State, c.Name)
		if more := strings.TrimSpace(claimFacts(c, o)); more != "" {
			text += "; " + strings.ReplaceAll(more, "  ", "; ")
		}
		out = append(out, line(seg(o.Text(text), Body)))
	}
	return out
}

// Broken is a claim that was just seen broken, in one line.
func Broken(v report.Violation, o Options) string {
	return o.Text(fmt.Sprintf("%s at %s: %s", v.Claim, o.Dur(v.At), v.Text))
}

// State is the progress of a run in one line of words.
func State(p report.Progress, o Options) string {
	said := p.Phase
	if p.Total > 0 {
		said = fmt.Sprintf("%s, %s of %s", p.Phase, o.Dur(p.Elapsed.Round(100*time.Millisecond)), o.Dur(p.Total))
	} else if p.Elapsed > 0 {
		said = fmt.Sprintf("%s, %s", p.Phase, o.Dur(p.Elapsed.Round(100*time.Millisecond)))
	}
	if calls := p.Accepted + p.Refused + p.Failed + p.Unknown; calls > 0 || p.Evidence != (report.Evidence{}) || len(p.Claims) > 0 {
		said += fmt.Sprintf(": %s", o.Calls(p))
	}
	if p.P99 > 0 {
		said += ", p99 " + o.Dur(p.P99)
	}
	if n := len(p.Violations); n > 0 {
		said += ", " + o.plural(int64(n), "violation")
	}
	return o.Text(said)
}
