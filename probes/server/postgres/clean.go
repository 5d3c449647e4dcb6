package postgres

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/ccheck/ccheck/probes/server/internal/system"
)

// grace is how long a directory without an owner file may be one that another
// process is just making.
const grace = time.Minute

// errForeign says that a directory is not one of ours, whatever its name.
var errForeign = errors.New("not a server's directory")

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
		return nil, fmt.Errorf("looking for servers left behind by earlier runs: %w", err)
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
	f, err := h.inherit()
	switch {
	case errors.Is(err, fs.ErrNotExist) && time.Since(info.ModTime()) > grace:
		return h.cleanUnclaimed()
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, system.ErrLocked), errors.Is(err, errForeign):
		return false, nil
	case err != nil:
		return false, err
	}
	defer f.Close()
	if err := h.reclaim(ctx); err != nil {
		return false, err
	}
	return true, h.empty()
}

// inherit takes the owner file's lock from the dead. Whoever removes the
// directory holds it, so two never do.
func (h *home) inherit() (*os.File, error) {
	f, err := system.OpenOwner(h.path(ownerName))
	if err != nil {
		return nil, err
	}
	var o owner
	if err := json.NewDecoder(io.LimitReader(f, 1<<12)).Decode(&o); err != nil || o.PID == 0 {
		return nil, errors.Join(errForeign, f.Close())
	}
	if err := system.Lock(f); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// cleanUnclaimed removes a directory whose maker died before it had claimed
// it. Such a one is empty but for the unfinished owner file; anything else is
// somebody's directory that happens to have our prefix.
func (h *home) cleanUnclaimed() (bool, error) {
	entries, err := os.ReadDir(h.dir)
	if err != nil {
		return false, err
	}
	for _, e := range entries {
		if e.Name() != ownerName+".new" {
			return false, nil
		}
	}
	return true, os.RemoveAll(h.dir)
}

// reclaim ends the server that runs in an orphaned directory.
func (h *home) reclaim(ctx context.Context) error {
	defer h.sweep(ctx)
	pid := h.postmaster()
	if pid == 0 {
		return nil
	}
	if err := errors.Join(system.Send(pid, system.Quit), system.Send(pid, system.Continue)); err != nil {
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
// The process that the pid file names must have been started on this directory:
// its number may have been given to somebody else.
func (h *home) postmaster() int {
	f, ok := h.pidFile()
	if !ok || f.pid <= 1 || !strings.Contains(system.Arguments(f.pid), h.data()) {
		return 0
	}
	return f.pid
}
