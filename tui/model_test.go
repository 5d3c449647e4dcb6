package tui

import (
	"fmt"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
	"pgregory.net/rapid"

	"github.com/ccheck/ccheck/analyzers/report"
	"github.com/ccheck/ccheck/tui/screen"
	"github.com/ccheck/ccheck/tui/story/storytest"
)

// press makes a key press from its name.
func press(name string) tea.KeyPressMsg {
	special := map[string]tea.KeyPressMsg{
		"enter": {Code: tea.KeyEnter}, "esc": {Code: tea.KeyEscape}, "tab": {Code: tea.KeyTab},
		"shift+tab": {Code: tea.KeyTab, Mod: tea.ModShift}, "up": {Code: tea.KeyUp}, "down": {Code: tea.KeyDown},
		"left": {Code: tea.KeyLeft}, "right": {Code: tea.KeyRight}, "space": {Code: tea.KeySpace, Text: " "},
		"ctrl+c": {Code: 'c', Mod: tea.ModCtrl}, "ctrl+d": {Code: 'd', Mod: tea.ModCtrl}, "ctrl+u": {Code: 'u', Mod: tea.ModCtrl},
		"home": {Code: tea.KeyHome}, "end": {Code: tea.KeyEnd}, "backspace": {Code: tea.KeyBackspace},
		"pgdown": {Code: tea.KeyPgDown}, "pgup": {Code: tea.KeyPgUp},
	}
	if k, ok := special[name]; ok {
		return k
	}
	return tea.KeyPressMsg{Code: []rune(name)[0], Text: name}
}

// live is a model of a run that goes on.
func live(w, h int) *model {
	m := newModel(Options{Stop: func() {}, Kill: func() {}})
	feed(m, tea.WindowSizeMsg{Width: w, Height: h}, runMsg(storytest.Run()), progressMsg(storytest.Progress()))
	return m
}

// ended is a model of a run that has ended with findings.
func ended(w, h int) *model {
	m := live(w, h)
	feed(m, findingMsg(storytest.LostUpdate()), findingMsg(storytest.WriteSkew()), findingMsg(storytest.Unretried()), endMsg(storytest.Summary()))
	m.flash = ""
	return m
}

func feed(m *model, msgs ...tea.Msg) {
	for _, msg := range msgs {
		m.Update(msg)
	}
}

// keys presses keys, named with blanks between them.
func keys(m *model, names string) {
	for name := range strings.FieldsSeq(names) {
		feed(m, press(name))
	}
}

func plain(m *model) string {
	var b strings.Builder
	for l := range strings.SplitSeq(ansi.Strip(m.content()), "\n") {
		b.WriteString(strings.TrimRight(l, " ") + "\n")
	}
	return b.String()
}

// fits fails for a screen larger than the terminal.
func fits(t interface{ Errorf(string, ...any) }, m *model) {
	if m.width <= 0 || m.height <= 0 {
		return
	}
	lines := strings.Split(m.content(), "\n")
	if len(lines) > m.height {
		t.Errorf("%d lines at %dx%d", len(lines), m.width, m.height)
	}
	for _, l := range lines {
		if w := ansi.StringWidth(l); w > m.width {
			t.Errorf("line of %d cells at %dx%d: %q", w, m.width, m.height, ansi.Strip(l))
		}
	}
}

func TestScreens(t *testing.T) {
	views := map[string]func(w, h int) *model{
		"run":      live,
		"zoom":     func(w, h int) *model { m := live(w, h); keys(m, "shift+tab +"); return m },
		"faults":   func(w, h int) *model { m := live(w, h); keys(m, "z p enter"); return m },
		"findings": func(w, h int) *model { m := ended(w, h); keys(m, "2"); return m },
		"filter":   func(w, h int) *model { m := ended(w, h); keys(m, "2 / s k e"); return m },
		"story":    func(w, h int) *model { m := ended(w, h); keys(m, "2 enter"); return m },
		"step":     func(w, h int) *model { m := ended(w, h); keys(m, "2 enter s right right right right right"); return m },
		"result":   func(w, h int) *model { m := ended(w, h); keys(m, "4"); return m },
		"help":     func(w, h int) *model { m := live(w, h); keys(m, "?"); return m },
		"early":    func(w, h int) *model { m := live(w, h); keys(m, "3"); return m },
	}
	for name, view := range views {
		for _, size := range [][2]int{{120, 40}, {80, 24}, {50, 20}, {40, 12}} {
			t.Run(fmt.Sprintf("%s/%dx%d", name, size[0], size[1]), func(t *testing.T) {
				m := view(size[0], size[1])
				fits(t, m)
				storytest.Golden(t, fmt.Sprintf("%s.%dx%d.golden", name, size[0], size[1]), plain(m))
			})
		}
	}
}

