package stress_test

import (
	"fmt"
	"net"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/ccheck/ccheck/analyzers/report"
	"github.com/ccheck/ccheck/cmd/internal/cli/clitest"
	"github.com/ccheck/ccheck/cmd/internal/cli/stress"
	"github.com/ccheck/ccheck/cmd/internal/exit"
	"github.com/ccheck/ccheck/cmd/internal/stdio"
)

// frail sends the one request of the frail application at once.
func frail(t *testing.T, bin, mode string, port int, more ...string) (told clitest.Outcome, out, log string) {
	t.Helper()
	dir := scenarioOf(t, fmt.Sprintf(`version: 1
app: {command: %s, port: %d, env: {MODE: %s}, seed: {sql: "CREATE TABLE seat (id int PRIMARY KEY, free int NOT NULL); INSERT INTO seat VALUES (1, 2)"}}
load: {clients: 8}
actors: [{name: take, http: {url: "${APP}/take", body: x}}]
`, bin, port, mode))
	home := t.TempDir()
	s, streams := stdio.Test()
	s.Env = func(name string) string { return map[string]string{"XDG_STATE_HOME": home}[name] }
	err := clitest.Run(t, stress.New(s, nil), append([]string{dir, "-t", rounds, "--no-tui"}, more...)...)
	return clitest.Of(err), streams.Out.String(), streams.Err.String()
}

// TestFrail meets applications that do what they should not: each is told in one
// sentence, with its exit code, and none is left running.
func TestFrail(t *testing.T) {
	bin := filepath.Join(t.TempDir(), "frail")
	if out, err := exec.Command("go", "build", "-o", bin, "./testdata/frail").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	tests := []struct {
		mode string
		args []string
		code int
		text string // in the error or the report
	}{
		{"right", nil, exit.Clean, string(report.Clean)},
		{"dies", nil, exit.Failed, "the application ended in the middle of the run (exit status 7); the end of its output:\nout of luck"},
		{"limit", nil, exit.Unknown, "is answered differently from the same rows: accepted once, and refused later"},
		{"few", nil, exit.Failed, "connections, and no more of 8"},
		{"early", nil, exit.Clean, string(report.Clean)},
		{"right", []string{"--http2"}, exit.Usage, "does not offer HTTP/2"},
		{"two", []string{"--http2"}, exit.Clean, string(report.Clean)},
	}
	for _, tt := range tests {
		t.Run(strings.Join(append([]string{tt.mode}, tt.args...), " "), func(t *testing.T) {
			port := clitest.FreePort(t)
			told, out, log := frail(t, bin, tt.mode, port, tt.args...)
			text := strings.Join(strings.Fields(told.Msg+told.Hint+strings.ToLower(out)), " ")
			if told.Code != tt.code || !strings.Contains(text, strings.ToLower(strings.Join(strings.Fields(tt.text), " "))) && !strings.Contains(told.Msg, tt.text) {
				t.Errorf("%+v\n%s%s", told, out, log)
			}
			if conn, err := net.DialTimeout("tcp", fmt.Sprintf("127.0.0.1:%d", port), time.Second); err == nil {
				conn.Close()
				t.Error("the application still listens")
			}
		})
	}
}
