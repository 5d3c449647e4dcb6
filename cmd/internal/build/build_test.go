package build

import "testing"

func TestString(t *testing.T) {
	tests := []struct {
		info Info
		want string
	}{
		{Info{Version: "devel", Go: "go1.26.7", Platform: "linux/amd64"}, "ccheck devel go1.26.7 linux/amd64"},
		{Info{Version: "v0.1.0", Commit: "0123456789abcdef", Go: "go1.26.7", Platform: "darwin/arm64"}, "ccheck v0.1.0 (01234567) go1.26.7 darwin/arm64"},
		{Info{Version: "v0.1.0", Commit: "0123", Modified: true, Go: "go1.26.7", Platform: "linux/amd64"}, "ccheck v0.1.0 (0123+changes) go1.26.7 linux/amd64"},
	}
	for _, tt := range tests {
		if got := tt.info.String(); got != tt.want {
			t.Errorf("got %q, want %q", got, tt.want)
		}
	}
}

func TestReadIsNeverEmpty(t *testing.T) {
	if i := Read(); i.Version == "" || i.Go == "" || i.Platform == "" {
		t.Errorf("incomplete: %+v", i)
	}
}
