package postgres

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// emptied are directories whose content a base backup leaves out, because the
// server makes it anew or must not see it twice (Continuous Archiving, "Backing
// Up The Data Directory").
var emptied = []string{
	"pg_wal", "pg_replslot", "pg_dynshmem", "pg_notify", "pg_serial",
	"pg_snapshots", "pg_stat_tmp", "pg_subtrans",
}

// omitted are files that belong to the running primary alone.
var omitted = []string{"postmaster.pid", "postmaster.opts", "pg_internal.init", "backup_label", "tablespace_map"}

// copyCluster copies the files of a running cluster into this home's. Files may
// change and vanish meanwhile; replaying the log mends that.
func (h *home) copyCluster(ctx context.Context, from string) error {
	return filepath.WalkDir(from, func(path string, e fs.DirEntry, err error) error {
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return nil
		case err != nil:
			return err
		case ctx.Err() != nil:
			return ctx.Err()
		}
		name, err := filepath.Rel(from, path)
		if err != nil {
			return err
		}
		return h.copyEntry(path, name, e)
	})
}

// copyEntry copies one file or makes one directory; name is relative to the cluster.
func (h *home) copyEntry(path, name string, e fs.DirEntry) error {
	to := filepath.Join(h.data(), name)
	switch {
	case name == ".":
		return nil
	case e.IsDir():
		if err := os.Mkdir(to, 0o700); err != nil {
			return err
		}
		if err := h.account.Give(to); err != nil {
			return err
		}
		if slices.Contains(emptied, name) {
			return fs.SkipDir
		}
		return nil
	case !e.Type().IsRegular() || left(e.Name()):
		return nil
	}
	return h.copyFile(path, to)
}

// left says whether a file is left out of the copy.
func left(name string) bool {
	return slices.Contains(omitted, name) || strings.HasPrefix(name, "pgsql_tmp")
}

func (h *home) copyFile(from, to string) error {
	in, err := os.Open(from)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.OpenFile(to, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	return errors.Join(err, out.Close(), h.account.Give(to))
}
