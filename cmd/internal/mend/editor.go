package mend

import (
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/ccheck/ccheck/analyzers/report"
)

// byColon are editors that take file:line:column; those of withGoto need a flag
// before it. All others take +line file, as POSIX has it for ex and vi.
var (
	byColon  = []string{"hx", "helix", "subl", "zed"}
	withGoto = []string{"code", "codium", "code-insiders", "cursor", "windsurf"}
)

// Editor is the person's editor, $VISUAL or $EDITOR, at a place in a file.
func (b *Bench) Editor(at report.Location) (*exec.Cmd, error) {
	words := strings.Fields(b.env("VISUAL"))
	if len(words) == 0 {
		words = strings.Fields(b.env("EDITOR"))
	}
	if len(words) == 0 {
		return nil, errors.New("no editor is set: put its name into EDITOR")
	}
	bin, err := exec.LookPath(words[0])
	if err != nil {
		return nil, fmt.Errorf("the editor %s is not there: look at EDITOR and VISUAL", words[0])
	}
	return exec.Command(bin, append(words[1:], goTo(words[0], b.path(at.File), max(at.Line, 1), max(at.Column, 1))...)...), nil
}

// goTo are the arguments that open a file at a place.
func goTo(editor, file string, line, column int) []string {
	name := strings.TrimSuffix(filepath.Base(editor), ".exe")
	spot := fmt.Sprintf("%s:%d:%d", file, line, column)
	switch {
	case slices.Contains(withGoto, name):
		return []string{"--goto", spot}
	case slices.Contains(byColon, name):
		return []string{spot}
	}
	return []string{fmt.Sprintf("+%d", line), file}
}
