// Package reach says in words why a request was not answered, where the standard
// library tells of dials, timers and headers.
//
// It sends nothing. Only probes import it.
package reach

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"syscall"
)

// failure is an error in other words.
type failure struct {
	text string
	err  error
}

func (f *failure) Error() string { return f.text }
func (f *failure) Unwrap() error { return f.err }

// Why is the error of an http.Client without the request, which the sentence
// around it has, and in words that tell what was there. It wraps what it stands for.
func Why(err error) error {
	var ue *url.Error
	if errors.As(err, &ue) {
		err = ue.Err
	}
	var timeout interface{ Timeout() bool }
	var op *net.OpError
	var dns *net.DNSError
	switch {
	case errors.As(err, &dns) && dns.IsNotFound:
		return &failure{fmt.Sprintf("there is no host %q", dns.Name), err}
	case errors.Is(err, context.DeadlineExceeded), errors.As(err, &timeout) && timeout.Timeout():
		return &failure{"it did not answer in time", err}
	case errors.Is(err, syscall.ECONNREFUSED) && errors.As(err, &op) && op.Addr != nil:
		return &failure{fmt.Sprintf("nothing listens on %s (connection refused)", op.Addr), err}
	case errors.Is(err, io.EOF):
		return &failure{"it closed the connection without an answer", err}
	case errors.Is(err, syscall.ECONNRESET):
		return &failure{"it reset the connection", err}
	}
	return err
}
