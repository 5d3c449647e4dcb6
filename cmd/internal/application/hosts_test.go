package application

import (
	"strings"
	"testing"

	"github.com/ccheck/ccheck/cmd/internal/cli/clitest"
	"github.com/ccheck/ccheck/cmd/internal/exit"
)

func TestRequestsStayHere(t *testing.T) {
	tests := []struct {
		app, curl string
		port      int
		code      int
		msg       string
	}{
		{"./shop", "curl http://127.0.0.1:3000/buy", 0, 0, ""},
		{"./shop", "curl http://localhost:3000/buy", 3000, 0, ""},
		{"./shop", "curl http://[::1]:3000/buy", 3000, 0, ""},
		{"./shop", "curl http://localhost:3000/buy", 3001, exit.Usage, "http://127.0.0.1:3001/buy"},
		{"./shop", "curl https://shop.example.com/buy?x=1", 3000, exit.Usage, "http://127.0.0.1:3000/buy?x=1"},
		{"", "curl http://web:3000/buy", 0, 0, ""},
		{"", "curl http://192.168.1.7:3000/buy", 0, 0, ""},
		{"", "curl http://shop.test/buy", 0, 0, ""},
		{"", "curl https://shop.example.com/buy", 0, exit.Refused, "shop.example.com"},
		{"", "curl http://93.184.216.34/buy", 0, exit.Refused, "93.184.216.34"},
	}
	for _, tt := range tests {
		a := &Flags{App: tt.app, Port: tt.port, Curl: []string{tt.curl}}
		o := clitest.Of(a.Parse("explore"))
		if o.Code != tt.code || !strings.Contains(o.Msg+o.Hint, tt.msg) {
			t.Errorf("--app %q --port %d --curl %q: %+v", tt.app, tt.port, tt.curl, o)
		}
	}
}

func TestFolderOfTheApplicationIsThere(t *testing.T) {
	a := &Flags{App: "./shop", Dir: "nosuch", Curl: []string{"curl http://127.0.0.1:3000/"}}
	if o := clitest.Of(a.Parse("explore")); o.Code != exit.Usage || !strings.Contains(o.Msg, "nosuch") || o.Hint == "" {
		t.Errorf("%+v", o)
	}
}
