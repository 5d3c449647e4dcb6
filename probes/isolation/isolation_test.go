package isolation

import (
	"context"
	"flag"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5/pgconn"
)

var update = flag.Bool("update", false, "rewrite the golden files")

func port(c *pgconn.Config) string { return strconv.Itoa(int(c.Port)) }

// TestSpecs plays the specs of testdata. Where PostgreSQL's own isolationtester
// is installed it is the oracle; the golden files hold what it said.
func TestSpecs(t *testing.T) {
	files, err := filepath.Glob("testdata/specs/*.spec")
	if err != nil || len(files) == 0 {
		t.Fatalf("no specs in testdata (%v)", err)
	}
	for _, file := range files {
		t.Run(test(file), func(t *testing.T) {
			got := playFile(t, config(t), file)
			if tester(t) != "" {
				if diff := cmp.Diff(isolationtester(t, config(t), file), got); diff != "" {
					t.Errorf("isolationtester says otherwise (-isolationtester +ccheck):\n%s", diff)
				}
			}
			golden(t, "testdata/expected/"+test(file)+".out", got)
		})
	}
}

// TestSpecsUnpolled plays them on sockets that cannot be asked whether bytes
// have come, as under TLS and on other systems than Linux.
func TestSpecsUnpolled(t *testing.T) {
	files, err := filepath.Glob("testdata/specs/*.spec")
	if err != nil || len(files) == 0 {
		t.Fatalf("no specs in testdata (%v)", err)
	}
	for _, file := range files {
		t.Run(test(file), func(t *testing.T) {
			c := config(t)
			dial := c.DialFunc
			c.DialFunc = func(ctx context.Context, network, address string) (net.Conn, error) {
				conn, err := dial(ctx, network, address)
				return struct{ net.Conn }{conn}, err
			}
			golden(t, "testdata/expected/"+test(file)+".out", playFile(t, c, file))
		})
	}
}

func golden(t *testing.T, name, got string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(name, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", name, diff)
	}
}
