package postgres

import (
	"fmt"
	"strings"
	"testing"
)

// processState returns the state letter of /proc/PID/stat (proc(5)).
func processState(t *testing.T, pid int) string {
	t.Helper()
	stat := read(t, fmt.Sprintf("/proc/%d/stat", pid))
	return strings.Fields(stat[strings.LastIndexByte(stat, ')')+1:])[0]
}
