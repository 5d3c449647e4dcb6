package version

import (
	"encoding/json"
	"testing"

	"github.com/ccheck/ccheck/cmd/internal/build"
	"github.com/ccheck/ccheck/cmd/internal/cli/clitest"
	"github.com/ccheck/ccheck/cmd/internal/stdio"
)

func TestOptions(t *testing.T) {
	for _, want := range []bool{false, true} {
		s, _ := stdio.Test()
		var got Options
		var args []string
		if want {
			args = []string{"--json"}
		}
		if err := clitest.Run(t, New(s, func(o *Options) error { got = *o; return nil }), args...); err != nil || got.JSON != want {
			t.Errorf("%q: %+v, %v", args, got, err)
		}
	}
}

func TestRun(t *testing.T) {
	info := build.Info{Version: "v0.1.0", Commit: "0123456789", Go: "go1.26.7", Platform: "linux/amd64"}
	s, b := stdio.Test()
	opts := &Options{Streams: s, Info: func() build.Info { return info }}
	if err := run(opts); err != nil {
		t.Fatal(err)
	}
	if got, want := b.Out.String(), "ccheck v0.1.0 (01234567) go1.26.7 linux/amd64\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	b.Out.Reset()
	opts.JSON = true
	if err := run(opts); err != nil {
		t.Fatal(err)
	}
	var got build.Info
	if err := json.Unmarshal(b.Out.Bytes(), &got); err != nil || got != info {
		t.Errorf("JSON read back as %+v, %v", got, err)
	}
}
