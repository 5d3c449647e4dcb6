package postgres

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// grace is how long a directory without an owner file may be one that another
// process is just making.
const grace = time.Minute

// Clean removes the directories below dir ("" is os.TempDir) whose owner has
// gone without taking its server along, which takes a SIGKILL of the guard as
// well, or a crash of the machine. Servers that still run there are ended. It
// returns what it removed. Directories of other users are left alone.
func Clean(ctx context.Context, dir string) ([]string, error) {
	if dir == "" {
		dir = os.TempDir()
	}
	account, err := findAccount()
	if err != nil {
		return nil, err
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, fmt.Errorf("looking for servers left behind: %w", err)
	}
	var removed []string
	var errs []error
	for _, e := range entries {
		if ctx.Err() != nil {
			return removed, ctx.Err()
		}
		if !e.IsDir() || !strings.HasPrefix(e.Name(), prefix) {
			continue
		}
		h := home{dir: filepath.Join(dir, e.Name()), account: account}
		switch done, err := h.clean(ctx); {
		case err != nil:
			errs = append(errs, fmt.Errorf("removing %s, left behind by an earlier run: %w", h.dir, err))
		case done:
			removed = append(removed, h.dir)
		}
	}
	return removed, errors.Join(errs...)
}

// clean removes an orphan, and says whether it was one.
func (h *home) clean(ctx context.Context) (bool, error) {
	info, err := os.Lstat(h.dir)
	if err != nil || !h.account.ours(info) {
		return false, nil
	}
	f, err := openOwner(h.path(ownerName))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if time.Since(info.ModTime()) < grace {
			return false, nil
		}
	case err != nil:
		return false, err
	default:
		defer f.Close()
		// Whoever removes the directory holds the lock, so two never do.
		if err := lock(f); errors.Is(err, errLocked) {
			return false, nil
		} else if err != nil {
			return false, err
		}
	}
	if err := h.reclaim(ctx); err != nil {
		return false, err
	}
	return true, os.RemoveAll(h.dir)
}

// reclaim ends the server that runs in an orphaned directory.
func (h *home) reclaim(ctx context.Context) error {
	pid := h.postmaster()
	if pid == 0 {
		h.sweep()
		return nil
	}
	if err := errors.Join(signal(pid, sigImmediate), signal(pid, sigContinue)); err != nil {
		return err
	}
	tick := time.NewTicker(pollEvery)
	defer tick.Stop()
	for h.postmaster() == pid {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-tick.C:
		}
	}
	return nil
}

// postmaster returns the process that runs in the directory, 0 if none does.
// The first line of the pid file names it, and the process must have been
// started on this directory: a number may have been given to somebody else.
func (h *home) postmaster() int {
	text, err := os.ReadFile(h.path("data/postmaster.pid"))
	if err != nil {
		return 0
	}
	first, _, _ := strings.Cut(string(text), "\n")
	pid, err := strconv.Atoi(strings.TrimSpace(first))
	if err != nil || pid <= 1 || !strings.Contains(arguments(pid), h.data()) {
		return 0
	}
	return pid
}
