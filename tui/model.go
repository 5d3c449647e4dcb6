package tui

import (
	"fmt"
	"slices"
	"strconv"

	tea "charm.land/bubbletea/v2"

	"github.com/ccheck/ccheck/analyzers/report"
	"github.com/ccheck/ccheck/tui/screen"
	"github.com/ccheck/ccheck/tui/story"
	"github.com/ccheck/ccheck/tui/style"
)

// model is the root: it owns the data, the size and the way between the
// screens. It does no I/O; what has to be done outside becomes a tea.Cmd.
type model struct {
	opts    Options
	screens []screen.Screen
	at      int   // the screen that is shown
	trail   []int // the screens to go back to

	live   screen.Data // what the mailbox brought
	shown  screen.Data // what is on the screen; differs while paused
	paused bool
	faults bool
	chosen int

	width, height int
	sheet         style.Sheet
	dark          bool
	overlay       overlay
	flash         string // said in the last line until the next key
	stopping      bool

	asked map[int]bool // findings whose source was asked for
}

func newModel(o Options) *model {
	m := &model{opts: o, asked: map[int]bool{}, screens: screensOf(o.Run.Probe), dark: true, sheet: style.New(o.Theme, true)}
	m.live = screen.Data{Run: o.Run, Findings: slices.Clone(o.Findings), Summary: o.Summary}
	if o.Summary != nil {
		m.live.Progress = o.Summary.Final
		m.at = m.index(screen.Result)
	}
	if at := m.index(screen.Findings); at >= 0 && len(o.Findings) > 0 {
		m.at = at
	}
	for _, first := range []string{screen.Heap, screen.Lease, screen.Lag, screen.Deadlock, screen.Retry, screen.Queue, screen.Vet} {
		if at := m.index(first); at >= 0 {
			m.at = at
		}
	}
	m.shown = m.live
	return m
}

// Init implements tea.Model.
func (m *model) Init() tea.Cmd { return tea.RequestBackgroundColor }

// exported is the answer of Options.Export.
type exported struct {
	path string
	err  error
}

// Update implements tea.Model.
func (m *model) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	cmd := m.update(msg)
	return m, tea.Batch(cmd, m.look())
}

func (m *model) update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		m.width, m.height = msg.Width, msg.Height
	case tea.BackgroundColorMsg:
		m.dark = msg.IsDark()
		m.sheet = style.New(m.opts.Theme, m.dark)
	case tea.KeyPressMsg:
		m.flash = ""
		return m.key(msg)
	case tea.PasteMsg:
		if m.capturing() {
			m.screen().Update(msg, m.data(), m.frame())
		}
	case exported:
		m.flash = "Wrote " + msg.path + "."
		if msg.err != nil {
			m.flash = "Export failed: " + msg.err.Error()
		}
	case looked, asking, applied, edited, proved:
		m.code(msg)
	default:
		return m.mail(msg)
	}
	return nil
}

// mail takes what the sink delivered.
func (m *model) mail(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case runMsg:
		m.live.Run = report.Run(msg)
		if m.at == 0 && len(m.trail) == 0 { // nothing was looked at yet
			m.screens = screensOf(msg.Probe)
		}
	case progressMsg:
		m.live.Progress = report.Progress(msg)
	case findingMsg:
		m.live.Findings = append(slices.Clip(m.live.Findings), report.Finding(msg))
	case endMsg:
		return m.ended(report.Summary(msg))
	default:
		return nil
	}
	m.refresh()
	return nil
}

func (m *model) refresh() {
	if !m.paused {
		m.shown = m.live
	}
}

// ended takes the end of the run. A paused display stays as it is.
func (m *model) ended(sum report.Summary) tea.Cmd {
	m.live.Summary = &sum
	m.live.Progress = sum.Final
	m.stopping = false
	m.refresh()
	if m.opts.Exit {
		return tea.Quit
	}
	if m.paused {
		m.flash = "The run has ended; p shows the result."
		return nil
	}
	m.flash = fmt.Sprintf("The run has ended: %s. %d lists the findings, %d shows the result, q quits.",
		sum.Verdict, m.index(screen.Findings)+1, m.index(screen.Result)+1)
	return nil
}

// key routes a key press: leaving first, then what lies on top.
func (m *model) key(msg tea.KeyPressMsg) tea.Cmd {
	switch {
	case stopKey.Is(msg):
		return m.interrupt()
	case m.overlay != nil:
		return m.overlayKey(msg)
	case m.tooSmall():
		if quitKey.Is(msg) {
			return m.quit()
		}
		return nil
	}
	capturing := m.capturing()
	if intent := m.screen().Update(msg, m.data(), m.frame()); intent != nil || capturing {
		return m.do(intent)
	}
	return m.global(msg)
}

