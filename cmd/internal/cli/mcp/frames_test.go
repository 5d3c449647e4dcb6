package mcp

import (
	"context"
	"strings"
	"testing"

	"github.com/ccheck/ccheck/cmd/internal/cli/clitest"
	"github.com/ccheck/ccheck/cmd/internal/stdio"
)

const hello = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}` + "\n" +
	`{"jsonrpc":"2.0","method":"notifications/initialized"}` + "\n"

// What cannot be read is answered, and what comes after it too; and the end of
// the input takes no answer away. There is no wait: the input is at its end before
// the first call was looked at.
func TestEveryLineIsAnswered(t *testing.T) {
	const list = `{"jsonrpc":"2.0","id":"a","method":"tools/list"}`
	tests := []struct {
		name, in string
		want     []string
	}{
		{"a call at the end", list, []string{`"id":"a","result"`}},
		{"garbage", "garbage\n" + list + "\n", []string{`"code":-32700`, `"id":"a","result"`}},
		{"no message", "{}\n42\n" + list + "\n", []string{`"code":-32600`, `"id":"a","result"`}},
		{"blank lines", "\n \r\n" + list + "\r\n", []string{`"id":"a","result"`}},
		{"no such method", `{"jsonrpc":"2.0","id":7,"method":"nothing"}`, []string{`"id":7,"error"`}},
		{"taken back", list + "\n" + `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"a"}}`, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s, b := stdio.Test()
			b.In.WriteString(hello + tt.in)
			if err := clitest.Run(t, New(s, nil)); err != nil {
				t.Fatal(err)
			}
			for _, want := range append(tt.want, `"id":1,"result"`) {
				if !strings.Contains(b.Out.String(), want) {
					t.Errorf("no %s in\n%s", want, b.Out.String())
				}
			}
		})
	}
}

// A tool that takes its time is waited for.
func TestToolIsWaitedFor(t *testing.T) {
	s, b := stdio.Test()
	b.In.WriteString(hello + `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"explain","arguments":{"name":"40001"}}}`)
	ran := false
	o := &Options{Streams: s, Run: func(context.Context, ...string) (out, said []byte, code int, err error) {
		ran = true
		return []byte("told"), nil, 0, nil
	}}
	if err := run(t.Context(), o); err != nil {
		t.Fatal(err)
	}
	if !ran || !strings.Contains(b.Out.String(), `"id":2,"result"`) {
		t.Errorf("ran %t, answered\n%s", ran, b.Out.String())
	}
}