func TestTooSmall(t *testing.T) {
	m := live(39, 12)
	fits(t, m)
	if got := strings.Join(strings.Fields(plain(m)), " "); !strings.Contains(got, "needs a terminal of 40 by 12") {
		t.Errorf("a small terminal says %q", got)
	}
	if _, cmd := m.Update(press("q")); cmd == nil {
		t.Error("q does nothing on a small terminal")
	}
}

func TestASCII(t *testing.T) {
	m := newModel(Options{ASCII: true})
	feed(m, tea.WindowSizeMsg{Width: 120, Height: 40}, runMsg(storytest.Run()), progressMsg(storytest.Progress()),
		findingMsg(storytest.LostUpdate()), endMsg(storytest.Summary()))
	for _, where := range []string{"1", "2", "3", "s", "4", "?"} {
		keys(m, where)
		for _, r := range ansi.Strip(m.content()) {
			if r > 127 {
				t.Fatalf("screen %s draws %q, which is not ASCII:\n%s", where, r, plain(m))
			}
		}
	}
	storytest.Golden(t, "help.ascii.golden", plain(m))
}

// TestSelectionStays keeps the reader's line while new ones come in above it.
func TestSelectionStays(t *testing.T) {
	m := live(120, 40)
	keys(m, "j")
	before := m.screens[0].(screen.Focuser)
	p := storytest.Progress()
	p.Violations = append(p.Violations, report.Violation{ID: 5, Claim: "something new", Text: "first seen now", Finding: -1})
	feed(m, findingMsg(storytest.WriteSkew()), findingMsg(storytest.LostUpdate()), progressMsg(p))
	i, ok := before.Focus(m.data())
	if !ok || m.live.Findings[i].Claim != "money is conserved" {
		t.Errorf("the selection moved to finding %d, %v", i, ok)
	}
	keys(m, "f")
	if _, ok := before.Focus(m.data()); ok {
		t.Error("f does not follow the newest line, which has no story")
	}
}

// TestPause holds the display while data go on coming in.
func TestPause(t *testing.T) {
	m := live(120, 40)
	keys(m, "p")
	held := plain(m)
	if !strings.Contains(held, "DISPLAY PAUSED") {
		t.Errorf("nothing says that the display is paused:\n%s", held)
	}
	p := storytest.Progress()
	p.Accepted = 99999
	feed(m, progressMsg(p))
	if plain(m) != held {
		t.Error("the paused display moved")
	}
	keys(m, "p")
	if !strings.Contains(plain(m), "99999") {
		t.Error("the display does not show the latest state after the pause")
	}
}

// TestStop presses ctrl-c twice: the first stops the run, the second kills it.
func TestStop(t *testing.T) {
	var said []string
	m := newModel(Options{Stop: func() { said = append(said, "stop") }, Kill: func() { said = append(said, "kill") }})
	feed(m, tea.WindowSizeMsg{Width: 80, Height: 24})
	_, cmd := m.Update(press("ctrl+c"))
	cmd()
	if _, cmd = m.Update(press("q")); cmd != nil {
		t.Error("q does not wait for the clean-up")
	}
	if _, cmd = m.Update(press("ctrl+c")); cmd == nil {
		t.Fatal("the second ctrl-c does nothing")
	}
	if got := strings.Join(said, " "); got != "stop" {
		t.Errorf("said %q before the second ctrl-c ran", got)
	}
	feed(m, endMsg(storytest.Summary()))
	if _, cmd = m.Update(press("q")); !quits(cmd) {
		t.Error("q does not quit after the end")
	}
}

func quits(cmd tea.Cmd) bool {
	if cmd == nil {
		return false
	}
	_, ok := cmd().(tea.QuitMsg)
	return ok
}

