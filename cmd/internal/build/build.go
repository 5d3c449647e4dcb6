// Package build says which ccheck this is, from what the Go command stamped
// into the binary. No linker flag is needed, so a binary from `go install`
// knows its version too.
package build

import (
	"runtime"
	"runtime/debug"
	"strings"
)

// Info is what is known about the binary.
type Info struct {
	Version  string `json:"version"`          // "v0.1.0", or "devel"
	Commit   string `json:"commit,omitempty"` // of the source, when stamped
	Time     string `json:"time,omitempty"`   // of the commit, RFC 3339
	Modified bool   `json:"modified,omitempty"`
	Go       string `json:"go"`
	Platform string `json:"platform"` // "linux/amd64"
}

// Read returns the Info of the running binary.
func Read() Info {
	info := Info{Version: "devel", Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH}
	b, ok := debug.ReadBuildInfo()
	if !ok {
		return info
	}
	if v := b.Main.Version; v != "" && v != "(devel)" {
		info.Version = v
	}
	for _, s := range b.Settings {
		switch s.Key {
		case "vcs.revision":
			info.Commit = s.Value
		case "vcs.time":
			info.Time = s.Value
		case "vcs.modified":
			info.Modified = s.Value == "true"
		}
	}
	return info
}

// Version returns the version as it goes into histories and connection names.
func Version() string { return Read().Version }

// String is one line: "ccheck v0.1.0 (1a2b3c4d) go1.26.7 linux/amd64".
func (i Info) String() string {
	words := []string{"ccheck", i.Version}
	if c := i.Commit; c != "" {
		c = c[:min(len(c), 8)]
		if i.Modified {
			c += "+changes"
		}
		words = append(words, "("+c+")")
	}
	return strings.Join(append(words, i.Go, i.Platform), " ")
}
