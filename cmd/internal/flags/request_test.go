package flags

import (
	"strings"
	"testing"
)

func TestRequest(t *testing.T) {
	tests := []struct{ text, verb, address, err string }{
		{text: "http://h/me?user={{user}}", verb: "GET", address: "http://h/me?user={{user}}"},
		{text: "put  https://h:1/x", verb: "PUT", address: "https://h:1/x"},
		{text: "http://{{user}}.h/x", verb: "GET", address: "http://{{user}}.h/x"},
		{text: "h/x", err: "is no request"},
		{text: "ftp://h/x", err: "is no request"},
		{text: "http://u:canary@h/x", err: "holds a password"},
	}
	for _, tt := range tests {
		verb, address, err := Request(tt.text, "GET", "GET http://h", "{{user}}")
		switch {
		case tt.err == "" && (err != nil || verb != tt.verb || address != tt.address):
			t.Errorf("%s: %s %s, %v", tt.text, verb, address, err)
		case tt.err != "" && (err == nil || !strings.Contains(err.Error(), tt.err) || strings.Contains(err.Error(), "canary")):
			t.Errorf("%s: %v, want %q", tt.text, err, tt.err)
		}
	}
}

func TestHeaders(t *testing.T) {
	h, err := Headers([]string{"Authorization: Bearer a:b", "X: 1", "X:2"})
	if err != nil || h.Get("Authorization") != "Bearer a:b" || len(h.Values("X")) != 2 {
		t.Errorf("%v, %v", h, err)
	}
	for _, bad := range []string{"canary", ": canary"} {
		if _, err := Headers([]string{bad}); err == nil || strings.Contains(err.Error(), "canary") {
			t.Errorf("%s: %v", bad, err)
		}
	}
}
