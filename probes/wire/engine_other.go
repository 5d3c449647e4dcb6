//go:build !linux

package wire

// engine is there on Linux only; elsewhere every direction has a goroutine.
type engine struct{}

func newEngine() *engine { return nil }

func (*engine) join(*Conn, func() error, func() error) <-chan error { return nil }

func (*engine) close() {}
