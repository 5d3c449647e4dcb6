//go:build unix

package guard_test

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/ccheck/ccheck/probes/internal/guard"
)

const script = `trap '' TERM
last=
while read -r line; do last=$line; done
echo "$last" > "$1"
`

func TestScriptActsAtTheEndOnWhatItWasTold(t *testing.T) {
	told := filepath.Join(t.TempDir(), "told")
	g, err := guard.Start("a test", script, &syscall.SysProcAttr{Setsid: true}, told)
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{"first", "last"} {
		if err := g.Tell(line); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := os.Stat(told); err == nil {
		t.Fatal("the script acted before the end")
	}
	if err := g.Close(); err != nil {
		t.Fatal(err)
	}
	if got, err := os.ReadFile(told); err != nil || string(got) != "last\n" {
		t.Errorf("%q, %v", got, err)
	}
}

func TestKilledGuardIsNoError(t *testing.T) {
	g, err := guard.Start("a test", script, nil, filepath.Join(t.TempDir(), "told"))
	if err != nil {
		t.Fatal(err)
	}
	if err := syscall.Kill(g.PID(), syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	if err := g.Close(); err != nil {
		t.Error(err)
	}
}
