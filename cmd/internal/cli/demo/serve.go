package demo

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/ccheck/ccheck/cmd/internal/exit"
	"github.com/ccheck/ccheck/cmd/internal/flags"
	"github.com/ccheck/ccheck/cmd/internal/stdio"
)

// newServe returns the hidden command that is the process of a program of the
// lab. It prints its address, and ends when its input does, so that it never
// outlives the chapter.
func newServe(s *stdio.Streams) *cobra.Command {
	return &cobra.Command{
		Use:    "serve <program>",
		Short:  "Run a program of the lab",
		Hidden: true,
		Args:   flags.Args("PROGRAM"),
		RunE:   func(cmd *cobra.Command, args []string) error { return serve(cmd.Context(), s, args[0]) },
	}
}

func serve(ctx context.Context, s *stdio.Streams, name string) error {
	program, ok := programs()[name]
	if !ok {
		return exit.Usagef("the lab has no program %q", name)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return exit.Failedf("listening on the loopback interface: %w", err)
	}
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	srv := &http.Server{Handler: program(ctx), ReadHeaderTimeout: 10 * time.Second}
	fmt.Fprintf(s.Out, "http://%s\n", l.Addr())
	go func() {
		_, _ = io.Copy(io.Discard, s.In)
		stop()
	}()
	go func() {
		<-ctx.Done()
		_ = srv.Close()
	}()
	if err := srv.Serve(l); err != http.ErrServerClosed {
		return exit.Failedf("serving a program of the lab: %w", err)
	}
	return nil
}

// process is a running program of the lab.
type process struct {
	cmd *exec.Cmd
	in  io.Closer
	url string
}

// start runs a program in a process of its own: what is watched there must not be
// ccheck's own memory.
func start(ctx context.Context, name string) (*process, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, exit.Failedf("finding the program file of ccheck: %w", err)
	}
	p := &process{cmd: exec.CommandContext(ctx, self, "demo", "serve", name)}
	p.cmd.Args[0] = "ccheck" // whatever the file is named
	if p.in, err = p.cmd.StdinPipe(); err != nil {
		return nil, exit.Failedf("starting a program of the lab: %w", err)
	}
	out, err := p.cmd.StdoutPipe()
	if err == nil {
		err = p.cmd.Start()
	}
	if err != nil {
		return nil, exit.Failedf("starting a program of the lab: %w", err)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		p.stop()
		return nil, exit.Failedf("the program %s of the lab did not say where it listens: %w", name, err)
	}
	p.url = strings.TrimSpace(line)
	return p, nil
}

// stop ends the program and waits for it.
func (p *process) stop() {
	_ = p.in.Close()
	_ = p.cmd.Wait() // how it ends is of no interest
}
