// Package redis has the part of the library's interface that the tests use.
package redis

import "errors"

var ErrNil = errors.New("redigo: nil returned")

type Conn interface {
	Do(command string, args ...any) (any, error)
	Send(command string, args ...any) error
	Close() error
}

type Pool struct{}

func (p *Pool) Get() Conn { return nil }

func Bool(reply any, err error) (bool, error)     { return false, err }
func Int(reply any, err error) (int, error)       { return 0, err }
func String(reply any, err error) (string, error) { return "", err }
