//go:build linux || darwin

package postgres

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"net/http/httptest"
	osexec "os/exec"
	"path/filepath"
	"strings"
	"testing"

	embedded "github.com/fergusstrange/embedded-postgres"
)

// repository serves an archive as Maven Central does, with a planted server in it.
func repository(t *testing.T, checksum func([]byte) string) *httptest.Server {
	t.Helper()
	tree := testDir(t)
	plant(t, filepath.Join(tree, "bin"), "18.3")
	var jar bytes.Buffer
	z := zip.NewWriter(&jar)
	w, err := z.Create("postgres-linux-x86_64.txz")
	if err != nil {
		t.Fatal(err)
	}
	tar := osexec.Command("tar", "-cJf", "-", "-C", tree, "bin")
	tar.Stdout = w
	if err := tar.Run(); err != nil {
		t.Fatalf("packing with tar and xz: %v", err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, ".sha256") {
			_, _ = w.Write([]byte(checksum(jar.Bytes())))
			return
		}
		_, _ = w.Write(jar.Bytes())
	}))
	t.Cleanup(server.Close)
	return server
}

func sum(data []byte) string {
	s := sha256.Sum256(data)
	return hex.EncodeToString(s[:])
}

func TestDownload(t *testing.T) {
	d := download{cache: testDir(t), repository: repository(t, sum).URL, version: embedded.V18}
	var said []string
	in, err := d.fetch(testContext(t), func(x string) { said = append(said, x) })
	if err != nil {
		t.Fatal(err)
	}
	want := Install{Bin: filepath.Join(d.cache, "postgres-18.3.0", "bin"), Version: "18.3", Major: 18, Source: "download"}
	if in != want {
		t.Errorf("fetch = %+v, want %+v", in, want)
	}
	if len(said) != 1 || !strings.Contains(said[0], d.repository) || !strings.Contains(said[0], d.cache) {
		t.Errorf("said %q", said)
	}
	if left := glob(t, filepath.Join(d.cache, "*")); len(left) != 1 {
		t.Errorf("the cache holds %v", left)
	}
	d.repository = "http://127.0.0.1:1" // nobody answers: the cache must do
	if again, err := d.fetch(testContext(t), func(string) {}); err != nil || again != want {
		t.Errorf("from the cache: %+v, %v", again, err)
	}
}

func TestDownloadThatFails(t *testing.T) {
	empty := httptest.NewServer(http.NotFoundHandler())
	t.Cleanup(empty.Close)
	for name, test := range map[string]struct{ repository, want string }{
		"nobody answers":   {"http://127.0.0.1:1", "unable to connect"},
		"not there":        {empty.URL, "no version found"},
		"tampered archive": {repository(t, func([]byte) string { return strings.Repeat("0", 64) }).URL, "checksums do not match"},
	} {
		t.Run(name, func(t *testing.T) {
			d := download{cache: testDir(t), repository: test.repository, version: embedded.V18}
			_, err := d.fetch(testContext(t), func(string) {})
			wantError(t, err, test.want, "apt-get install postgresql", "dnf install postgresql-server", "brew install postgresql", BinVar)
			if left := glob(t, filepath.Join(d.cache, "*")); len(left) > 0 {
				t.Errorf("left in the cache: %v", left)
			}
		})
	}
}
