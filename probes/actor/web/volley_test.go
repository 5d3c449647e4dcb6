package web_test

import (
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/ccheck/ccheck/probes/actor/web"
	"github.com/ccheck/ccheck/probes/history"
)

// stage is a server that knows how many of its requests are complete.
type stage struct {
	*httptest.Server
	begun, whole atomic.Int32
	want         int32
	all          chan struct{} // closed when as many as are wanted are complete
	bodies       sync.Map
}

// newStage serves HTTP/1.1, and HTTP/2 when asked to, over TLS or without.
// Each answer waits until all requests are complete: sent one after the other
// they would never be answered.
func newStage(t *testing.T, want int, two, secure bool) *stage {
	t.Helper()
	s := &stage{want: int32(want), all: make(chan struct{})}
	s.Server = httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.begun.Add(1)
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		s.bodies.Store(string(body), r.Proto)
		if s.whole.Add(1) == s.want {
			close(s.all)
		}
		<-s.all
		w.Header().Set("Content-Type", "application/json")
		if strings.HasSuffix(r.URL.Path, "/1") {
			w.WriteHeader(http.StatusConflict)
		}
		fmt.Fprintf(w, `{"got": %q}`, body)
	}))
	s.Config.Protocols = &http.Protocols{}
	s.Config.Protocols.SetHTTP1(true)
	s.Config.Protocols.SetUnencryptedHTTP2(two)
	s.EnableHTTP2 = two
	if secure {
		s.StartTLS()
	} else {
		s.Start()
	}
	t.Cleanup(s.Close)
	return s
}

func (s *stage) shots(n int) []web.Shot {
	a := &web.Actor{Name: "buy", Requests: []*web.Request{{Method: "POST", URL: s.URL + "/buy/{{lane}}", Body: "lane {{lane}}", Insecure: true}}}
	var list []web.Shot
	for i := range n {
		list = append(list, web.Shot{Actor: a, Lane: i + 1})
	}
	return list
}

func TestVolley(t *testing.T) {
	tests := []struct {
		name        string
		two, secure bool
		proto       string
	}{
		{"HTTP/1.1", false, false, "HTTP/1.1"},
		{"HTTP/1.1 over TLS", false, true, "HTTP/1.1"},
		{"HTTP/2", true, false, "HTTP/2.0"},
		{"HTTP/2 over TLS", true, true, "HTTP/2.0"},
	}
	const clients = 12
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := newStage(t, clients, tt.two, tt.secure)
			v := web.NewVolley(clients, tt.two, 10*time.Second)
			defer v.Close()
			if err := v.Load(t.Context(), s.shots(clients)); err != nil {
				t.Fatal(err)
			}
			if n := s.whole.Load(); n != 0 {
				t.Errorf("%d requests were complete before the release", n)
			}
			var refused atomic.Int32
			v.Fire(func(i int, a web.Answer, err error) {
				want := fmt.Sprintf("lane %d", i+1)
				if err != nil || len(a.Fields) != 2 || a.Fields[1].Value.Text != want {
					t.Errorf("client %d: %+v, %v, want %q", i, a, err, want)
				}
				if a.Outcome == history.Refused {
					refused.Add(1)
				}
			})
			if proto, _ := s.bodies.Load("lane 1"); proto != tt.proto || refused.Load() != 1 {
				t.Errorf("protocol %v, %d refused", proto, refused.Load())
			}
		})
	}
}

// A connection serves the next round too, and one that the server has closed
// is opened again.
func TestVolleyAgain(t *testing.T) {
	for _, two := range []bool{false, true} {
		s := newStage(t, 1, two, false)
		v := web.NewVolley(3, two, 10*time.Second)
		defer v.Close()
		for round := range 3 {
			if round == 2 {
				s.CloseClientConnections()
			}
			if err := v.Load(t.Context(), s.shots(3)); err != nil {
				t.Fatal(err)
			}
			v.Fire(func(i int, _ web.Answer, err error) {
				if err != nil {
					t.Errorf("HTTP/2 %v, round %d, client %d: %v", two, round, i, err)
				}
			})
		}
	}
}

// Held back as a whole, no handler has begun before the release.
func TestVolleyWhole(t *testing.T) {
	for _, two := range []bool{false, true} {
		s := newStage(t, 2, two, false)
		v := web.NewVolley(2, two, 10*time.Second)
		defer v.Close()
		v.Whole = true
		if err := v.Load(t.Context(), s.shots(2)); err != nil {
			t.Fatal(err)
		}
		if n := s.begun.Load(); n != 0 {
			t.Errorf("HTTP/2 %v: %d handlers had begun", two, n)
		}
		v.Fire(func(_ int, _ web.Answer, err error) {
			if err != nil {
				t.Error(err)
			}
		})
	}
}

func TestVolleyRefusals(t *testing.T) {
	one := newStage(t, 1, false, false)
	v := web.NewVolley(2, true, time.Second)
	defer v.Close()
	if err := v.Load(t.Context(), one.shots(2)); !errors.As(err, new(*web.NotOfferedError)) {
		t.Errorf("a server without HTTP/2: %v", err)
	}
	secure := newStage(t, 1, false, true)
	if err := v.Load(t.Context(), secure.shots(2)); !errors.As(err, new(*web.NotOfferedError)) {
		t.Errorf("a server without HTTP/2 over TLS: %v", err)
	}
	few := newStage(t, 1, true, false)
	many := web.NewVolley(2000, true, time.Second)
	defer many.Close()
	var tooMany *web.TooManyError
	if err := many.Load(t.Context(), few.shots(2)); !errors.As(err, &tooMany) || tooMany.Limit >= 2000 {
		t.Errorf("more streams than the server takes: %v", err)
	}
	closed, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	closed.Close()
	shot := web.Shot{Actor: &web.Actor{Requests: []*web.Request{{URL: "http://" + closed.Addr().String() + "/"}}}}
	plain := web.NewVolley(1, false, time.Second)
	defer plain.Close()
	if err := plain.Load(t.Context(), []web.Shot{shot}); !errors.As(err, new(*web.LostError)) {
		t.Errorf("nobody listens: %v", err)
	}
}

// An answer that never comes is lost, and told as such.
func TestVolleyLost(t *testing.T) {
	for _, two := range []bool{false, true} {
		s := newStage(t, 2, two, false) // waits for a second request
		v := web.NewVolley(1, two, 50*time.Millisecond)
		if err := v.Load(t.Context(), s.shots(1)); err != nil {
			t.Fatal(err)
		}
		v.Fire(func(_ int, a web.Answer, err error) {
			if !errors.As(err, new(*web.LostError)) {
				t.Errorf("HTTP/2 %v: %+v, %v", two, a, err)
			}
		})
		v.Close()
		close(s.all)
	}
}
