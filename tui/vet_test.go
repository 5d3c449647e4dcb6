package tui

import (
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"github.com/ccheck/ccheck/analyzers/report"
	"github.com/ccheck/ccheck/tui/story/storytest"
)

// desk is a Code that holds its files in memory.
type desk struct {
	files   map[string]string
	applied [][]string // rules, for each call
	left    []int
	err     error
}

func (d *desk) Read(file string) ([]byte, error) {
	text, ok := d.files[file]
	if !ok {
		return nil, errors.New("open " + file + ": no such file")
	}
	return []byte(text), nil
}

func (d *desk) Diff(fs []report.Finding) (string, error) {
	var b strings.Builder
	for _, f := range fs {
		for _, fix := range f.Fixes {
			for _, e := range fix.Edits {
				fmt.Fprintf(&b, "diff a/%[1]s b/%[1]s\n--- a/%[1]s\n+++ b/%[1]s\n@@ -%[2]d,1 +%[2]d,2 @@\n \tif err != nil {\n+\tdefer rows.Close()\n", e.File, e.Line)
			}
		}
	}
	return b.String(), nil
}

func (d *desk) Apply(fs []report.Finding) ([]string, []int, error) {
	var rules []string
	for _, f := range fs {
		rules = append(rules, f.Rule)
	}
	d.applied = append(d.applied, rules)
	return []string{"orders/list.go"}, d.left, d.err
}

func (d *desk) Editor(at report.Location) (*exec.Cmd, error) {
	return nil, fmt.Errorf("no editor is set for %s:%d", at.File, at.Line)
}

const wallet = `package shop

// Debit takes money from an account.
func (s *Store) Debit(ctx context.Context, id, amount int64) error {
	var balance int64
	if err := s.db.QueryRowContext(ctx, "SELECT balance FROM account WHERE id = $1", id).Scan(&balance); err != nil {
		return err
	}
	if balance < amount {
		return ErrFunds
	}
	_, err := s.db.ExecContext(ctx, "UPDATE account SET balance = $1 WHERE id = $2", balance-amount, id)
	return err
}
`

// vetted is a model of a run over source.
func vetted(w, h int, o Options) (*model, *desk) {
	d := &desk{files: map[string]string{"shop/wallet.go": wallet, "orders/list.go": strings.Repeat("\trows.Next()\n", 40)}}
	at := func(file string, line int) report.Location { return report.Location{File: file, Line: line, Column: 2} }
	closing := report.Fix{Kind: "edit", Title: "close it when the function returns", Edits: []report.Edit{{Location: at("orders/list.go", 8), NewText: "defer rows.Close()\n"}}}
	leak := report.Finding{
		Rule: "growth", Severity: report.Medium, Where: at("shop/limit.go", 24), Message: "buckets grows with every new key, and nothing bounds it",
		Why: "  each new key or event adds an entry; whoever chooses the keys decides how many there are\nfix: evict by age; or use a cache with a limit",
	}
	again := leak
	again.Where = at("shop/seen.go", 7)
	o.Run = report.Run{Probe: "vet", Title: "Go source", Target: "./..."}
	o.Findings = []report.Finding{
		{
			Rule: "sqlcheckact", Severity: report.High, Where: at("shop/wallet.go", 12),
			Message: "balance of account is set to a value computed from an earlier read of it: of two callers one update is lost",
			Why: "A: SELECT balance FROM account WHERE id = $1\nB: SELECT balance FROM account WHERE id = $1   -- sees the same\n" +
				"A: UPDATE account SET balance = $1 WHERE id = $2\nB: UPDATE account SET balance = $1 WHERE id = $2   -- overwrites what A wrote\n" +
				"Fix, best first: UPDATE account SET balance = balance + $n … WHERE … AND balance >= … and refuse when no row was changed; a CHECK constraint on the column",
			Steps: []report.Step{{Text: "read here: SELECT balance FROM account WHERE id = $1", Where: at("shop/wallet.go", 6)}},
			Repro: report.Repro{Command: "ccheck vet --rules sqlcheckact --scenario race ./shop && ccheck explore race"},
		},
		leak, again,
		{
			Rule: "unclosed", Severity: report.High, Where: at("orders/list.go", 8), Message: "these rows stay open on some path",
			Why:   "  each such call keeps one connection of the pool; when the last is gone, all callers wait\nfix: defer rows.Close() right after the error check",
			Steps: []report.Step{{Text: "returns without giving it back", Where: at("orders/list.go", 30)}},
			Fixes: []report.Fix{closing}, Repro: report.Repro{Command: "ccheck vet --rules unclosed ./orders"},
		},
	}
	o.Summary = &report.Summary{Verdict: report.Faulty, Line: "ccheck: 4 findings"}
	o.Code = d
	m := newModel(o)
	settle(m, tea.WindowSizeMsg{Width: w, Height: h})
	return m, d
}

// settle feeds messages and what comes of their commands.
func settle(m *model, msgs ...tea.Msg) {
	for _, msg := range msgs {
		_, cmd := m.Update(msg)
		for range 3 {
			if cmd == nil {
				break
			}
			_, cmd = m.Update(cmd())
		}
	}
}

// type presses keys, named with blanks between them.
func settled(m *model, names string) {
	for name := range strings.FieldsSeq(names) {
		settle(m, press(name))
	}
}

