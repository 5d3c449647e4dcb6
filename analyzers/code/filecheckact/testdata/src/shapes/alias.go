package shapes

import (
	"errors"
	stdos "os"
)

func CreateAlias(p string) (*stdos.File, error) {
	if _, err := stdos.Stat(p); err == nil {
		return nil, errors.New("exists")
	}
	return stdos.Create( // want "uses the name again"
		// the name
		p,
	)
}

func OpenAlias(p string) (*stdos.File, error) {
	flags := stdos.O_WRONLY | stdos.O_CREATE
	if _, err := stdos.Stat(p); err == nil {
		return nil, errors.New("exists")
	}
	return stdos.OpenFile( // want "uses the name again"
		p,
		flags, // how
		0o600,
	)
}
