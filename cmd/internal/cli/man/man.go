// Package man is the command that writes the manual page.
package man

import (
	"io"
	"time"

	mango "github.com/muesli/mango-cobra"
	"github.com/muesli/roff"
	"github.com/spf13/cobra"

	"github.com/ccheck/ccheck/cmd/internal/build"
	"github.com/ccheck/ccheck/cmd/internal/exit"
	"github.com/ccheck/ccheck/cmd/internal/flags"
	"github.com/ccheck/ccheck/cmd/internal/stdio"
)

// Options are what the command is run with.
type Options struct {
	Streams *stdio.Streams
	Root    *cobra.Command
}

// New returns the command.
func New(s *stdio.Streams, runF func(*Options) error) *cobra.Command {
	opts := &Options{Streams: s}
	return &cobra.Command{
		Use:     "man",
		Short:   "Write the manual page, ccheck(1)",
		Example: "ccheck man > ccheck.1",
		Args:    flags.Args(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			opts.Root = cmd.Root()
			if runF != nil {
				return runF(opts)
			}
			return run(opts)
		},
	}
}

func run(opts *Options) error {
	page, err := mango.NewManPage(1, opts.Root)
	if err != nil {
		return exit.Failedf("cannot make the manual page: %w", err)
	}
	if _, err := io.WriteString(opts.Streams.Out, page.Build(dated{roff.NewDocument()})); err != nil {
		return exit.Failedf("cannot write the manual page: %w", err)
	}
	return nil
}

// dated is a roff document with the date of the commit in the place of today,
// so that the same source gives the same page.
type dated struct{ *roff.Document }

// Heading writes the title line; a binary that was built outside a repository
// has no date, which reads as the first day of the Unix epoch.
func (d dated) Heading(section uint, title, description string, _ time.Time) {
	at, err := time.Parse(time.RFC3339, build.Read().Time)
	if err != nil {
		at = time.Unix(0, 0).UTC()
	}
	d.Document.Heading(section, title, description, at)
}