func (m *model) capturing() bool { return m.overlay == nil && m.screen().Capturing() }

// do does what a screen wants done.
func (m *model) do(intent screen.Intent) tea.Cmd {
	switch want := intent.(type) {
	case screen.Choose:
		m.chosen = want.Finding
		m.open(m.index(screen.Story))
	case screen.Apply:
		return m.ask(want.Findings)
	case screen.Open:
		return m.edit(want.Finding)
	case screen.Prove:
		return m.prove(want.Finding)
	case screen.Copy:
		m.flash = want.Said
		return tea.SetClipboard(want.Text)
	}
	return nil
}

// global is the keys that every screen has.
func (m *model) global(msg tea.KeyPressMsg) tea.Cmd {
	switch {
	case helpKey.Is(msg):
		m.overlay = &help{}
	case quitKey.Is(msg):
		return m.quit()
	case backKey.Is(msg):
		m.back()
	case pauseKey.Is(msg):
		m.paused = !m.paused && m.shown.Summary == nil
		m.refresh()
	case faultsKey.Is(msg):
		m.faults = !m.faults
	case copyKey.Is(msg), textKey.Is(msg):
		return m.copy(textKey.Is(msg))
	case exportKey.Is(msg):
		m.startExport()
	default:
		if n, err := strconv.Atoi(msg.String()); err == nil && n >= 1 && n <= len(m.screens) {
			m.open(n - 1)
		}
	}
	return nil
}

func (m *model) startExport() {
	switch {
	case m.opts.Export == nil || len(m.opts.Formats) == 0:
		m.flash = "Nothing can be exported here; use --format when starting ccheck."
	case m.live.Summary == nil:
		m.flash = "The run goes on; it can be exported when it has ended."
	default:
		m.overlay = &picker{}
	}
}

// open shows screen i and remembers where it came from.
func (m *model) open(i int) {
	if i < 0 || i == m.at {
		return
	}
	if k := slices.Index(m.trail, i); k >= 0 {
		m.trail, m.at = m.trail[:k], i
		return
	}
	m.trail, m.at = append(m.trail, m.at), i
}

func (m *model) back() {
	if len(m.trail) == 0 {
		m.flash = "This is the first screen; q quits."
		return
	}
	last := len(m.trail) - 1
	m.at, m.trail = m.trail[last], m.trail[:last]
}

func (m *model) index(name string) int {
	return slices.IndexFunc(m.screens, func(s screen.Screen) bool { return s.Name() == name })
}

func (m *model) screen() screen.Screen { return m.screens[m.at] }

// running reports whether there is a run to stop.
func (m *model) running() bool { return m.opts.Stop != nil && m.live.Summary == nil }

// quit stops a run, and leaves when there is none.
func (m *model) quit() tea.Cmd {
	if !m.running() {
		return tea.Quit
	}
	if m.stopping {
		m.flash = "Still stopping and cleaning up; ctrl-c leaves at once."
		return nil
	}
	m.stopping = true
	m.flash = "Stopping: the lanes finish, then ccheck cleans up and judges. ctrl-c leaves at once."
	return call(m.opts.Stop)
}

// interrupt is ctrl-c: as quit, but the second one does not wait.
func (m *model) interrupt() tea.Cmd {
	if m.running() && m.stopping {
		return tea.Sequence(call(m.opts.Kill), tea.Quit)
	}
	return m.quit()
}

func call(f func()) tea.Cmd {
	return func() tea.Msg {
		if f != nil {
			f()
		}
		return nil
	}
}

// copy puts the finding in focus on the clipboard of the person's terminal (OSC 52,
// which works through ssh).
func (m *model) copy(markdown bool) tea.Cmd {
	d := m.data()
	if f, ok := m.screen().(screen.Focuser); ok {
		if i, ok := f.Focus(d); ok {
			d.Chosen = i
		}
	}
	f, ok := d.Finding()
	switch {
	case !ok:
		m.flash = "There is no finding to copy yet."
		return nil
	case markdown:
		m.flash = "Copied the finding as Markdown."
		return tea.SetClipboard(story.Markdown(f))
	case f.Repro.Command == "":
		m.flash = "This finding has no command that shows it again."
		return nil
	}
	// One line without control characters, since it will be pasted into a shell.
	command := story.Clean(f.Repro.Command)
	m.flash = "Copied: " + command
	return tea.SetClipboard(command)
}

// data is what the screens get.
func (m *model) data() screen.Data {
	d := m.shown
	d.Chosen, d.Faults = m.chosen, m.faults
	return d
}
