package record

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"io"
	"net/http"
	"net/http/httputil"
	"slices"
	"strings"
	"time"

	"github.com/ccheck/ccheck/probes/actor/web"
	"github.com/ccheck/ccheck/probes/record/tape"
)

// maxBody bounds what is kept of a request's and of an answer's body.
const maxBody = 64 << 10

// open is a request that has no answer yet.
type open struct {
	*tape.Request
	ids []string // that a comment of its statements may have
}

type requestKey struct{}

// serve begins to take requests.
func (r *Recorder) serve() {
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.Proxy, transport.DisableCompression = nil, true
	r.forward = &httputil.ReverseProxy{
		Rewrite: r.rewrite, ModifyResponse: r.answered, ErrorHandler: r.unanswered,
		Transport: transport, FlushInterval: -1,
	}
	r.server = &http.Server{Handler: r, ReadHeaderTimeout: 30 * time.Second}
	go func() { _ = r.server.Serve(r.listener) }() // it ends with Close
}

// rewrite leads a request to the application, which sees the name that its user
// has typed. Answers must come as text.
func (r *Recorder) rewrite(p *httputil.ProxyRequest) {
	p.SetURL(r.target)
	p.Out.Host = p.In.Host
	p.Out.Header.Del("Accept-Encoding")
}

// ServeHTTP records a request and hands it on.
func (r *Recorder) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	head, err := io.ReadAll(io.LimitReader(req.Body, maxBody+1))
	if err != nil {
		http.Error(w, "reading the request: "+err.Error(), http.StatusBadRequest)
		return
	}
	req.Body = rest{io.MultiReader(bytes.NewReader(head), req.Body), req.Body}
	o := &open{ids: trace(req.Header)}
	o.Request = r.told(req, head)
	r.enter(o)
	defer r.end(o) // where it had no body to end with
	r.forward.ServeHTTP(w, req.WithContext(context.WithValue(req.Context(), requestKey{}, o)))
}

// rest is a body whose beginning was read before.
type rest struct {
	io.Reader
	io.Closer
}

// trace returns the ids that statements may carry, and gives the request one
// when it has none (W3C Trace Context, 3.2).
func trace(h http.Header) []string {
	parent := h.Get("Traceparent")
	if parts := strings.Split(parent, "-"); len(parts) < 4 || len(parts[1]) != 32 {
		var b [24]byte
		_, _ = rand.Read(b[:]) // never fails, says its documentation
		parent = fmt.Sprintf("00-%s-%s-01", hex.EncodeToString(b[:16]), hex.EncodeToString(b[16:]))
		h.Set("Traceparent", parent)
	}
	ids := []string{strings.Split(parent, "-")[1]}
	if id := h.Get("X-Request-Id"); len(id) >= telling {
		ids = append(ids, id)
	}
	return ids
}

// passing are headers that belong to a connection, or that a client makes anew.
var passing = []string{
	"Accept-Encoding", "Connection", "Content-Length", "Host", "If-Modified-Since", "If-None-Match", "Keep-Alive", "Te", "Trailer",
	"Traceparent", "Tracestate", "Transfer-Encoding", "Upgrade", "User-Agent", "X-Forwarded-For", "X-Request-Id",
}

// told is what the tape has of a request.
func (r *Recorder) told(req *http.Request, head []byte) *tape.Request {
	t := &tape.Request{Method: req.Method, Path: replacePath(req.URL.RequestURI(), r.masker.value)}
	for name, values := range req.Header {
		if slices.Contains(passing, name) || strings.HasPrefix(name, "Sec-") {
			continue
		}
		for _, v := range values {
			t.Headers = append(t.Headers, tape.Field{Name: name, Value: r.header(name, v)})
		}
	}
	slices.SortFunc(t.Headers, func(a, b tape.Field) int { return strings.Compare(a.Name+a.Value, b.Name+b.Value) })
	switch {
	case len(head) > maxBody:
		t.Unusable = fmt.Sprintf("its body has more than %d KiB", maxBody>>10)
	case !text(head):
		t.Unusable = "its body is not text"
	default:
		t.Body = replaceBody(req.Header.Get("Content-Type"), string(head), r.masker.value, r.masker.scrub)
	}
	if req.Header.Get("Upgrade") != "" {
		t.Unusable = "it became a connection of another protocol"
	}
	return t
}

