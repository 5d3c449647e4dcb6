// Package vet is the screen of what was found in source: the findings in groups
// beside the selected one with its source, the race in lanes, the ways out and
// the edit that could be made. Files are read and written by the root; the
// screen asks for it.
package vet

import (
	"fmt"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/ccheck/ccheck/analyzers/report"
	"github.com/ccheck/ccheck/tui/screen"
	"github.com/ccheck/ccheck/tui/story"
)

var (
	openKey   = screen.Key{Keys: []string{"enter"}, Does: "read the finding, or fold a group", Short: "read"}
	applyKey  = screen.Key{Keys: []string{"a"}, Does: "make the edit of the finding; asks first, with the diff", Short: "apply"}
	allKey    = screen.Key{Keys: []string{"A"}, Does: "make all edits; asks first, with the diff"}
	editorKey = screen.Key{Keys: []string{"o"}, Does: "open the place in $VISUAL or $EDITOR", Short: "editor"}
	proveKey  = screen.Key{Keys: []string{"r"}, Does: "prove the finding: run every interleaving of its draft, on a throw-away server", Short: "prove"}
	ignoreKey = screen.Key{Keys: []string{"i"}, Does: "copy the comment that silences the finding"}
	groupKey  = screen.Key{Keys: []string{"b"}, Does: "group by rule or by file", Short: "group"}
	sortKey   = screen.Key{Keys: []string{"s"}, Does: "sort the groups by severity or by size"}
	foldKey   = screen.Key{Keys: []string{"left", "h"}, Does: "fold the group"}
	unfoldKey = screen.Key{Keys: []string{"right", "l"}, Does: "unfold the group, or findings that are the same"}
	paneKey   = screen.Key{Keys: []string{"tab", "shift+tab"}, Does: "go between the list and the finding"}
	escape    = screen.Key{Keys: []string{"esc"}}
)

// Screen is the explorer.
type Screen struct {
	list   screen.List
	byFile bool
	bySize bool
	folded map[string]bool // groups that the person closed, and same ones that are open
	folds  int             // how often that has changed
	known  known
	open   bool   // the finding has the keys
	shown  string // the finding that the place below belongs to
	scroll screen.Scroll
}

// New returns the screen.
func New() *Screen { return &Screen{folded: map[string]bool{}} }

// Name implements screen.Screen.
func (*Screen) Name() string { return screen.Vet }

// Keys implements screen.Screen.
func (*Screen) Keys() []screen.Key {
	keys := []screen.Key{openKey, applyKey, proveKey, editorKey, screen.Filter, groupKey, allKey, ignoreKey, sortKey, foldKey, unfoldKey, paneKey, screen.Next, screen.Previous, screen.Follow}
	return append(keys, screen.Moves()...)
}

// Capturing implements screen.Screen.
func (s *Screen) Capturing() bool { return s.list.Capturing() }

// Inside implements screen.Deep: the finding has the keys.
func (s *Screen) Inside() bool { return s.open }

// Update implements screen.Screen.
func (s *Screen) Update(msg tea.Msg, d screen.Data, f screen.Frame) screen.Intent {
	t := s.tree(d)
	if s.list.Capturing() {
		s.list.Update(msg, t.items(), f.Height)
		return screen.Handled{}
	}
	if intent := s.act(msg, d, t); intent != nil {
		return intent
	}
	switch {
	case paneKey.Is(msg):
		s.open = !s.open
	case s.open && escape.Is(msg):
		s.open = false
	case s.open:
		return s.read(msg, d, f)
	case s.arranged(msg, t):
	case s.list.Update(msg, t.items(), s.listHeight(len(t), f)):
	default:
		return nil
	}
	return screen.Handled{}
}

// act is what can be done with the selected finding.
func (s *Screen) act(msg tea.Msg, d screen.Data, t tree) screen.Intent {
	i, ok := s.Focus(d)
	switch {
	case allKey.Is(msg):
		return screen.Apply{Findings: mendable(d)}
	case screen.Next.Is(msg):
		return s.step(t, 1)
	case screen.Previous.Is(msg):
		return s.step(t, -1)
	case !ok:
		return nil
	case applyKey.Is(msg):
		return screen.Apply{Findings: []int{i}}
	case proveKey.Is(msg):
		return screen.Prove{Finding: i}
	case editorKey.Is(msg):
		return screen.Open{Finding: i}
	case ignoreKey.Is(msg):
		text := "//ccheck:ignore " + story.Clean(d.Findings[i].Rule) + " "
		return screen.Copy{Text: text, Said: "Copied " + text + "… Write the reason behind it, beside the line or above it."}
	}
	return nil
}

