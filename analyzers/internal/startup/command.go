package startup

import (
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/ccheck/ccheck/analyzers/internal/callers"
	"github.com/ccheck/ccheck/analyzers/internal/cfg"
	"github.com/ccheck/ccheck/analyzers/internal/libs"
	"github.com/ccheck/ccheck/analyzers/internal/place"
)

// commands are the functions that command lines run: a process was started for one
// of them, and runs it once, as it runs main.
func commands(fns []*ssa.Function) map[*ssa.Function]bool {
	found := map[*ssa.Function]bool{}
	for _, fn := range fns {
		cfg.Each(fn, func(in ssa.Instruction) {
			st, ok := in.(*ssa.Store)
			if !ok {
				return
			}
			if field, ok := st.Addr.(*ssa.FieldAddr); ok && runs(field) {
				if f := callers.Function(st.Val); f != nil {
					found[f] = true
				}
			}
		})
	}
	return found
}

// runs reports whether a field of a command of cobra or urfave/cli holds what the
// command does.
func runs(field *ssa.FieldAddr) bool {
	path, name := libs.Path(field.X.Type()), place.FieldOf(field.X.Type(), field.Field).Name()
	if path == "github.com/spf13/cobra" {
		return strings.HasSuffix(name, "Run") || strings.HasSuffix(name, "RunE")
	}
	return strings.HasPrefix(path, "github.com/urfave/cli") && slices.Contains([]string{"Action", "Before", "After"}, name)
}