// header masks a header. Of cookies each has a name of its own, and of
// authorisation the scheme is no secret.
func (r *Recorder) header(name, value string) string {
	switch name {
	case "Cookie":
		cookies := strings.Split(value, ";")
		for i, c := range cookies {
			key, v, _ := strings.Cut(strings.TrimSpace(c), "=")
			cookies[i] = key + "=" + r.masker.value("cookie-"+key, v)
		}
		return strings.Join(cookies, "; ")
	case "Authorization", "Proxy-Authorization":
		scheme, v, found := strings.Cut(value, " ")
		if found || scheme == "Bearer" || scheme == "Basic" { // some send the scheme before they have anything
			return strings.TrimSpace(scheme + " " + r.masker.value(name, v))
		}
	}
	return r.masker.value(name, value)
}

func (r *Recorder) enter(o *open) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.requests++
	o.N, o.Start = r.requests, r.now()
	r.open[o.N] = o
}

// answered looks at an answer while it passes.
func (r *Recorder) answered(res *http.Response) error {
	o := res.Request.Context().Value(requestKey{}).(*open)
	o.Status = res.StatusCode
	if place := res.Header.Get("Location"); strings.HasPrefix(place, r.App) {
		res.Header.Set("Location", r.URL()+strings.TrimPrefix(place, r.App))
	}
	for _, c := range res.Cookies() {
		r.masker.gave("cookie-"+c.Name, c.Value, tape.CookieRef(o.N, c.Name))
	}
	if res.StatusCode != http.StatusSwitchingProtocols {
		res.Body = &answer{ReadCloser: res.Body, done: func(body []byte) { r.finish(o, body) }}
	}
	return nil
}

// unanswered tells the user that the application is not there.
func (r *Recorder) unanswered(w http.ResponseWriter, req *http.Request, err error) {
	if o, ok := req.Context().Value(requestKey{}).(*open); ok {
		o.Unusable = "it was not answered"
	}
	http.Error(w, fmt.Sprintf("ccheck record: the application does not answer at %s: %v", r.App, err), http.StatusBadGateway)
}

// answer is the body of an answer, whose beginning is kept.
type answer struct {
	io.ReadCloser
	kept []byte
	done func([]byte)
}

func (a *answer) Read(p []byte) (int, error) {
	n, err := a.ReadCloser.Read(p)
	a.kept = append(a.kept, p[:min(n, maxBody-len(a.kept))]...)
	if err != nil {
		a.finish()
	}
	return n, err
}

func (a *answer) Close() error {
	a.finish()
	return a.ReadCloser.Close()
}

func (a *answer) finish() {
	if a.done != nil {
		a.done(a.kept)
		a.done = nil
	}
}

// finish is the end of an answer: the client has not seen it yet, so what it
// sends next comes later.
func (r *Recorder) finish(o *open, body []byte) {
	for _, f := range web.Fields(o.Status, body) {
		name := f.Name[strings.LastIndexByte(f.Name, '.')+1:]
		value := f.Value.String()
		if f.Name != web.Body { // of a text there is nothing to refer to
			value = r.masker.gave(name, value, tape.AnswerRef(o.N, f.Name))
		} else {
			value = r.masker.scrub(value)
		}
		o.Answer = append(o.Answer, tape.Field{Name: f.Name, Value: value})
	}
	r.end(o)
}

// end writes a request down, once.
func (r *Recorder) end(o *open) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.open[o.N] == nil || r.closed {
		return
	}
	delete(r.open, o.N)
	o.End = r.now()
	r.tape.Request(o.Request)
}