func TestVetScreens(t *testing.T) {
	views := map[string]string{"list": "", "read": "j enter", "apply": "/ l i s t enter j a", "files": "b G", "same": "G right", "folded": "left / g r o enter", "result": "2"}
	for name, pressed := range views {
		for _, size := range [][2]int{{120, 40}, {80, 24}, {50, 20}, {40, 12}} {
			t.Run(fmt.Sprintf("%s/%dx%d", name, size[0], size[1]), func(t *testing.T) {
				m, _ := vetted(size[0], size[1], Options{})
				settled(m, pressed)
				fits(t, m)
				storytest.Golden(t, fmt.Sprintf("vet.%s.%dx%d.golden", name, size[0], size[1]), plain(m))
			})
		}
	}
}

// Nothing is written before the person has seen the diff and said so.
func TestVetApply(t *testing.T) {
	m, d := vetted(120, 40, Options{})
	settled(m, "/ l i s t enter j a esc")
	if len(d.applied) > 0 || m.overlay != nil {
		t.Fatalf("esc applied %v", d.applied)
	}
	settled(m, "a enter")
	if len(d.applied) != 1 || d.applied[0][0] != "unclosed" || !strings.Contains(plain(m), "Wrote orders/list.go.") || !strings.Contains(plain(m), "✓ mended") {
		t.Errorf("applied %v\n%s", d.applied, plain(m))
	}
	settled(m, "a")
	if m.overlay != nil || !strings.Contains(plain(m), "made already") {
		t.Errorf("an edit can be made twice:\n%s", plain(m))
	}
	settled(m, "A")
	if m.overlay != nil || !strings.Contains(plain(m), "no safe edit") {
		t.Errorf("there is nothing left to do:\n%s", plain(m))
	}
}

func TestVetRefuses(t *testing.T) {
	m, d := vetted(120, 40, Options{})
	settled(m, "j a")
	if m.overlay != nil || !strings.Contains(plain(m), "no safe edit is known") {
		t.Errorf("a finding without an edit:\n%s", plain(m))
	}
	d.err = errors.New("orders/list.go has changed since it was judged")
	settled(m, "A enter")
	if !strings.Contains(plain(m), "Nothing was written: orders/list.go has changed") || strings.Contains(plain(m), "mended") {
		t.Errorf("the refusal is not told:\n%s", plain(m))
	}
	settled(m, "o")
	if !strings.Contains(plain(m), "no editor is set for shop/wallet.go:12") {
		t.Errorf("the editor that is missing is not told:\n%s", plain(m))
	}
}

// What is copied is the command, the Markdown and the comment of the finding
// under the cursor.
func TestVetCopies(t *testing.T) {
	m, _ := vetted(120, 40, Options{})
	settled(m, "j")
	for key, want := range map[string]string{"y": "--scenario race ./shop", "Y": "### sqlcheckact", "i": "//ccheck:ignore sqlcheckact "} {
		_, cmd := m.Update(press(key))
		if cmd == nil {
			t.Errorf("%s copies nothing", key)
			continue
		}
		if got := fmt.Sprint(cmd()); !strings.Contains(got, want) {
			t.Errorf("%s copies %q, want %q in it", key, got, want)
		}
	}
}

// A report that is shown elsewhere says that its source is not here.
func TestVetElsewhere(t *testing.T) {
	m, d := vetted(120, 40, Options{})
	d.files = nil
	settled(m, "/ g r o w enter")
	if !strings.Contains(plain(m), "open shop/limit.go: no such file") {
		t.Errorf("it does not say why there is no source:\n%s", plain(m))
	}
	m.opts.Code = nil
	settled(m, "a")
	if !strings.Contains(plain(m), "not at hand") {
		t.Errorf("it does not say that nothing can be edited:\n%s", plain(m))
	}
}

func TestVetASCII(t *testing.T) {
	m, _ := vetted(120, 40, Options{ASCII: true})
	for _, pressed := range []string{"", "j", "enter", "esc", "right", "b", "?"} {
		settled(m, pressed)
		for _, r := range plain(m) {
			if r > 127 {
				t.Fatalf("%q draws %q, which is not ASCII:\n%s", pressed, r, plain(m))
			}
		}
	}
}

// A list beside the finding has the whole height: of sixty findings as many are
// shown as there are lines.
func TestVetListFillsTheScreen(t *testing.T) {
	m, _ := vetted(120, 40, Options{})
	first := m.live.Findings[0]
	for i := range 60 {
		f := first
		f.Message, f.Where.Line = fmt.Sprintf("finding %d", i), 100+i
		m.live.Findings = append(m.live.Findings, f)
	}
	m.refresh()
	if n := strings.Count(plain(m), "wallet.go:1"); n < 30 {
		t.Errorf("%d of 61 findings are shown on 40 lines:\n%s", n, plain(m))
	}
}

func TestVetProve(t *testing.T) {
	m, _ := vetted(120, 40, Options{})
	settled(m, "j r")
	if !strings.Contains(plain(m), "ccheck vet --tui") {
		t.Errorf("without a way to prove it the screen does not say where there is one:\n%s", plain(m))
	}
	var asked []string
	m, _ = vetted(120, 40, Options{Prove: func(f report.Finding) (Proof, error) {
		asked = append(asked, f.Where.File)
		return Proof{}, errors.New("its SQL is not known in full")
	}})
	settled(m, "j r")
	if len(asked) != 1 || asked[0] != "shop/wallet.go" || !strings.Contains(plain(m), "Cannot prove it: its SQL is not known in full.") {
		t.Errorf("asked for %q, shown:\n%s", asked, plain(m))
	}
	settle(m, proved{"Proved: the draft breaks."})
	if !strings.Contains(plain(m), "Proved: the draft breaks.") {
		t.Errorf("what came of the proof is not shown:\n%s", plain(m))
	}
}
