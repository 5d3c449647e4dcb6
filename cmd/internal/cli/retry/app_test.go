package retry_test

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"github.com/ccheck/ccheck/analyzers/report"
	"github.com/ccheck/ccheck/cmd/internal/cli/clitest"
	"github.com/ccheck/ccheck/cmd/internal/cli/retry"
	"github.com/ccheck/ccheck/cmd/internal/stdio"
)

// An application in Go behind the proxy, with a provider that counts: each way to
// do it wrong is found, and the right one is clean.
func TestApplication(t *testing.T) {
	bin := filepath.Join(t.TempDir(), "app")
	if out, err := exec.Command("go", "build", "-o", bin, "./testdata/app").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for way, want := range map[string][]string{
		"naive":   {"not started over", "twice when it is sent again"},
		"retried": {"twice when it is sent again"},
		"early":   {"effect twice after a retry", "twice when it is sent again"},
	} {
		t.Run(way, func(t *testing.T) { expect(t, judged(t, bin, way), want) })
	}
	t.Run("idempotent", func(t *testing.T) {
		got := judged(t, bin, "idempotent")
		if got.Summary.Verdict != report.Clean {
			t.Errorf("%s: %v", got.Summary.Verdict, got.Summary.Reasons)
		}
		expect(t, got, nil)
	})
}

// outcome is the part of the json format that is looked at.
type outcome struct {
	Findings []report.Finding `json:"findings"`
	Summary  report.Summary   `json:"summary"`
}

func expect(t *testing.T, got outcome, want []string) {
	t.Helper()
	var found []string
	for _, f := range got.Findings {
		found = append(found, f.Anomaly)
		t.Logf("%s: %s %v", f.Anomaly, f.Message, f.Rows)
	}
	slices.Sort(found)
	if !slices.Equal(found, want) {
		t.Errorf("found %q, want %q: %s %v", found, want, got.Summary.Verdict, got.Summary.Reasons)
	}
}

func judged(t *testing.T, bin, way string) outcome {
	t.Helper()
	home, seed := t.TempDir(), filepath.Join(t.TempDir(), "seed.sql")
	if err := os.WriteFile(seed, []byte("INSERT INTO account VALUES (1, 100)"), 0o600); err != nil {
		t.Fatal(err)
	}
	port := clitest.FreePort(t)
	s, out := stdio.Test()
	s.Env = func(name string) string { return map[string]string{"XDG_STATE_HOME": home}[name] }
	err := clitest.Run(t, retry.New(s, nil),
		"--app", bin, "--seed-sql", seed, "--format", "json", "--env", "WAY="+way,
		"--stub", "provider=json:ref", "--env", "PROVIDER_URL={{stub provider}}",
		"--curl", fmt.Sprintf("pay=curl -X POST http://127.0.0.1:%d/pay -H 'Idempotency-Key: k1'", port))
	var got outcome
	if jsonErr := json.Unmarshal(out.Out.Bytes(), &got); jsonErr != nil {
		t.Fatalf("%v: %s%s", err, out.Out.String(), out.Err.String())
	}
	return got
}