func TestCopyAndExport(t *testing.T) {
	m := newModel(Options{
		Findings: []report.Finding{storytest.LostUpdate()}, Summary: ptr(storytest.Summary()), Run: storytest.Run(),
		Formats: []string{"text", "markdown"}, Export: func(f string) (string, error) { return "out." + f, nil },
	})
	feed(m, tea.WindowSizeMsg{Width: 120, Height: 40})
	for key, want := range map[string]string{"y": "ccheck stress wallet --seed 7", "Y": "### lost update"} {
		_, cmd := m.Update(press(key))
		if got := fmt.Sprint(cmd()); !strings.Contains(got, want) {
			t.Errorf("%s copies %q, want %q in it", key, got, want)
		}
	}
	keys(m, "e j")
	storytest.Golden(t, "export.golden", plain(m))
	_, cmd := m.Update(press("enter"))
	feed(m, cmd())
	if !strings.Contains(plain(m), "Wrote out.markdown.") {
		t.Errorf("the path is not told:\n%s", plain(m))
	}
}

func ptr[T any](v T) *T { return &v }

// TestKeysAreTold compares the keymap with what the screens answer to: a key
// stands once in each group, with what it does.
func TestKeysAreTold(t *testing.T) {
	for _, g := range Keys() {
		seen := map[string]bool{}
		for _, k := range g.Keys {
			if k.Does == "" {
				t.Errorf("%s: %v does nothing", g.Screen, k.Keys)
			}
			for _, name := range k.Keys {
				if seen[name] {
					t.Errorf("%s: %s stands twice", g.Screen, name)
				}
				seen[name] = true
			}
		}
	}
}

// TestAnyKeys presses keys at random on terminals of any size: nothing panics,
// nothing is wider than the terminal, and there is always a way back and out.
func TestAnyKeys(t *testing.T) {
	names := []string{"enter", "esc", "tab", "shift+tab", "up", "down", "left", "right", "space", "ctrl+d", "ctrl+u", "home",
		"end", "backspace", "pgup", "pgdown", "é", "日"}
	for _, g := range Keys() {
		for _, k := range g.Keys {
			for _, n := range k.Keys {
				if n != "q" && n != "ctrl+c" {
					names = append(names, n)
				}
			}
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		w, h := rapid.IntRange(1, 140).Draw(t, "w"), rapid.IntRange(1, 50).Draw(t, "h")
		m := live(w, h)
		if rapid.Bool().Draw(t, "source") {
			m, _ = vetted(w, h, Options{})
		}
		for range rapid.IntRange(0, 60).Draw(t, "n") {
			settle(m, anything(t, names))
			fits(t, m)
		}
		feed(m, tea.WindowSizeMsg{Width: 80, Height: 24}, endMsg(storytest.Summary()))
		for range 12 {
			feed(m, press("esc"))
		}
		if m.overlay != nil || m.capturing() || len(m.trail) > 0 {
			t.Fatalf("no way back: overlay %v, capturing %v, trail %v", m.overlay, m.capturing(), m.trail)
		}
		if _, cmd := m.Update(press("q")); !quits(cmd) {
			t.Fatal("no way out")
		}
	})
}

func anything(t *rapid.T, names []string) tea.Msg {
	switch rapid.IntRange(0, 9).Draw(t, "what") {
	case 0:
		return tea.WindowSizeMsg{Width: rapid.IntRange(0, 150).Draw(t, "w"), Height: rapid.IntRange(0, 60).Draw(t, "h")}
	case 1:
		return tea.PasteMsg{Content: rapid.String().Draw(t, "paste")}
	case 2:
		return progressMsg(anyProgress(t))
	case 3:
		return rapid.SampledFrom([]tea.Msg{findingMsg(storytest.LostUpdate()), findingMsg(report.Finding{}),
			progressMsg(storytest.Progress()), progressMsg(report.Progress{}), endMsg(storytest.Summary()), endMsg(report.Summary{})}).Draw(t, "mail")
	}
	return press(rapid.SampledFrom(names).Draw(t, "key"))
}

