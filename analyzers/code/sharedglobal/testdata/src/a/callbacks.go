package a

import (
	"context"
	"errors"
	"html/template"
	"io"
	"log/slog"
	"net/http"
	"sync"

	"github.com/labstack/echo/v4"
)

// Methods that a library calls for many requests at once.

type pages struct {
	parsed map[string]*template.Template
	parse  func(string) (*template.Template, error)
}

func (p *pages) Render(w io.Writer, name string, data any, c echo.Context) error {
	t, ok := p.parsed[name]
	if !ok {
		var err error
		if t, err = p.parse(name); err != nil {
			return err
		}
		p.parsed[name] = t // want `a.pages.parsed is shared by all requests, and echo handler Render changes it`
	}
	return t.Execute(w, data)
}

type lockedPages struct {
	mu     sync.Mutex
	parsed map[string]*template.Template
}

func (p *lockedPages) Render(w io.Writer, name string, data any, c echo.Context) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	t, ok := p.parsed[name]
	if !ok {
		t = template.New(name)
		p.parsed[name] = t
	}
	return t.Execute(w, data)
}

// Not an echo.Renderer: whoever calls it may do so once.
type report struct{ lines int }

func (r *report) Render(w io.Writer, name string) error {
	r.lines++
	return nil
}

type counting struct {
	next http.RoundTripper
	sent int
}

func (t *counting) RoundTrip(r *http.Request) (*http.Response, error) {
	t.sent++ // want `a.counting.sent is shared by all requests, and HTTP handler RoundTrip changes it`
	return t.next.RoundTrip(r)
}

type capture struct{ last slog.Record }

func (c *capture) Handle(_ context.Context, r slog.Record) error {
	c.last = r // want `a.capture.last is shared by all requests, and slog handler Handle changes it`
	return nil
}

// A method that goroutines of a loop run on one receiver.
type survey struct {
	mu      sync.Mutex
	answers map[string]int
	errs    []error
	safe    map[string]int
	slots   []int
}

func (s *survey) ask(host string, ask func(string) (int, error), wg *sync.WaitGroup) {
	defer wg.Done()
	n, err := ask(host)
	if err != nil {
		s.errs = append(s.errs, err) // want `a.survey.errs is shared by all goroutines of the loop, and every goroutine that All starts`
		return
	}
	s.answers[host] = n // want `a.survey.answers is shared by all goroutines of the loop, and every goroutine that All starts`
}

func (s *survey) All(hosts []string, ask func(string) (int, error)) error {
	s.answers = map[string]int{}
	var wg sync.WaitGroup
	for _, h := range hosts {
		wg.Add(1)
		go s.ask(h, ask, &wg)
	}
	wg.Wait()
	return errors.Join(s.errs...)
}

func (s *survey) askSafely(i int, host string, wg *sync.WaitGroup) {
	defer wg.Done()
	s.slots[i] = len(host)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.safe[host] = len(host)
}

func (s *survey) AllSafely(hosts []string) {
	var wg sync.WaitGroup
	for i, h := range hosts {
		wg.Add(1)
		go s.askSafely(i, h, &wg)
	}
	wg.Wait()
}

// Each goroutine has its own.
type walker struct{ seen map[string]bool }

func (w *walker) walk(p string) { w.seen[p] = true }

func WalkAll(paths []string) {
	for _, p := range paths {
		w := &walker{seen: map[string]bool{}}
		go w.walk(p)
	}
}
