package mcp

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"time"

	"github.com/ccheck/ccheck/cmd/internal/exit"
)

// Runner runs ccheck with the arguments and returns what it wrote and its exit
// code. The error is for a process that did not come to its end.
type Runner func(ctx context.Context, args ...string) (out, said []byte, code int, err error)

// patience is how long a command that was told to stop may clean up: explore
// removes its throw-away server.
const patience = 20 * time.Second

// Child is the Runner that starts this binary again.
func Child(ctx context.Context, args ...string) (out, said []byte, code int, err error) {
	self, err := os.Executable()
	if err != nil {
		return nil, nil, 0, exit.Failedf("cannot tell where ccheck itself lies: %w", err)
	}
	cmd := exec.CommandContext(ctx, self)
	cmd.Args = append([]string{"ccheck"}, args...)
	cmd.WaitDelay = patience
	cmd.Cancel = func() error {
		if err := cmd.Process.Signal(os.Interrupt); err != nil {
			return cmd.Process.Kill() // Windows knows no interrupt
		}
		return nil
	}
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err = cmd.Run()
	var ended *exec.ExitError
	if errors.As(err, &ended) && ended.Exited() {
		err = nil
	}
	if err != nil {
		return nil, nil, 0, exit.Failedf("ccheck %s did not come to its end: %w", args[0], err)
	}
	return stdout.Bytes(), stderr.Bytes(), cmd.ProcessState.ExitCode(), nil
}
