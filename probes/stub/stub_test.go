package stub_test

import (
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/ccheck/ccheck/probes/stub"
)

func TestCounts(t *testing.T) {
	tests := []struct {
		key  string
		want []stub.Count
	}{
		{"", []stub.Count{{Key: "POST /charges", Calls: 2}, {Key: "POST /refunds", Calls: 1}}},
		{"path", []stub.Count{{Key: "/charges", Calls: 2}, {Key: "/refunds", Calls: 1}}},
		{"header:Idempotency-Key", []stub.Count{{Key: "", Calls: 1}, {Key: "k1", Calls: 2}}},
		{"json:order.id", []stub.Count{{Key: "", Calls: 1}, {Key: "12345678901234567", Calls: 2}}},
		{"body", []stub.Count{{Key: "none", Calls: 1}, {Key: `{"order":{"id":12345678901234567}}`, Calls: 2}}},
	}
	for _, tt := range tests {
		s, err := stub.Start(stub.Options{Name: "payments", Key: tt.key, Status: 201, Body: `{"id":"ch_1"}`})
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		for range 2 {
			if got := post(t, s.URL()+"/charges", "k1", `{"order":{"id":12345678901234567}}`); got != `201 application/json {"id":"ch_1"}` {
				t.Errorf("the answer is %s", got)
			}
		}
		post(t, s.URL()+"/refunds", "", "none")
		if got := s.Counts(); !slices.Equal(got, tt.want) {
			t.Errorf("by %q: %v, want %v", tt.key, got, tt.want)
		}
		s.Reset()
		if got := s.Counts(); len(got) != 0 {
			t.Errorf("after a reset there is %v", got)
		}
	}
}

func TestParse(t *testing.T) {
	for _, tt := range []struct{ text, name, key, err string }{
		{"payments", "payments", "", ""},
		{"payments=header:Idempotency-Key", "payments", "header:Idempotency-Key", ""},
		{"=path", "", "", "a stub needs a name"},
		{"p=cookie:x", "p", "", `the key "cookie:x" is none of`},
	} {
		o, err := stub.Parse(tt.text)
		if tt.err != "" {
			if err == nil || !strings.Contains(err.Error(), tt.err) {
				t.Errorf("Parse(%q): %v, want %q", tt.text, err, tt.err)
			}
			continue
		}
		if err != nil || o.Name != tt.name || o.Key != tt.key {
			t.Errorf("Parse(%q) = %+v, %v", tt.text, o, err)
		}
	}
}

func post(t *testing.T, url, key, body string) string {
	t.Helper()
	req, err := http.NewRequest(http.MethodPost, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	if key != "" {
		req.Header.Set("Idempotency-Key", key)
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	b, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return strings.Join([]string{res.Status[:3], res.Header.Get("Content-Type"), string(b)}, " ")
}
