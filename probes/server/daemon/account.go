package daemon

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/ccheck/ccheck/probes/server/internal/system"
)

func findAccount() (system.Account, error) {
	a, ok, err := system.Lend("nobody", "daemon")
	if err == nil && !ok {
		err = errors.New("a throw-away server does not run as root, and there is no user nobody to run it as: start ccheck as an ordinary user")
	}
	return a, err
}

// runs reports whether the process is the server of the directory: its number may
// have been given to somebody else.
func runs(pid int, dir, address string) bool {
	if runtime.GOOS == "linux" {
		cwd, err := os.Readlink(fmt.Sprintf("/proc/%d/cwd", pid))
		return err == nil && strings.HasPrefix(cwd, dir+string(filepath.Separator))
	}
	command := system.Arguments(pid)
	return command != "" && (strings.Contains(command, dir) || strings.Contains(command, address))
}
