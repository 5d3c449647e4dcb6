package exit

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"syscall"
	"testing"
)

func TestPrintAndCode(t *testing.T) {
	seed := Usagef("--seed cannot be %q", "x").WithHint("it takes a whole number")
	tests := []struct {
		name string
		err  error
		code int
		want string
	}{
		{"nil", nil, Clean, ""},
		{"plain", errors.New("disk on fire"), Failed, "ccheck: error: disk on fire\n"},
		{"usage with hint", seed, Usage, "ccheck: error: --seed cannot be \"x\"\nccheck: hint: it takes a whole number\n"},
		{"refused", Refusedf("production"), Refused, "ccheck: error: production\n"},
		{"status is silent", Status(Findings), Findings, ""},
		{"status clean is nil", Status(Clean), Clean, ""},
		{"wrapped keeps words, hint and code", fmt.Errorf("reading wallet: %w", seed), Usage,
			"ccheck: error: reading wallet: --seed cannot be \"x\"\nccheck: hint: it takes a whole number\n"},
		{"joined in order, first code", errors.Join(seed, Failedf("no server")), Usage,
			"ccheck: error: --seed cannot be \"x\"\nccheck: hint: it takes a whole number\nccheck: error: no server\n"},
		{"words around a list go", fmt.Errorf("two: %w", errors.Join(Usagef("a"), Usagef("b"))), Usage,
			"ccheck: error: a\nccheck: error: b\n"},
		{"a wrapped plain error is whole", fmt.Errorf("dialling: %w", errors.New("refused")), Failed,
			"ccheck: error: dialling: refused\n"},
		{"a full disk", fmt.Errorf("writing the page: %w", &fs.PathError{Op: "write", Path: "/dev/stdout", Err: syscall.ENOSPC}), Failed,
			"ccheck: error: writing the page: write /dev/stdout: no space left on device\nccheck: hint: is the disk full?\n"},
		{"status among errors", errors.Join(Status(Unknown), errors.New("x")), Unknown, "ccheck: error: x\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var out bytes.Buffer
			Print(&out, tt.err)
			if out.String() != tt.want {
				t.Errorf("printed\n%s\nwant\n%s", out.String(), tt.want)
			}
			if got := Code(tt.err); got != tt.code {
				t.Errorf("code %d, want %d", got, tt.code)
			}
		})
	}
}

func TestCauseIsKept(t *testing.T) {
	err := fmt.Errorf("running: %w", Failedf("stopped: %w", context.Canceled))
	if !errors.Is(err, context.Canceled) {
		t.Error("the cause of an Error is lost")
	}
}
