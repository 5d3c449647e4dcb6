package tui

import (
	"errors"
	"fmt"
	"maps"
	"os/exec"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/ccheck/ccheck/analyzers/report"
	"github.com/ccheck/ccheck/tui/screen"
	"github.com/ccheck/ccheck/tui/story"
)

// Code is the source that findings are about. Its methods but Editor are called
// outside of the event loop, and may be called at the same time.
type Code interface {
	// Read is a file as it was judged.
	Read(file string) ([]byte, error)
	// Diff is what the edits of findings change, as a unified diff.
	Diff([]report.Finding) (string, error)
	// Apply makes the edits of findings and returns the files. Of several, those
	// that touch the same lines as others are left out: left has their places.
	Apply([]report.Finding) (files []string, left []int, err error)
	// Editor is the person's editor at a place.
	Editor(report.Location) (*exec.Cmd, error)
}

// The answers of Code.
type (
	looked struct {
		finding int
		excerpt story.Excerpt
	}
	asking struct {
		findings []int
		diff     string
		err      error
	}
	applied struct {
		findings []int
		files    []string
		left     []int
		err      error
	}
	edited struct{ err error }
	proved struct{ said string }
)

// code takes the answers.
func (m *model) code(msg tea.Msg) {
	switch msg := msg.(type) {
	case looked:
		m.keep(msg.finding, msg.excerpt)
	case asking:
		if m.flash = ""; msg.err != nil {
			m.flash = "Cannot edit: " + msg.err.Error() + "."
			return
		}
		m.overlay = &confirm{findings: msg.findings, diff: msg.diff}
	case applied:
		m.wrote(msg)
	case proved:
		m.flash = msg.said
	case edited:
		if msg.err != nil {
			m.flash = "The editor ended with: " + msg.err.Error() + "."
		}
	}
}

// keep puts an excerpt beside the others; those that are shown do not change.
func (m *model) keep(i int, e story.Excerpt) {
	all := maps.Clone(m.live.Code)
	if all == nil {
		all = map[int]story.Excerpt{}
	}
	all[i] = e
	m.live.Code = all
	m.refresh()
}

// look asks for the source of the finding in focus, once.
func (m *model) look() tea.Cmd {
	f, ok := m.screen().(screen.Focuser)
	if m.opts.Code == nil || !ok || m.screen().Name() != screen.Vet {
		return nil
	}
	i, ok := f.Focus(m.data())
	if !ok || m.asked[i] || i >= len(m.live.Findings) {
		return nil
	}
	m.asked[i] = true
	fd, code := m.live.Findings[i], m.opts.Code
	return func() tea.Msg { return looked{i, excerpt(code, fd)} }
}

// excerpt reads what a finding is about.
func excerpt(code Code, f report.Finding) story.Excerpt {
	var e story.Excerpt
	places := story.Places(f)
	seen := map[string]bool{}
	for _, p := range places {
		if seen[p.At.File] || p.At.File == "" {
			continue
		}
		seen[p.At.File] = true
		text, err := code.Read(p.At.File)
		if err != nil {
			e.Trouble = err.Error()
			continue
		}
		e.Parts = append(e.Parts, story.Cut(p.At.File, text, places)...)
	}
	if e.Trouble == "" {
		diff, err := code.Diff([]report.Finding{f})
		if err != nil {
			e.Trouble = err.Error()
		}
		e.Diff = diff
	}
	return e
}

// some are the findings of the indices.
func (m *model) some(is []int) []report.Finding {
	out := make([]report.Finding, len(is))
	for k, i := range is {
		out[k] = m.live.Findings[i]
	}
	return out
}

// ask begins to make edits: with the diff, and a question.
func (m *model) ask(is []int) tea.Cmd {
	code, fs := m.opts.Code, m.some(is)
	if code == nil {
		m.flash = "The source is not at hand here."
		return nil
	}
	if len(is) == 1 && m.live.Code[is[0]].Mended {
		m.flash = "That edit was made already."
		return nil
	}
	m.flash = "Working out the edit …"
	return func() tea.Msg {
		diff, err := code.Diff(fs)
		if err == nil && diff == "" {
			err = errors.New("no safe edit is known here; the ways out are in the text")
		}
		return asking{is, diff, err}
	}
}

// edit opens the place of a finding in the person's editor.
func (m *model) edit(i int) tea.Cmd {
	if m.opts.Code == nil {
		m.flash = "The source is not at hand here."
		return nil
	}
	cmd, err := m.opts.Code.Editor(m.live.Findings[i].Where)
	if err != nil {
		m.flash = "Cannot open it: " + err.Error() + "."
		return nil
	}
	return tea.ExecProcess(cmd, func(err error) tea.Msg { return edited{err} })
}

// Proof is a command that shows whether a finding is real. It has the terminal to
// itself while it runs.
type Proof struct {
	Command *exec.Cmd
	// Done is told how the command ended, puts away what was prepared for it, and
	// says in a sentence what came of it.
	Done func(error) string
}

// prove leaves the terminal to the proof of a finding until that has ended.
func (m *model) prove(i int) tea.Cmd {
	if m.opts.Prove == nil {
		m.flash = "What proves a finding is drafted from the source: `ccheck vet --tui` has it."
		return nil
	}
	p, err := m.opts.Prove(m.live.Findings[i])
	if err != nil {
		m.flash = "Cannot prove it: " + err.Error() + "."
		return nil
	}
	return tea.ExecProcess(p.Command, func(err error) tea.Msg { return proved{p.Done(err)} })
}

// wrote notes which findings are mended.
func (m *model) wrote(a applied) {
	if a.err != nil {
		m.flash = "Nothing was written: " + a.err.Error() + "."
		return
	}
	for k, i := range a.findings {
		e := m.live.Code[i]
		e.Mended = !slices.Contains(a.left, k)
		m.keep(i, e)
	}
	m.flash = "Wrote " + strings.Join(a.files, ", ") + ". Read the edit, and run the tests."
	if n := len(a.left); n > 0 {
		m.flash = fmt.Sprintf("Wrote %s; %d left out, which touch the same lines as others.", strings.Join(a.files, ", "), n)
	}
}

// confirm asks before anything is written.
type confirm struct {
	findings []int
	diff     string
	scroll   screen.Scroll
}

func (c *confirm) key(m *model, msg tea.KeyPressMsg) tea.Cmd {
	if !screen.Enter.Is(msg) {
		c.scroll.Update(msg, len(story.Changes(c.diff, m.frame().Story)), inside(m.frame()))
		return nil
	}
	m.overlay = nil
	is, code, fs := c.findings, m.opts.Code, m.some(c.findings)
	return func() tea.Msg {
		files, left, err := code.Apply(fs)
		return applied{is, files, left, err}
	}
}

func (c *confirm) view(_ *model, f screen.Frame) []string {
	what := "Make this edit?"
	if n := len(c.findings); n > 1 {
		what = fmt.Sprintf("Make these edits, for %d findings?", n)
	}
	out := []string{f.Title(what, "enter writes, esc does not", true)}
	return append(out, c.scroll.View(story.Changes(c.diff, f.Story), inside(f))...)
}

// inside is the frame below a title.
func inside(f screen.Frame) screen.Frame {
	f.Height = max(f.Height-1, 0)
	return f
}
