// Package exit holds what the exit codes of ccheck mean, and the error that
// carries one of them to main together with the words a user sees. It prints
// nothing by itself and ends no process: main does both.
package exit

import (
	"errors"
	"fmt"
)

// The exit codes, the same with every output format. Docs: docs/exit-codes.md.
const (
	Clean     = 0   // nothing found, and contention was proven
	Findings  = 1   // findings at or above --fail-on
	Usage     = 2   // wrong command line, configuration or scenario
	Failed    = 3   // could not run: connect, build, permission
	Unknown   = 4   // no verdict: too little contention, or cut short
	Refused   = 5   // a safety rail refused
	Interrupt = 130 // ended by SIGINT with nothing found
	Terminate = 143 // ended by SIGTERM with nothing found
)

// Error is an error that a user sees. Msg is one clear sentence that names the
// input and the reason; Hint is the mend. Neither holds a secret. An Error
// without Msg was told already, or is no error but a result (findings): it
// carries the code alone.
type Error struct {
	Code int
	Msg  string
	Hint string
	Err  error // the cause, for errors.Is; never printed
}

func (e *Error) Error() string {
	if e.Msg == "" {
		return fmt.Sprintf("exit code %d", e.Code)
	}
	return e.Msg
}

func (e *Error) Unwrap() error { return e.Err }

// WithHint sets the mend and returns e.
func (e *Error) WithHint(format string, args ...any) *Error {
	e.Hint = fmt.Sprintf(format, args...)
	return e
}

// Usagef returns an error of the command line or a file the user wrote.
func Usagef(format string, args ...any) *Error { return newf(Usage, format, args) }

// Failedf returns an error of something that could not be done.
func Failedf(format string, args ...any) *Error { return newf(Failed, format, args) }

// Refusedf returns the refusal of a safety rail.
func Refusedf(format string, args ...any) *Error { return newf(Refused, format, args) }

// Status returns an error that ends ccheck with the code and prints nothing;
// nil for Clean.
func Status(code int) error {
	if code == Clean {
		return nil
	}
	return &Error{Code: code}
}

// newf goes through fmt.Errorf so that a %w in the format keeps its cause.
func newf(code int, format string, args []any) *Error {
	err := fmt.Errorf(format, args...)
	return &Error{Code: code, Msg: err.Error(), Err: errors.Unwrap(err)}
}
