package daemon

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/ccheck/ccheck/probes/server/internal/system"
)

// The files by which a directory is known as ours, and what runs in it. The first
// is locked as long as its owner lives.
const (
	ownerName = "owner"
	pidName   = "pid"
	claim     = "ccheck\n" // what is in the first
)

// prefix begins the name of a directory of that program.
func prefix(name string) string { return "ccheck-" + name + "-" }

// own claims a directory.
func own(dir string) (*os.File, error) {
	f, err := os.OpenFile(filepath.Join(dir, ownerName), os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o600)
	if err != nil {
		return nil, fmt.Errorf("claiming the directory of a throw-away server: %w", err)
	}
	if err = system.Lock(f); err == nil {
		_, err = f.WriteString(claim) // last: without it nobody takes the directory for an orphan
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("claiming the directory of a throw-away server: %w", err), f.Close())
	}
	return f, nil
}

// name notes the process, for whoever cleans up after us.
func (d *Daemon) name(pid int) error {
	err := os.WriteFile(filepath.Join(d.dir, pidName), []byte(strconv.Itoa(pid)+" "+d.Address()), 0o600)
	if err != nil {
		return fmt.Errorf("noting the process of a throw-away %s: %w", d.program.Name, err)
	}
	return nil
}

// Clean removes the directories below dir ("" is os.TempDir) of the program with
// that name whose owner has gone without taking its server along, which takes a
// SIGKILL of the guard as well, or a crash of the machine. Servers that still run
// there are ended. It returns what it removed, and leaves alone what is not marked
// as ours.
func Clean(ctx context.Context, name, dir string) (removed []string, err error) {
	if dir == "" {
		dir = os.TempDir()
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, fmt.Errorf("looking for servers left behind by earlier runs: %w", err)
	}
	var errs []error
	for _, e := range entries {
		if !e.IsDir() || !strings.HasPrefix(e.Name(), prefix(name)) {
			continue
		}
		path := filepath.Join(dir, e.Name())
		done, err := reclaim(ctx, path)
		if err != nil {
			errs = append(errs, fmt.Errorf("removing %s, left behind by an earlier run: %w", path, err))
		} else if done {
			removed = append(removed, path)
		}
	}
	return removed, errors.Join(errs...)
}

// reclaim removes an orphan, and says whether it was one.
func reclaim(ctx context.Context, dir string) (bool, error) {
	f, err := system.OpenOwner(filepath.Join(dir, ownerName))
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, int64(len(claim))+1))
	switch {
	case err != nil:
		return false, err
	case string(text) != claim:
		return false, nil // somebody's directory that happens to have our prefix
	}
	if err := system.Lock(f); err != nil {
		return false, nil // its owner lives
	}
	if err := end(ctx, dir); err != nil {
		return false, err
	}
	return true, os.RemoveAll(dir)
}

// end ends the process that runs in the directory.
func end(ctx context.Context, dir string) error {
	text, err := os.ReadFile(filepath.Join(dir, pidName))
	if err != nil {
		return nil // none was started
	}
	id, address, _ := strings.Cut(string(text), " ")
	pid, err := strconv.Atoi(id)
	if err != nil || pid <= 1 {
		return nil // the file was cut off
	}
	for runs(pid, dir, address) {
		if err := system.Send(pid, system.Kill); err != nil {
			return err
		}
		select {
		case <-time.After(pollEvery):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}
