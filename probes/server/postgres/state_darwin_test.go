package postgres

import (
	"fmt"
	osexec "os/exec"
	"testing"
)

// processState returns the first letter of ps's state column.
func processState(t *testing.T, pid int) string {
	t.Helper()
	out, err := osexec.Command("ps", "-o", "state=", "-p", fmt.Sprint(pid)).Output()
	if err != nil {
		t.Fatal(err)
	}
	return string(out[:1])
}
