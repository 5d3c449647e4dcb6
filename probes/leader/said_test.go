package leader

import (
	"context"
	"errors"
	"io"
	"net"
	"strings"
	"testing"

	"github.com/ccheck/ccheck/probes/lease"
)

func TestHear(t *testing.T) {
	tests := []struct {
		line string
		want said
		err  string // part of it
	}{
		{line: "ccheck leader 17", want: said{what: "leader", token: "17"}},
		{line: "ccheck follower", want: said{what: "follower"}},
		{line: "  ccheck ask 42\t", want: said{what: "ask", tick: 42}},
		{line: "ccheck done 42", want: said{what: "done", tick: 42}},
		{line: "ccheck refused -1", want: said{what: "refused", tick: -1}},
		{line: "leader elected: ccheck"},
		{line: ""},
		{line: "ccheck", err: "says nothing"},
		{line: "ccheck leader", err: "says nothing"},
		{line: "ccheck follower 3", err: "says nothing"},
		{line: "ccheck done noon", err: "no whole number"},
	}
	for _, tt := range tests {
		got, err := hear(tt.line)
		switch {
		case tt.err != "" && (err == nil || !strings.Contains(err.Error(), tt.err)):
			t.Errorf("%q: %v, want %q", tt.line, err, tt.err)
		case tt.err == "" && (err != nil || got == nil && tt.want.what != "" || got != nil && *got != tt.want):
			t.Errorf("%q: %+v, %v", tt.line, got, err)
		}
	}
}

func FuzzHear(f *testing.F) {
	for _, s := range []string{"ccheck leader 17", "ccheck ask 1", "ccheck", "x"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, line string) {
		if s, err := hear(line); s != nil && (err != nil || s.what == "") {
			t.Errorf("%q: %+v, %v", line, s, err)
		}
	})
}

func FuzzParseAnswer(f *testing.F) {
	for _, s := range []string{`{"leader":true,"token":17,"done":4}`, `{"leader":false}`, `{"leader":true,"token":"a"}`, `{"leader":true,"token":null}`, "no"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		if a, err := ParseAnswer(text); err == nil && a.Leader && a.token() == "" {
			t.Errorf("%q: a leader without a token", text)
		}
	})
}

func TestThrough(t *testing.T) {
	tests := []struct{ value, want, err string }{
		{value: "postgres://u:p@db:5432/x?sslmode=disable", want: "V=postgres://u:p@127.0.0.1:9/x?sslmode=disable"},
		{value: "redis://h:6379", want: "V=redis://127.0.0.1:9"},
		{value: "", err: "is not set"},
		{value: "host=db port=5432", err: "no URL of one server"},
		{value: "postgres://a:1,b:2/x", err: "no URL of one server"},
		{value: "postgres://db/x", err: "no port"},
	}
	for _, tt := range tests {
		th, err := NewThrough("V", tt.value)
		if tt.err != "" {
			var setup *lease.SetupError
			if !errors.As(err, &setup) || !strings.Contains(err.Error(), tt.err) {
				t.Errorf("%q: %v, want %q", tt.value, err, tt.err)
			}
			continue
		}
		if err != nil || th.over("127.0.0.1:9") != tt.want {
			t.Errorf("%q: %v, %v", tt.value, th.over("127.0.0.1:9"), err)
		}
	}
}

// What a process sends while it is cut off arrives when it is joined; a cut
// connection is reset.
func TestRelay(t *testing.T) {
	server, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	go func() {
		for {
			c, err := server.Accept()
			if err != nil {
				return
			}
			go func() { _, _ = io.Copy(c, c) }()
		}
	}()
	line := &lease.Line{}
	r, err := newRelay(line, server.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer r.close()
	c, err := (&net.Dialer{}).DialContext(context.Background(), "tcp", r.address())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	say := func(b byte) {
		if _, err := c.Write([]byte{b}); err != nil {
			t.Fatal(err)
		}
	}
	var got [1]byte
	hear := func(want byte) {
		if _, err := io.ReadFull(c, got[:]); err != nil || got[0] != want {
			t.Fatalf("%q, %v; want %q", got, err, want)
		}
	}
	say('a')
	hear('a')
	line.CutOff()
	say('b')
	line.Join()
	hear('b')
	line.Cut()
	if _, err := c.Read(got[:]); err == nil {
		t.Error("a connection that was cut goes on")
	}
}
