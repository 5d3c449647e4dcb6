package exit

import (
	"errors"
	"fmt"
	"io"
	"syscall"
)

// Code returns the exit code of err: that of the first problem in it, Failed
// for an error that carries none, Clean for nil.
func Code(err error) int {
	for _, p := range Problems(err) {
		return p.Code
	}
	return Clean
}

// Print writes every problem of err in the order in which they were joined,
// each as one line and its hint as another.
func Print(w io.Writer, err error) {
	for _, p := range Problems(err) {
		if p.Msg == "" {
			continue
		}
		fmt.Fprintf(w, "ccheck: error: %s\n", p.Msg)
		if p.Hint != "" {
			fmt.Fprintf(w, "ccheck: hint: %s\n", p.Hint)
		}
	}
}

// Problems takes joined errors apart. A problem wrapped in more words keeps
// the words and the hint.
func Problems(err error) []*Error {
	if err == nil {
		return nil
	}
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		var all []*Error
		for _, e := range joined.Unwrap() {
			all = append(all, Problems(e)...)
		}
		return all
	}
	if p := known(err); p != nil {
		return []*Error{p}
	}
	return wrapped(err)
}

// plain is the hint of an error of the system that needs no more knowledge than
// its number.
func plain(err error) string {
	if errors.Is(err, syscall.ENOSPC) {
		return "is the disk full?"
	}
	return ""
}

// wrapped looks for the problems below words that were put around them. Joined
// errors lose the words: a prefix makes sense before one sentence, not before
// a list.
func wrapped(err error) []*Error {
	inner := errors.Unwrap(err)
	if inner == nil {
		return []*Error{{Code: Failed, Msg: err.Error(), Hint: plain(err), Err: err}}
	}
	below := Problems(inner)
	if len(below) != 1 {
		return below
	}
	p := *below[0]
	p.Msg, p.Err = err.Error(), err
	return []*Error{&p}
}
