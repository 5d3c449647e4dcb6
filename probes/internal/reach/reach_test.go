package reach_test

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"syscall"
	"testing"
	"time"

	"github.com/ccheck/ccheck/probes/internal/reach"
)

// Real requests that fail, each in its words, and with what they stand for.
func TestWhy(t *testing.T) {
	hold := make(chan struct{})
	silent := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { <-hold }))
	defer silent.Close()
	defer close(hold)
	closes, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer closes.Close()
	go func() {
		for {
			conn, err := closes.Accept()
			if err != nil {
				return
			}
			_, _ = conn.Read(make([]byte, 1<<12))
			conn.Close()
		}
	}()
	gone, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := gone.Addr().String()
	gone.Close()

	tests := map[string]struct {
		url, want string
		is        error
	}{
		"silent":  {silent.URL, "it did not answer in time", context.DeadlineExceeded},
		"closes":  {"http://" + closes.Addr().String(), "it closed the connection without an answer", io.EOF},
		"nothing": {"http://" + address, "nothing listens on " + address + " (connection refused)", syscall.ECONNREFUSED},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			client := &http.Client{Timeout: 300 * time.Millisecond}
			res, err := client.Get(tt.url)
			if err == nil {
				res.Body.Close()
				t.Fatal("it was answered")
			}
			why := reach.Why(err)
			if why.Error() != tt.want || !errors.Is(why, tt.is) {
				t.Errorf("%v (%v), want %s", why, errors.Unwrap(why), tt.want)
			}
		})
	}
	err = &url.Error{Op: "Get", URL: "http://u:canary@h/", Err: &net.OpError{Op: "dial", Err: &net.DNSError{Name: "h", IsNotFound: true}}}
	if why := reach.Why(err).Error(); why != `there is no host "h"` {
		t.Error(why)
	}
}
