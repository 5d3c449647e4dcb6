package web_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ccheck/ccheck/probes/actor/web"
)

func TestParseCurl(t *testing.T) {
	file := filepath.Join(t.TempDir(), "body.json")
	if err := os.WriteFile(file, []byte("{\"a\":\n1}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	form := web.Field{Name: "Content-Type", Value: "application/x-www-form-urlencoded"}
	tests := []struct {
		line string
		want web.Request
	}{
		{"curl http://localhost:3000/orders", web.Request{URL: "http://localhost:3000/orders"}},
		{"localhost:3000", web.Request{URL: "http://localhost:3000"}},
		{"curl -sS -XPUT localhost/x -kL", web.Request{Method: "PUT", URL: "http://localhost/x", Insecure: true, Follow: true}},
		{`curl -d a=1 -d 'b=2' http://h/`, web.Request{Method: "POST", URL: "http://h/", Body: "a=1&b=2", Headers: []web.Field{form}}},
		{`curl -G -d a=1 "http://h/?x=y"`, web.Request{URL: "http://h/?x=y&a=1"}},
		{`curl --json '{"a":1}' http://h/`, web.Request{Method: "POST", URL: "http://h/", Body: `{"a":1}`, Headers: []web.Field{
			{Name: "Content-Type", Value: "application/json"}, {Name: "Accept", Value: "application/json"}}}},
		{"curl http://h/ -d @" + file, web.Request{Method: "POST", URL: "http://h/", Body: `{"a":1}`, Headers: []web.Field{form}}},
		{"curl http://h/ --data-binary @" + file, web.Request{Method: "POST", URL: "http://h/", Body: "{\"a\":\n1}\n", Headers: []web.Field{form}}},
		{`curl --data-urlencode 'q=a b&c' http://h/`, web.Request{Method: "POST", URL: "http://h/", Body: "q=a+b%26c", Headers: []web.Field{form}}},
		{"curl -u ada:pa:ss -b 'sid=1; x=2' -A agent/1 http://h/", web.Request{URL: "http://h/", User: "ada", Password: "pa:ss", Headers: []web.Field{
			{Name: "Cookie", Value: "sid=1; x=2"}, {Name: "User-Agent", Value: "agent/1"}}}},
		{`curl --data-urlencode 'q={{ answer find a="(.*)" }} b&{{lane}}' http://h/`, web.Request{Method: "POST", URL: "http://h/", Body: `q={{urlencode answer find a="(.*)"}}+b%26{{urlencode lane}}`, Headers: []web.Field{form}}},
		{`curl -c jar.txt -b jar.txt http://h/`, web.Request{URL: "http://h/"}},
		// As Chrome copies it.
		{"curl 'http://localhost:3000/api/buy' \\\n  -H 'authority: localhost' \\\n  -H 'content-type: application/json' \\\n  --data-raw $'{\"name\":\"O\\'Hara\\u0021\",\"n\":1}' \\\n  --compressed",
			web.Request{Method: "POST", URL: "http://localhost:3000/api/buy", Body: `{"name":"O'Hara!","n":1}`, Headers: []web.Field{
				{Name: "authority", Value: "localhost"}, {Name: "content-type", Value: "application/json"}}}},
	}
	for _, tt := range tests {
		got, err := web.ParseCurl(tt.line)
		if err != nil {
			t.Errorf("%s: %v", tt.line, err)
			continue
		}
		if diff := cmp.Diff(&tt.want, got); diff != "" {
			t.Errorf("%s:\n%s", tt.line, diff)
		}
	}
}

func TestMultipart(t *testing.T) {
	r, err := web.ParseCurl("curl -F name=x -F 'note=a;b' http://h/upload")
	if err != nil || r.Method != "POST" || strings.Count(r.Body, "Content-Disposition: form-data") != 2 || !strings.HasSuffix(r.Body, "--\r\n") {
		t.Errorf("%+v, %v", r, err)
	}
}

func TestBadCurl(t *testing.T) {
	for _, tt := range []struct{ line, why string }{
		{"", "there is no URL"},
		{"curl -X POST", "there is no URL"},
		{"curl http://a http://b", "there are two URLs"},
		{"curl 'http://a", "a quote is not closed"},
		{`curl ^"http://a^"`, "Windows command prompt"},
		{"curl ftp://a", "ftp is not HTTP"},
		{"curl --nosuch http://a", "--nosuch is not known"},
		{"curl http://a -H", "-H has no value"},
		{"curl http://a -H nothing", "is no header"},
		{"curl -T file http://a", "uploads a file"},
		{"curl -x proxy http://a", "goes through a proxy"},
		{"curl http://a -d @/nosuch/file", "cannot be read"},
		{"curl http://a -b cookies.txt", "names a file"},
	} {
		_, err := web.ParseCurl(tt.line)
		var e *web.CurlError
		if !errors.As(err, &e) || !strings.Contains(e.Why, tt.why) || e.Hint == "" {
			t.Errorf("%q: %v", tt.line, err)
		}
	}
}

func TestCurlIsReadBack(t *testing.T) {
	for _, line := range []string{
		`curl -X POST http://h/x -H 'A: b' -d '{"who":"it'\''s me"}'`,
		"curl http://h/a?b=c",
	} {
		first, err := web.ParseCurl(line)
		if err != nil {
			t.Fatal(err)
		}
		again, err := web.ParseCurl(first.Curl())
		if err != nil || again.Body != first.Body || again.URL != first.URL {
			t.Errorf("%s was written as %s: %v", line, first.Curl(), err)
		}
	}
	r, err := web.ParseCurl("curl -H 'Authorization: Bearer s3cret' -u ada:s3cret http://h/")
	if err != nil || strings.Contains(r.Curl(), "s3cret") {
		t.Errorf("the secret is shown: %s, %v", r.Curl(), err)
	}
}
