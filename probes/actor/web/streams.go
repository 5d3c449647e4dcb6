package web

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"time"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"
)

// streams is a connection on HTTP/2 (RFC 9113), whose streams are the clients.
type streams struct {
	conn    net.Conn
	timeout time.Duration
	limit   int // streams at one time, as the application says
	frame   int // the largest payload that it takes
	room    int // bytes of bodies that it takes unasked

	writing sync.Mutex // of out, which the reader acknowledges with
	out     *http2.Framer
	head    bytes.Buffer
	pack    *hpack.Encoder
	next    uint32

	mu      sync.Mutex
	calls   map[uint32]*call // that have no answer yet
	clients map[int]*call
	gone    error // why the connection has ended

	pong chan struct{} // an answer to a PING
	done chan struct{} // closed when the connection has ended
}

// call is a request on its stream.
type call struct {
	rest []byte // frames that are held back
	res  *http.Response
	body []byte
	err  error
	done chan struct{}
}

const (
	// window is what the application may send unasked, on a stream and in all.
	window = 1 << 24
	// manyStreams is the limit of an application that says none (RFC 9113, 6.5.2).
	manyStreams = 1 << 30
	firstWindow = 65535   // RFC 9113, 6.9.2
	firstFrame  = 1 << 14 // RFC 9113, 4.2
)

// dialStreams opens a connection on HTTP/2: by ALPN over TLS, and else as one
// that is known to be spoken (RFC 9113, 3.3).
func dialStreams(ctx context.Context, target *url.URL, insecure bool, timeout time.Duration) (*streams, error) {
	conn, err := dial(ctx, target, insecure, "h2")
	if err != nil && strings.Contains(err.Error(), "no application protocol") {
		return nil, &NotOfferedError{Host: target.Host}
	}
	if err != nil {
		return nil, &LostError{Method: "a connection", Host: target.Host, Err: err}
	}
	if secure, ok := conn.(*tls.Conn); ok && secure.ConnectionState().NegotiatedProtocol != "h2" {
		conn.Close()
		return nil, &NotOfferedError{Host: target.Host}
	}
	s := &streams{
		conn: conn, timeout: timeout, limit: manyStreams, frame: firstFrame, room: firstWindow, next: 1,
		calls: map[uint32]*call{}, clients: map[int]*call{}, out: http2.NewFramer(conn, conn),
		pong: make(chan struct{}, 1), done: make(chan struct{}),
	}
	s.pack = hpack.NewEncoder(&s.head)
	s.out.ReadMetaHeaders = hpack.NewDecoder(4096, nil)
	if err := s.greet(); err != nil {
		conn.Close()
		return nil, &NotOfferedError{Host: target.Host}
	}
	go s.listen()
	return s, nil
}

// greet sends the preface and waits for the settings of the other side, which
// come first from whoever speaks HTTP/2.
func (s *streams) greet() error {
	if err := s.conn.SetDeadline(time.Now().Add(min(s.timeout, 5*time.Second))); err != nil {
		return err
	}
	if _, err := io.WriteString(s.conn, http2.ClientPreface); err != nil {
		return err
	}
	err := errors.Join(
		s.out.WriteSettings(http2.Setting{ID: http2.SettingEnablePush, Val: 0}, http2.Setting{ID: http2.SettingInitialWindowSize, Val: window}),
		s.out.WriteWindowUpdate(0, window),
	)
	if err != nil {
		return err
	}
	f, err := s.out.ReadFrame()
	if err != nil {
		return err
	}
	settings, ok := f.(*http2.SettingsFrame)
	if !ok || settings.IsAck() {
		return fmt.Errorf("the first frame is of type %v", f.Header().Type)
	}
	s.settle(settings)
	if err := s.out.WriteSettingsAck(); err != nil {
		return err
	}
	return s.conn.SetDeadline(time.Time{})
}

func (s *streams) settle(f *http2.SettingsFrame) {
	_ = f.ForeachSetting(func(set http2.Setting) error {
		switch set.ID {
		case http2.SettingMaxConcurrentStreams:
			s.limit = int(set.Val)
		case http2.SettingInitialWindowSize:
			s.room = int(set.Val)
		}
		return nil
	})
}

// load sends the header of the request and its body but for the last byte.
func (s *streams) load(_ context.Context, client int, req *http.Request, whole bool) error {
	body := []byte{}
	if req.Body != nil {
		var err error
		if body, err = io.ReadAll(req.Body); err != nil {
			return fmt.Errorf("reading the body: %w", err)
		}
	}
	s.mu.Lock()
	gone := s.gone
	s.mu.Unlock()
	if gone != nil {
		return gone
	}
	if len(body) > min(s.room, firstWindow) {
		return fmt.Errorf("a body of %d bytes is more than HTTP/2 takes unasked", len(body))
	}
	s.writing.Lock()
	defer s.writing.Unlock()
	c := &call{done: make(chan struct{})}
	id := s.next
	s.next += 2
	s.mu.Lock()
	s.calls[id], s.clients[client] = c, c
	s.mu.Unlock()
	first, last := s.frames(id, req, body)
	if whole {
		first, last = nil, append(first, last...)
	}
	c.rest = last
	if len(first) == 0 {
		return nil
	}
	_, err := s.conn.Write(first)
	return err
}

