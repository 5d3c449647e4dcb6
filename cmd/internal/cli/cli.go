// Package cli is the command line of ccheck: the root command, the list of
// commands, and the one place where an outcome becomes an exit code. It has no
// logic of its own; every command is a package below this one.
package cli

import (
	"context"
	"errors"
	"os"

	"github.com/ccheck/ccheck/cmd/internal/exit"
	"github.com/ccheck/ccheck/cmd/internal/signals"
	"github.com/ccheck/ccheck/cmd/internal/stdio"
)

// Main runs ccheck with the arguments of a process (args[0] is its name) and
// returns its exit code. As a tool of go vet it does not return.
func Main(ctx context.Context, args []string, s *stdio.Streams) (code int) {
	if isVet(args) {
		vetTool()
	}
	restore, lost := s.Saver(), s.Watch()
	defer func() {
		if p := recover(); p != nil {
			restore()
			code = crashed(s, p)
		}
	}()
	ctx, stop := signals.Watch(ctx, func(c *signals.Caught) {
		restore()
		s.Sayf("ended at once by %v; `ccheck clean` removes a throw-away server that was left, `ccheck clean --dsn … --force` a schema on yours", c)
		os.Exit(c.Code())
	})
	defer stop()
	err := execute(ctx, s, args[1:])
	if err == nil {
		err = unwritten(lost())
	}
	code = settle(err, signals.Cause(ctx))
	if code < exit.Interrupt || !errors.Is(err, context.Canceled) {
		exit.Print(s.Err, err)
	}
	return code
}

// unwritten is the end of a command that did all, and whose result is not whole.
func unwritten(err error) error {
	if err == nil {
		return nil
	}
	return exit.Failedf("%w", err).WithHint("is the disk full?")
}

// settle is the exit code of an outcome. A run that a signal ended says so,
// unless it found something: a finding stands, however the run ended.
func settle(err error, caught *signals.Caught) int {
	code := exit.Code(err)
	cut := code == exit.Clean || code == exit.Unknown || errors.Is(err, context.Canceled)
	if caught != nil && cut {
		return caught.Code()
	}
	return code
}
