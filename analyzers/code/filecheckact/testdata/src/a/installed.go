package a

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

type cluster struct {
	root string
	fill func(dir string) error
}

func (c *cluster) data() string { return filepath.Join(c.root, "data") }

func (c *cluster) fresh() bool {
	_, err := os.Stat(filepath.Join(c.data(), "VERSION"))
	return errors.Is(err, fs.ErrNotExist)
}

// Prepare clears and fills what another one may be filling.
func (c *cluster) Prepare() error {
	if !c.fresh() {
		return nil
	}
	staging := filepath.Join(c.root, "data.staging")
	if err := os.RemoveAll(staging); err != nil {
		return err
	}
	if err := c.fill(staging); err != nil {
		return err
	}
	return os.Rename(staging, c.data()) // want `another process fills the same directory`
}

func (c *cluster) Inline() error {
	if _, err := os.Stat(filepath.Join(c.root, "current", ".ok")); err == nil {
		return nil
	}
	staging := filepath.Join(c.root, "next")
	os.RemoveAll(staging)
	if err := c.fill(staging); err != nil {
		return err
	}
	return os.Rename(staging, filepath.Join(c.root, "current")) // want `another process fills the same directory`
}

// Alone is the only one that could make the lock.
func (c *cluster) Alone() error {
	lock := filepath.Join(c.root, "lock")
	f, err := os.OpenFile(lock, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer os.Remove(lock)
	defer f.Close()
	return c.locked()
}

func (c *cluster) locked() error {
	if !c.fresh() {
		return nil
	}
	staging := filepath.Join(c.root, "data.staging")
	if err := os.RemoveAll(staging); err != nil {
		return err
	}
	if err := c.fill(staging); err != nil {
		return err
	}
	return os.Rename(staging, c.data())
}

// Own fills a directory that nobody else knows.
func (c *cluster) Own() error {
	if !c.fresh() {
		return nil
	}
	staging, err := os.MkdirTemp(c.root, "staging")
	if err != nil {
		return err
	}
	defer os.RemoveAll(staging)
	if err := c.fill(staging); err != nil {
		return err
	}
	return os.Rename(staging, c.data())
}