// frames are the bytes of a request, before the release and at it.
func (s *streams) frames(id uint32, req *http.Request, body []byte) (first, last []byte) {
	var b bytes.Buffer
	f := http2.NewFramer(&b, nil)
	block := s.header(req, len(body))
	_ = f.WriteHeaders(http2.HeadersFrameParam{StreamID: id, BlockFragment: block[:min(len(block), s.frame)], EndHeaders: len(block) <= s.frame}) // into memory
	for at := s.frame; at < len(block); at += s.frame {
		_ = f.WriteContinuation(id, at+s.frame >= len(block), block[at:min(len(block), at+s.frame)])
	}
	cut := max(len(body)-1, 0)
	for at := 0; at < cut; at += s.frame {
		_ = f.WriteData(id, false, body[at:min(cut, at+s.frame)])
	}
	first = bytes.Clone(b.Bytes())
	b.Reset()
	_ = f.WriteData(id, true, body[cut:])
	return first, b.Bytes()
}

// header packs the fields of a request (RFC 9113, 8.3.1).
func (s *streams) header(req *http.Request, size int) []byte {
	s.head.Reset()
	host := req.Host
	if host == "" {
		host = req.URL.Host
	}
	field := func(name, value string) { _ = s.pack.WriteField(hpack.HeaderField{Name: name, Value: value}) } // into memory
	field(":method", req.Method)
	field(":scheme", req.URL.Scheme)
	field(":authority", host)
	field(":path", req.URL.RequestURI())
	for name, list := range req.Header {
		for _, value := range list {
			field(strings.ToLower(name), value)
		}
	}
	if size > 0 {
		field("content-length", strconv.Itoa(size))
	}
	return bytes.Clone(s.head.Bytes())
}

func (s *streams) held(client int) []byte {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.clients[client].rest
}

func (s *streams) send(b []byte) error {
	s.writing.Lock()
	defer s.writing.Unlock()
	_, err := s.conn.Write(b)
	return err
}

func (s *streams) answer(client int) (*http.Response, []byte, error) {
	s.mu.Lock()
	c := s.clients[client]
	s.mu.Unlock()
	t := time.NewTimer(s.timeout)
	defer t.Stop()
	select {
	case <-c.done:
		return c.res, c.body, c.err
	case <-t.C:
		s.close() // what comes later must not be taken for the answer to another request
		return nil, nil, context.DeadlineExceeded
	}
}

func (s *streams) close() { s.conn.Close() }

// listen takes what comes until the connection ends.
func (s *streams) listen() {
	for {
		f, err := s.out.ReadFrame()
		if err != nil {
			s.end(err)
			return
		}
		if err := s.take(f); err != nil {
			s.end(err)
			return
		}
	}
}

func (s *streams) end(err error) {
	s.conn.Close()
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.gone = err; errors.Is(err, io.EOF) {
		s.gone = errSpent
	}
	for id, c := range s.calls {
		c.err = s.gone
		close(c.done)
		delete(s.calls, id)
	}
	close(s.done)
}

// alive asks whether the application is still there (RFC 9113, 6.7): the first
// write succeeds on a connection that it has closed meanwhile.
func (s *streams) alive() bool {
	if err := s.reply(func() error { return s.out.WritePing(false, [8]byte{}) }); err != nil {
		return false
	}
	t := time.NewTimer(s.timeout)
	defer t.Stop()
	select {
	case <-s.pong:
		return true
	case <-s.done:
	case <-t.C:
	}
	return false
}

func (s *streams) take(f http2.Frame) error {
	switch f := f.(type) {
	case *http2.SettingsFrame:
		if !f.IsAck() {
			return s.reply(s.out.WriteSettingsAck)
		}
	case *http2.PingFrame:
		if !f.IsAck() {
			return s.reply(func() error { return s.out.WritePing(true, f.Data) })
		}
		select {
		case s.pong <- struct{}{}:
		default: // nobody asked
		}
	case *http2.GoAwayFrame:
		if f.ErrCode != http2.ErrCodeNo {
			return fmt.Errorf("the application ended the connection: %v", f.ErrCode)
		}
	case *http2.MetaHeadersFrame:
		s.heads(f)
	case *http2.DataFrame:
		n := uint32(len(f.Data()))
		s.data(f)
		if n > 0 {
			return s.reply(func() error { return s.out.WriteWindowUpdate(0, n) })
		}
	case *http2.RSTStreamFrame:
		s.finish(f.StreamID, fmt.Errorf("the application ended the stream: %v", f.ErrCode))
	}
	return nil
}

func (s *streams) reply(write func() error) error {
	s.writing.Lock()
	defer s.writing.Unlock()
	return write()
}

// heads takes the head of an answer, or what follows its body.
func (s *streams) heads(f *http2.MetaHeadersFrame) {
	status, err := strconv.Atoi(f.PseudoValue("status"))
	s.mu.Lock()
	if c := s.calls[f.StreamID]; c != nil && err == nil && status >= 200 {
		c.res = &http.Response{StatusCode: status, Header: http.Header{}}
		for _, field := range f.RegularFields() {
			c.res.Header.Add(field.Name, field.Value)
		}
	}
	s.mu.Unlock()
	if f.StreamEnded() {
		s.finish(f.StreamID, nil)
	}
}

func (s *streams) data(f *http2.DataFrame) {
	s.mu.Lock()
	if c := s.calls[f.StreamID]; c != nil {
		c.body = append(c.body, f.Data()[:min(len(f.Data()), maxBody-len(c.body))]...)
	}
	s.mu.Unlock()
	if f.StreamEnded() {
		s.finish(f.StreamID, nil)
	}
}

func (s *streams) finish(id uint32, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := s.calls[id]
	if c == nil {
		return
	}
	if c.err = err; err == nil && c.res == nil {
		c.err = errors.New("the answer has no status")
	}
	delete(s.calls, id)
	close(c.done)
}
