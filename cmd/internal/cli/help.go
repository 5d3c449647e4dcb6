package cli

import (
	"bytes"
	"io"
	"os"
	"slices"

	"github.com/spf13/cobra"

	"github.com/ccheck/ccheck/cmd/internal/flags"
	"github.com/ccheck/ccheck/cmd/internal/stdio"
)

// helpCommand is `ccheck help [command]`, with our words for an unknown one.
func helpCommand(root *cobra.Command) *cobra.Command {
	return &cobra.Command{
		Use:   "help [command]",
		Short: "Show the help of a command",
		Args:  cobra.ArbitraryArgs,
		RunE: func(_ *cobra.Command, args []string) error {
			cmd, rest, err := root.Find(args)
			if err != nil || len(rest) > 0 {
				return noCommand(cmd, slices.Concat(rest, args)[0])
			}
			cmd.InitDefaultHelpFlag()
			cmd.InitDefaultVersionFlag()
			return cmd.Help()
		},
	}
}

// helpWriter is where the help goes. Fang decides on colours by looking for a
// terminal behind its writer, and by NO_COLOR only when it reads as a boolean;
// helpWriter shows it the terminal only when colours are wanted. Without
// colours it drops the blanks with which fang fills its lines.
type helpWriter struct {
	s      *stdio.Streams
	global *flags.Global
	line   []byte // begun and not ended
}

func (w *helpWriter) color() bool {
	w.s.SetColor(w.global.Color)
	return w.s.Color
}

// Fd, Read and Close make helpWriter a terminal in fang's eyes.
func (w *helpWriter) Fd() uintptr {
	if f, ok := w.s.Out.(*os.File); ok && w.color() {
		return f.Fd()
	}
	return ^uintptr(0)
}

func (*helpWriter) Read([]byte) (int, error) { return 0, io.EOF }

// Close does nothing: the stream is not ours.
func (*helpWriter) Close() error { return nil }

func (w *helpWriter) Write(p []byte) (int, error) {
	if w.color() {
		return w.s.Out.Write(p)
	}
	w.line = append(w.line, p...)
	for {
		i := bytes.IndexByte(w.line, '\n')
		if i < 0 {
			return len(p), nil
		}
		trimmed := append(bytes.TrimRight(w.line[:i], " "), '\n')
		w.line = w.line[i+1:]
		_, _ = w.s.Out.Write(trimmed) // Main finds out, and cobra would take it for a misused flag
	}
}