// anyProgress is a state that no engine would report, as a damaged file might hold it.
func anyProgress(t *rapid.T) report.Progress {
	d := rapid.Custom(func(t *rapid.T) time.Duration { return time.Duration(rapid.Int64().Draw(t, "d")) })
	p := report.Progress{
		Phase: rapid.String().Draw(t, "phase"), Elapsed: d.Draw(t, "elapsed"), Total: d.Draw(t, "total"), Slot: d.Draw(t, "slot"),
		Accepted: rapid.Int64().Draw(t, "accepted"), Rate: rapid.Float64().Draw(t, "rate"), P99: d.Draw(t, "p99"),
		Throughput: rapid.SliceOfN(rapid.Float64(), 0, 9).Draw(t, "throughput"), Bands: rapid.SliceOfN(d, 0, 9).Draw(t, "bands"),
		Heat: rapid.SliceOfN(rapid.SliceOfN(rapid.Int64(), 0, 9), 0, 9).Draw(t, "heat"),
	}
	for range rapid.IntRange(0, 3).Draw(t, "n") {
		p.Marks = append(p.Marks, report.Mark{Slot: rapid.Int().Draw(t, "slot"), Kind: "violation"})
		p.Claims = append(p.Claims, report.ClaimState{Name: rapid.String().Draw(t, "name"), State: "bad", Bad: rapid.Int().Draw(t, "bad")})
		p.Violations = append(p.Violations, report.Violation{ID: rapid.Int().Draw(t, "id"), At: d.Draw(t, "at"),
			Claim: rapid.String().Draw(t, "claim"), Text: rapid.String().Draw(t, "text"), Finding: rapid.IntRange(-2, 5).Draw(t, "finding")})
	}
	return p
}

// FuzzResize draws every screen at any size.
func FuzzResize(f *testing.F) {
	f.Add(120, 40, "1234?")
	f.Add(40, 12, "2\x00")
	f.Fuzz(func(t *testing.T, w, h int, pressed string) {
		m := ended(w%400, h%200)
		for _, r := range pressed {
			if r > ' ' && r != 'q' {
				feed(m, press(string(r)))
			}
			feed(m, tea.WindowSizeMsg{Width: h % 300, Height: w % 100}, tea.WindowSizeMsg{Width: w % 400, Height: h % 200})
			if m.width > 0 && m.height > 0 {
				fits(t, m)
			}
		}
	})
}

// TestUnjudged shows no verdict on contention while nobody has judged it.
func TestUnjudged(t *testing.T) {
	p := storytest.Progress()
	p.Evidence = report.Evidence{LockWaits: 187, Conflicts: 142}
	m := newModel(Options{Stop: func() {}})
	feed(m, tea.WindowSizeMsg{Width: 120, Height: 40}, runMsg(storytest.Run()), progressMsg(p))
	for _, number := range []string{"1", "4"} {
		keys(m, number)
		if got := plain(m); strings.Contains(got, "too little") || strings.Contains(got, "0 overlaps") || !strings.Contains(got, "judged") {
			t.Errorf("screen %s:\n%s", number, got)
		}
	}
}

// A run whose calls are not timed has no charts and no latency, and one that found
// something without having seen it break says where that is.
func TestRunWithoutTimes(t *testing.T) {
	for _, size := range [][2]int{{120, 40}, {80, 24}, {50, 20}} {
		m := newModel(Options{size: size, Run: report.Run{Probe: "explore", Scenario: "wallet"}})
		feed(m, tea.WindowSizeMsg{Width: size[0], Height: size[1]}, progressMsg(report.Progress{Phase: "3 of 18 combinations", Accepted: 100, Elapsed: time.Second}))
		for _, word := range []string{"Throughput", "p99", "0/s"} {
			if strings.Contains(plain(m), word) {
				t.Errorf("a run that times nothing shows %s:\n%s", word, plain(m))
			}
		}
		if !strings.Contains(plain(m), "3 OF 18 COMBINATIONS") {
			t.Errorf("the screen does not say how far it is:\n%s", plain(m))
		}
		feed(m, findingMsg(storytest.LostUpdate()), endMsg(report.Summary{Verdict: report.Faulty, Final: report.Progress{Phase: "done", Accepted: 200}}))
		if got := plain(m); strings.Contains(got, "none seen") || !strings.Contains(got, "none while it ran") {
			t.Errorf("the screen denies the finding:\n%s", got)
		}
		fits(t, m)
	}
}
