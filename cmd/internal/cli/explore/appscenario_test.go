package explore_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ccheck/ccheck/analyzers/report"
	"github.com/ccheck/ccheck/cmd/internal/cli/clitest"
	"github.com/ccheck/ccheck/cmd/internal/cli/explore"
	"github.com/ccheck/ccheck/cmd/internal/stdio"
)

// TestAppScenario explores the shop as a scenario folder says it.
func TestAppScenario(t *testing.T) {
	shop := build(t)
	port := clitest.FreePort(t)
	dir := filepath.Join(t.TempDir(), "shop")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	manifest := fmt.Sprintf(`version: 1
app:
  command: %s
  port: %d
  env: {BUG: pay, POOL: 5, PAY_URL: "{{stub provider}}"}
  seed: {sql: "INSERT INTO item VALUES (1, 2, 5)"}
actors:
  - name: buy
    before: [{method: post, url: "${APP}/enter"}]
    http: {method: post, url: "${APP}/buy", headers: {Idempotency-Key: k1, X-Key: "{{answer find key=.([0-9a-f-]+)}}"}}
stubs:
  - {name: provider, key: "json:ref"}
invariants:
  - {name: nothing is sold that was not there, sql: "SELECT id, stock FROM item WHERE stock < 0"}
`, shop, port)
	if err := os.WriteFile(filepath.Join(dir, "ccheck.yaml"), []byte(manifest), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, fixed := range []bool{false, true} {
		home := t.TempDir()
		s, out := stdio.Test()
		s.Env = func(name string) string { return map[string]string{"XDG_STATE_HOME": home}[name] }
		args := []string{dir, "--format", "json"}
		if fixed {
			args = append(args, "--env", "FIXED=1")
		}
		err := clitest.Run(t, explore.New(s, nil), args...)
		var got outcome
		if jsonErr := json.Unmarshal(out.Out.Bytes(), &got); jsonErr != nil {
			t.Fatalf("%v, %+v: %s%s", err, clitest.Of(err), out.Out.String(), out.Err.String())
		}
		want := report.Faulty
		if fixed {
			want = report.Clean
		}
		if got.log = out.Err.String(); got.Summary.Verdict != want {
			t.Errorf("fixed %v: %s", fixed, told(got))
		}
		for _, f := range got.Findings {
			if c := f.Repro.Command; !strings.HasPrefix(c, "ccheck explore "+dir+" ") || strings.Contains(c, "--app") {
				t.Errorf("to see it again: %s", c)
			}
		}
		if claims := got.Summary.Final.Claims; len(claims) != 1 || claims[0].State != "ok" || claims[0].Checks == 0 {
			t.Errorf("fixed %v: claims %+v", fixed, claims)
		}
	}
}
