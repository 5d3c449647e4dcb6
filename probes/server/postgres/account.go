package postgres

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	osexec "os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/ccheck/ccheck/probes/server/internal/system"
)

// account is the user that PostgreSQL's programs run as. PostgreSQL refuses to
// run as root, so root lends them an unprivileged user; anybody else runs them
// as they are.
type account struct{ system.Account }

// findAccount finds the account, for root the best of the users that are there.
func findAccount() (account, error) {
	a, ok, err := system.Lend("postgres", "_postgres", "nobody", "daemon")
	switch {
	case errors.Is(err, system.ErrUnsupported):
		err = fmt.Errorf("PostgreSQL cannot be started here (%w, with --dsn)", err)
	case err == nil && !ok:
		err = errors.New("PostgreSQL must not run as root and there is no user postgres or nobody to run it as: add one with useradd --system postgres, or start ccheck as an ordinary user")
	}
	return account{a}, err
}

// passed are the variables of our own environment that a server may need to
// find its libraries and locales. Everything else stays out, above all PG*,
// which PostgreSQL's programs would obey.
var passed = []string{"LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "LOCALE_ARCHIVE"}

// cancelLimit is how long a cancelled program may take before it is killed.
const cancelLimit = 5 * time.Second

// command prepares a program that runs as the account in a session of its own,
// so that a Ctrl-C on our terminal is ours alone to handle.
func (a account) command(ctx context.Context, dir, path string, args ...string) *osexec.Cmd {
	cmd := osexec.CommandContext(ctx, path, args...)
	cmd.Dir = dir
	// A fixed time zone spares initdb the search through all of them, and C
	// messages are the ones that explain knows.
	cmd.Env = []string{"PATH=/usr/local/bin:/usr/bin:/bin", "LC_ALL=C", "TZ=UTC", "HOME=" + dir}
	for _, name := range passed {
		if v, ok := os.LookupEnv(name); ok {
			cmd.Env = append(cmd.Env, name+"="+v)
		}
	}
	cmd.SysProcAttr = a.Attributes()
	// initdb has children, which remove their shared memory when they are asked to end.
	cmd.Cancel = func() error { return system.Send(-cmd.Process.Pid, system.Interrupt) }
	cmd.WaitDelay = cancelLimit
	return cmd
}

// explain turns a failure to run a program, or to work in a directory, as the
// account into an error that names the directory that bars the way. Other
// errors come back with the output of the program, when there is any.
func (a account) explain(err error, paths ...string) error {
	var exit *osexec.ExitError
	switch {
	case errors.As(err, &exit) && len(exit.Stderr) > 0:
		return fmt.Errorf("%w: %s", err, strings.TrimSpace(string(exit.Stderr)))
	case !errors.Is(err, fs.ErrPermission):
		return err
	}
	for _, path := range paths {
		if dir := a.barred(path); dir != "" {
			return fmt.Errorf("user %s, which runs PostgreSQL here because root must not, cannot reach %s because of the permissions of %s: choose another place or open it with chmod o+x",
				a.Name, path, dir)
		}
	}
	if a.Drop {
		return fmt.Errorf("running PostgreSQL as user %s, because root must not: %w; start ccheck as an ordinary user", a.Name, err)
	}
	return err
}

// barred returns the topmost directory on the way to path, or path itself,
// that the account may not pass; "" when it may reach path.
func (a account) barred(path string) string {
	if parent := filepath.Dir(path); parent != path {
		if dir := a.barred(parent); dir != "" {
			return dir
		}
	}
	info, err := os.Stat(path)
	if err != nil || a.mayEnter(info) {
		return ""
	}
	return path
}
