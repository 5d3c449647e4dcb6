package postgres

import (
	"context"
	"errors"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/ccheck/ccheck/probes/server/internal/system"
)

// Stop ends the server at once, its replicas first, and removes everything. A
// second Stop does nothing.
func (s *Server) Stop(ctx context.Context) error {
	s.life.Lock()
	defer s.life.Unlock()
	s.mu.Lock()
	process, replicas, stopped := s.process, s.replicas, s.stopped
	s.stopped, s.replicas = true, nil
	s.mu.Unlock()
	if stopped {
		return nil
	}
	var errs []error
	for _, r := range replicas {
		errs = append(errs, r.Stop(ctx))
	}
	if process != nil {
		errs = append(errs, s.halt(ctx, process))
	}
	if s.primary != nil {
		errs = append(errs, s.primary.forget(ctx, s))
	}
	return errors.Join(append(errs, s.home.remove())...)
}

// halt takes the postmaster down as a crash would, since nothing is kept, and
// by SIGKILL when the context ends before that.
func (s *Server) halt(ctx context.Context, p *process) error {
	err := s.Resume()
	if end := p.end(ctx, system.Quit); end != nil {
		err = errors.Join(err, end, p.end(context.Background(), system.Kill))
	}
	s.home.sweep(ctx)
	return errors.Join(err, s.home.watching(0))
}

// sweep removes the shared memory that a postmaster killed by SIGKILL could
// not remove itself, and waits for its children, who hold on to it until they
// have noticed and ended.
func (h *home) sweep(ctx context.Context) {
	f, ok := h.pidFile()
	if !ok || f.segment == 0 {
		return
	}
	tick := time.NewTicker(pollEvery)
	defer tick.Stop()
	for h.account.removeSegment(f.segment, f.pid) == nil {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// pidFile is what postmaster.pid says (src/include/utils/pidfile.h). It is
// gone when the postmaster has ended in good order.
type pidFile struct {
	pid     int // line 1
	segment int // shared memory id, second on line 7; 0 when not written yet
}

func (h *home) pidFile() (pidFile, bool) {
	text, err := os.ReadFile(h.path("data/postmaster.pid"))
	if err != nil {
		return pidFile{}, false
	}
	lines := strings.Split(string(text), "\n")
	var f pidFile
	if f.pid, err = strconv.Atoi(strings.TrimSpace(lines[0])); err != nil {
		return pidFile{}, false
	}
	if len(lines) < 7 {
		return f, true
	}
	if fields := strings.Fields(lines[6]); len(fields) == 2 {
		f.segment, _ = strconv.Atoi(fields[1])
	}
	return f, true
}
