package cli

import (
	"fmt"
	"runtime"
	"strings"

	"github.com/ccheck/ccheck/cmd/internal/build"
	"github.com/ccheck/ccheck/cmd/internal/exit"
	"github.com/ccheck/ccheck/cmd/internal/stdio"
)

const issues = "https://github.com/ccheck/ccheck/issues"

// crashed tells a panic in one sentence. No stack: it means nothing to the
// person and may hold arguments. The value of a panic is told only when the
// runtime made it, since any other may quote a connection string.
func crashed(s *stdio.Streams, p any) int {
	what := fmt.Sprintf("a panic of type %T", p)
	if err, ok := p.(runtime.Error); ok {
		what = err.Error()
	}
	exit.Print(s.Err, exit.Failedf("ccheck itself is at fault: %s at %s", what, place()).
		WithHint("please report this line and the command at %s (%s)", issues, build.Read()))
	return exit.Failed
}

// place is the innermost function of ours on the panicking stack, as
// package.function:line.
func place() string {
	pcs := make([]uintptr, 64)
	frames := runtime.CallersFrames(pcs[:runtime.Callers(0, pcs)])
	raised := false
	for {
		f, more := frames.Next()
		if raised && strings.HasPrefix(f.Function, "github.com/ccheck/ccheck/") {
			return fmt.Sprintf("%s:%d", strings.TrimPrefix(f.Function, "github.com/ccheck/ccheck/"), f.Line)
		}
		raised = raised || f.Function == "runtime.gopanic"
		if !more {
			return "an unknown place"
		}
	}
}
