package fix

import (
	"errors"
	"os"
)

func Create(p string) (*os.File, error) {
	if _, err := os.Stat(p); err == nil {
		return nil, errors.New("exists")
	}
	return os.Create(p) // want `os.Create uses the name again`
}

func Open(p string) (*os.File, error) {
	if _, err := os.Stat(p); err == nil {
		return nil, errors.New("exists")
	}
	return os.OpenFile(p, os.O_WRONLY|os.O_CREATE, 0o600) // want `os.OpenFile uses the name again`
}

func Mkdir(dir string) error {
	if _, err := os.Stat(dir); os.IsNotExist(err) {
		return os.Mkdir(dir, 0o700) // want `os.Mkdir uses the name again`
	}
	return nil
}

// WriteFile needs more than one call: no edit.
func WriteFile(p string, b []byte) error {
	if _, err := os.Stat(p); err == nil {
		return errors.New("exists")
	}
	return os.WriteFile(p, b, 0o600) // want `os.WriteFile uses the name again`
}