// mendable are the findings with an edit that was not made yet.
func mendable(d screen.Data) []int {
	var all []int
	for i, f := range d.Findings {
		if edits(f) && !d.Code[i].Mended {
			all = append(all, i)
		}
	}
	return all
}

func edits(f report.Finding) bool {
	for _, fix := range f.Fixes {
		if len(fix.Edits) > 0 {
			return true
		}
	}
	return false
}

// arranged changes what the list shows, and reports whether the key was for that.
func (s *Screen) arranged(msg tea.Msg, t tree) bool {
	at, ok := t.at(&s.list)
	switch {
	case groupKey.Is(msg):
		s.byFile = !s.byFile
	case sortKey.Is(msg):
		s.bySize = !s.bySize
	case !ok:
		return false
	case openKey.Is(msg) && at.finding < 0:
		s.setFolded(at.fold, !s.folded[at.fold])
	case openKey.Is(msg):
		s.open = true
	case foldKey.Is(msg):
		s.fold(at)
	case unfoldKey.Is(msg):
		s.setFolded(at.fold, at.finding >= 0 && at.same > 1)
	default:
		return false
	}
	return true
}

// fold closes what a line stands in, and selects what is left of it.
func (s *Screen) fold(at line) {
	if at.finding >= 0 && s.folded[at.fold] {
		s.setFolded(at.fold, false) // the same ones, first
		return
	}
	s.setFolded(at.group, true)
	s.list.Select(at.group)
}

func (s *Screen) setFolded(id string, closed bool) {
	s.folded[id] = closed
	s.folds++
}

// step goes to the next finding in the order of the list.
func (s *Screen) step(t tree, by int) screen.Intent {
	at := s.list.Index(t.items()) + by
	for ; at >= 0 && at < len(t); at += by {
		if t[at].finding >= 0 {
			s.list.Select(t[at].id)
			break
		}
	}
	return screen.Handled{}
}

// read moves in the text of the finding.
func (s *Screen) read(msg tea.Msg, d screen.Data, f screen.Frame) screen.Intent {
	i, ok := s.Focus(d)
	if !ok {
		return nil
	}
	s.meet(i)
	inner := s.detailFrame(f)
	return s.scroll.Update(msg, len(story.TellSource(d.Findings[i], d.Code[i], inner.Story)), inner)
}

// meet starts at the top of a finding that was not shown before.
func (s *Screen) meet(i int) {
	if id := strconv.Itoa(i); s.shown != id {
		s.shown, s.scroll = id, screen.Scroll{}
	}
}

// Focus implements screen.Focuser: the selected finding, or the first of the
// selected group.
func (s *Screen) Focus(d screen.Data) (int, bool) {
	t := s.tree(d)
	at := s.list.Index(t.items())
	for ; at < len(t); at++ {
		if t[at].finding >= 0 {
			return t[at].finding, true
		}
		if s.folded[t[at].id] {
			return t[at].first, true
		}
	}
	return 0, false
}

// title counts the findings.
func (s *Screen) title(d screen.Data, f screen.Frame) string {
	by, order := "rule", "severity"
	if s.byFile {
		by = "file"
	}
	if s.bySize {
		order = "size"
	}
	note := fmt.Sprintf("%s, by %s and %s", counts(d), by, order)
	if d.Faults {
		note += ", faults only"
	}
	if p := s.list.Prompt(); p != "" {
		note = p + "  " + note
	}
	return f.Title("Findings", note, !s.open)
}

func counts(d screen.Data) string {
	n := map[report.Severity]int{}
	for _, f := range d.Findings {
		n[f.Severity]++
	}
	var by []string
	for _, sev := range []report.Severity{report.High, report.Medium, report.Low} {
		if n[sev] > 0 {
			by = append(by, fmt.Sprintf("%d %s", n[sev], sev))
		}
	}
	return strings.Join(by, ", ")
}
