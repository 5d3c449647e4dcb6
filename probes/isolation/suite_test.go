//go:build isolationsuite

package isolation

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestSuite(t *testing.T) {
	dir := os.Getenv("CCHECK_ISOLATION_SUITE")
	specs, _ := filepath.Glob(filepath.Join(dir, "specs", os.Getenv("SPEC")+"*.spec"))
	good := 0
	for _, file := range specs {
		test := strings.TrimSuffix(filepath.Base(file), ".spec")
		ok := t.Run(test, func(t *testing.T) {
			src, err := os.ReadFile(file)
			if err != nil { t.Fatal(err) }
			spec, err := Parse(file, src)
			if err != nil { t.Fatal(err) }
			var out bytes.Buffer
			begin := time.Now()
			err = Run(context.Background(), spec, Options{Config: config(t), Out: &out, Err: &out, StepLimit: 20*time.Second})
			t.Log("took", time.Since(begin))
			expected, _ := filepath.Glob(filepath.Join(dir, "expected", test+"*.out"))
			for _, e := range expected {
				want, _ := os.ReadFile(e)
				if bytes.Equal(want, out.Bytes()) { return }
			}
			os.WriteFile("/tmp/isosrc/out/"+test+".out", out.Bytes(), 0o644)
			t.Fatal("differs", err)
		})
		if ok { good++ }
	}
	t.Logf("%d of %d", good, len(specs))
}
