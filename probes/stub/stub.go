// Package stub is a small HTTP server that stands in for a service that the
// application calls: a payment provider, a broker, a mail gateway. It answers
// always the same and counts calls by key, because a customer who was charged
// twice does not show in the application's own database.
//
// It is no mock of any one service and checks nothing. Drivers of probes and
// the commands import it.
package stub

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Options say what a stub answers and how it tells calls apart.
type Options struct {
	Name string
	Port int // 0 takes a free one
	// Key is what calls are counted by: "header:NAME", "json:PATH" (a value of
	// the JSON body, such as amount or order.id), "path", "body", or "" for the
	// method and the path.
	Key    string
	Status int           // 0 is 200
	Body   string        // "" is a JSON object with the status "ok"
	Delay  time.Duration // before the answer
}

// Count is how often the stub was called with a key.
type Count struct {
	Key   string
	Calls int64
}

// Server is a stub that runs.
type Server struct {
	Options
	listener net.Listener
	server   *http.Server

	mu    sync.Mutex
	calls map[string]int64
}

// Check reports a key that means nothing.
func (o *Options) Check() error {
	kind, rest, found := strings.Cut(o.Key, ":")
	switch {
	case o.Key == "" || o.Key == "path" || o.Key == "body":
		return nil
	case found && rest != "" && (kind == "header" || kind == "json"):
		return nil
	}
	return fmt.Errorf("stub %s: the key %q is none of header:NAME, json:PATH, path and body", o.Name, o.Key)
}

// Start starts a stub on the loopback interface.
func Start(o Options) (*Server, error) {
	if err := o.Check(); err != nil {
		return nil, err
	}
	o.Status = cmp.Or(o.Status, http.StatusOK)
	o.Body = cmp.Or(o.Body, `{"status":"ok"}`)
	l, err := net.Listen("tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(o.Port)))
	if err != nil {
		return nil, fmt.Errorf("stub %s: listening: %w", o.Name, err)
	}
	s := &Server{Options: o, listener: l, calls: map[string]int64{}}
	s.server = &http.Server{Handler: s, ReadHeaderTimeout: 10 * time.Second}
	go func() { _ = s.server.Serve(l) }() // it ends with Close
	return s, nil
}

// URL is where the stub answers, without a path.
func (s *Server) URL() string { return "http://" + s.listener.Addr().String() }

// Close ends the stub and its connections.
func (s *Server) Close() { _ = s.server.Close() }

// maxBody bounds what is read of a call.
const maxBody = 1 << 20

// ServeHTTP counts a call and answers it.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(io.LimitReader(r.Body, maxBody))
	if err != nil {
		return // the caller has gone, and will not see an answer
	}
	key := s.key(r, body)
	s.mu.Lock()
	s.calls[key]++
	s.mu.Unlock()
	if err := wait(r.Context(), s.Delay); err != nil {
		return
	}
	if strings.HasPrefix(s.Body, "{") || strings.HasPrefix(s.Body, "[") {
		w.Header().Set("Content-Type", "application/json")
	}
	w.WriteHeader(s.Status)
	_, _ = io.WriteString(w, s.Body)
}

func wait(ctx context.Context, d time.Duration) error {
	if d <= 0 {
		return nil
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// key is what the call is counted by. A call without the value that the key
// names is counted by the empty one.
func (s *Server) key(r *http.Request, body []byte) string {
	kind, rest, _ := strings.Cut(s.Key, ":")
	switch kind {
	case "header":
		return r.Header.Get(rest)
	case "json":
		return at(body, rest)
	case "path":
		return r.URL.Path
	case "body":
		return strings.TrimSpace(string(body))
	}
	return r.Method + " " + r.URL.Path
}

// at is a value of a JSON document by its path.
func at(body []byte, path string) string {
	d := json.NewDecoder(bytes.NewReader(body))
	d.UseNumber()
	var doc any
	if err := d.Decode(&doc); err != nil {
		return ""
	}
	for name := range strings.SplitSeq(path, ".") {
		m, ok := doc.(map[string]any)
		if !ok {
			return ""
		}
		doc = m[name]
	}
	if doc == nil {
		return ""
	}
	return fmt.Sprint(doc)
}

// Counts are the calls since the last Reset, by key.
func (s *Server) Counts() []Count {
	s.mu.Lock()
	defer s.mu.Unlock()
	var list []Count
	for key, n := range s.calls {
		list = append(list, Count{key, n})
	}
	slices.SortFunc(list, func(a, b Count) int { return cmp.Compare(a.Key, b.Key) })
	return list
}

// Reset forgets the calls.
func (s *Server) Reset() {
	s.mu.Lock()
	defer s.mu.Unlock()
	clear(s.calls)
}

// Parse reads "NAME=KEY" or "NAME", the form of a flag.
func Parse(text string) (Options, error) {
	name, key, _ := strings.Cut(text, "=")
	o := Options{Name: strings.TrimSpace(name), Key: strings.TrimSpace(key)}
	if o.Name == "" {
		return o, errors.New("a stub needs a name, such as payments")
	}
	return o, o.Check()
}
