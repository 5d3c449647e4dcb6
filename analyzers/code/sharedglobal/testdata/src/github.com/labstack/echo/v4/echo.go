// Package echo has the part of the framework's interface that the tests use.
package echo

type Context interface {
	RealIP() string
	NoContent(int) error
}

type HandlerFunc func(Context) error
