package a

import (
	"errors"
	"io/fs"
	"os"
)

type confined struct{ root *os.Root }

func (c *confined) Init(name string, body []byte) error {
	if _, err := c.root.Stat(name); errors.Is(err, fs.ErrNotExist) {
		return c.root.WriteFile(name, body, 0o600) // want `\(\*os.Root\).Stat decides, and \(\*os.Root\).WriteFile uses the name again`
	}
	return nil
}

func (c *confined) First(name string) (*os.File, error) {
	return c.root.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
}
