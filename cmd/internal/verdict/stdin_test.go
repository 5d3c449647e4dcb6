package verdict

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/ccheck/ccheck/cmd/internal/stdio"
)

// A pipe that nobody writes into ends with the context, and leaves no file.
func TestReceiveEndsWithTheContext(t *testing.T) {
	dir := t.TempDir()
	in, out := io.Pipe()
	defer out.Close()
	s, _ := stdio.Test()
	s.In, s.Env = in, func(name string) string {
		if name == "XDG_STATE_HOME" {
			return dir
		}
		return ""
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Received(ctx, s); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
	if left, err := os.ReadDir(filepath.Join(dir, "ccheck", "histories")); err != nil || len(left) > 0 {
		t.Errorf("left %v, error %v", left, err)
	}
}
