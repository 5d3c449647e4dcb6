package demo

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"github.com/ccheck/ccheck/cmd/internal/exit"
	"github.com/ccheck/ccheck/cmd/internal/place"
	"github.com/ccheck/ccheck/cmd/internal/stdio"
	"github.com/ccheck/ccheck/probes/server/postgres"
)

// list is what is said where nothing can be chosen.
func list(s *stdio.Streams) error {
	width := 0
	for _, c := range chapters() {
		width = max(width, len(c.name))
	}
	for _, c := range chapters() {
		fmt.Fprintf(s.Out, "%-*s  %s\n", width, c.name, c.title)
	}
	_, err := fmt.Fprintf(s.Out, "\n`ccheck demo CHAPTER` plays one.\n")
	return err
}

// stage is where a chapter is played: a folder for what its commands keep, and a
// server for those that need one. Both are gone when it has ended.
type stage struct {
	o      *Options
	folder string
	config string // an empty file: the settings of the user are not for the lab
	place  *place.Place
}

// play runs the steps of a chapter. A step that ends otherwise than it should
// leaves the lesson unproven, and the exit code says so.
func play(ctx context.Context, o *Options, c chapter) (err error) {
	st, err := open(ctx, o, c)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, st.close(ctx)) }()
	out := o.Streams.Out
	fmt.Fprintf(out, "%s: %s\n\n%s\n", c.name, c.title, prose(o.Streams, c.story))
	odd := 0
	for i, s := range c.steps {
		fmt.Fprintf(out, "\n%d/%d  %s\n", i+1, len(c.steps), s.say)
		code, err := st.step(ctx, s)
		if err != nil {
			return err
		}
		if code != s.want {
			odd++
			o.Streams.Warnf("this step ended with the exit code %d, and the chapter says %d", code, s.want)
		}
	}
	if odd > 0 {
		return &exit.Error{Code: exit.Unknown, Msg: fmt.Sprintf("%d of %d steps of %s did not end as the chapter says", odd, len(c.steps), c.name),
			Hint: "a machine that is very busy may be why: play it again"}
	}
	_, err = fmt.Fprintf(out, "\n%s\n", prose(o.Streams, c.moral))
	return err
}

// prose is one paragraph, as wide as is easily read where it is shown.
func prose(s *stdio.Streams, text string) string {
	return ansi.Wordwrap(strings.ReplaceAll(text, "\n", " "), min(s.Width(), widest), "")
}

const (
	// clients is the most that a step has.
	clients = 60
	// widest is the width of text that is easily read, in cells.
	widest = 90
)

// open makes the folder, and starts the server of the chapter when it has one.
func open(ctx context.Context, o *Options, c chapter) (*stage, error) {
	st := &stage{o: o}
	var err error
	if st.folder, err = os.MkdirTemp("", "ccheck-demo-"); err != nil {
		return nil, exit.Failedf("making a folder for the lab: %w", err).WithHint("set TMPDIR to a folder that can be written")
	}
	st.config = filepath.Join(st.folder, "empty.yaml")
	if err := os.WriteFile(st.config, nil, 0o600); err != nil {
		return nil, errors.Join(exit.Failedf("making a folder for the lab: %w", err).WithHint("set TMPDIR to a folder that can be written"), st.close(ctx))
	}
	for _, s := range c.steps {
		if s.server && st.place == nil {
			f := place.Flags{Throwaway: true}
			st.place, err = f.Find(ctx, o.Streams, clients, postgres.Options{
				Dir: postgres.MemoryDir(), Settings: map[string]string{"deadlock_timeout": "200ms", "max_wal_size": "128MB"},
			})
			if err != nil {
				return nil, errors.Join(err, st.close(ctx))
			}
		}
	}
	return st, nil
}

func (st *stage) close(ctx context.Context) error {
	if st.place != nil {
		st.place.Close(ctx)
	}
	if err := os.RemoveAll(st.folder); err != nil {
		return fmt.Errorf("removing the folder of the lab: %w", err)
	}
	return nil
}

// step runs one command and returns its exit code. An error means that it could
// not run at all.
func (st *stage) step(ctx context.Context, s step) (int, error) {
	args := s.args
	if s.serve != "" {
		p, err := start(ctx, s.serve)
		if err != nil {
			return 0, err
		}
		defer p.stop()
		args = filled(args, p.url)
	}
	out := st.o.Streams.Out
	fmt.Fprintf(out, "$ ccheck %s\n", shell(args))
	var kept bytes.Buffer
	streams := st.streams(s)
	streams.Out = &kept
	err := st.o.command(ctx, streams, append(args[:len(args):len(args)], st.extra()...))
	if ctx.Err() != nil {
		return 0, ctx.Err()
	}
	code := exit.Code(err)
	if code == exit.Usage || code == exit.Failed || code == exit.Refused {
		return 0, err
	}
	text := strings.TrimSpace(history.ReplaceAllString(kept.String(), ""))
	if s.brief && code == s.want {
		text = text[strings.LastIndexByte(text, '\n')+1:]
	}
	_, err = fmt.Fprintln(out, text)
	return code, err
}

// history is where the last line of a run names a file that the lab removes.
var history = regexp.MustCompile(`, history \S+`)

// streams are those of a step: no full screen, no state of the user, no server of
// the user.
func (st *stage) streams(s step) *stdio.Streams {
	c := *st.o.Streams
	c.In, c.InTTY = strings.NewReader(""), false
	c.Env = func(name string) string {
		switch {
		case name == "XDG_STATE_HOME":
			return st.folder
		case name == "CCHECK_DSN" && s.server:
			return st.place.Server.DSN()
		case strings.HasPrefix(name, "CCHECK_") && !strings.HasPrefix(name, "CCHECK_PG_"), strings.HasPrefix(name, "PG"), name == "DATABASE_URL", strings.HasPrefix(name, "GITHUB_"):
			return ""
		}
		return st.o.Streams.Env(name)
	}
	return &c
}

// extra is what the step inherits from this command line.
func (st *stage) extra() []string {
	s := st.o.Streams
	all := []string{"--config", st.config, "--quiet", "--color", "never"}
	if s.Color {
		all[len(all)-1] = "always"
	}
	if s.Plain {
		all = append(all, "--plain")
	}
	if s.ASCII {
		all = append(all, "--ascii")
	}
	return all
}

func filled(args []string, url string) (all []string) {
	for _, a := range args {
		all = append(all, strings.ReplaceAll(a, "{{url}}", url))
	}
	return all
}

// shell is the command line as a shell takes it.
func shell(args []string) string {
	words := make([]string, len(args))
	for i, a := range args {
		if words[i] = a; strings.ContainsAny(a, "?{}& ") {
			words[i] = "'" + a + "'"
		}
	}
	return strings.Join(words, " ")
}
