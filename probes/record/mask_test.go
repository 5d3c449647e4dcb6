package record

import (
	"strings"
	"testing"

	"github.com/ccheck/ccheck/probes/actor/web"
	"github.com/ccheck/ccheck/probes/history"
)

func TestBodies(t *testing.T) {
	tests := []struct{ name, kind, body, want string }{
		{"json", "application/json", `{"user":"ann","password":"canary-1","n": 7}`, `{"user":"ann","password":"{{secret password}}","n": 7}`},
		{"json number", "application/json", `{"pin" : 4711, "a":[1, 2.50,"x"]}`, `{"pin" : {{secret pin}}, "a":[1, 2.50,"x"]}`},
		{"below a secret name", "application/json", `{"credentials":{"user":"ann","list":["canary-2"]}}`,
			`{"credentials":{"user":"{{secret credentials}}","list":["{{secret credentials-2}}"]}}`},
		{"a type that says nothing", "", `{"token":"canary-3"}`, `{"token":"{{secret token}}"}`},
		{"chosen", "application/json", `{"birthday":"1999-01-01","b":true,"c":null}`, `{"birthday":"{{secret birthday}}","b":true,"c":null}`},
		{"form", "application/x-www-form-urlencoded", "user=a%20b&password=canary%2F4&x", "user=a%20b&password={{secret password}}&x"},
		{"braces", "text/plain", "hello {{name}}", "hello {{brace}}name}}"},
		{"braces in json", "application/json", `{"t":"{{name}}"}`, `{"t":"{{brace}}name}}"}`},
		{"escaped", "application/json", `{"t":"a\"b\u00e9"}`, `{"t":"a\"b\u00e9"}`},
		{"no json", "application/json", `{"password":`, `{"password":`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			m := newMasker([]string{"users.birthday"})
			got := replaceBody(tt.kind, tt.body, m.value, m.scrub)
			if got != tt.want {
				t.Errorf("body %s, want %s", got, tt.want)
			}
		})
	}
}

func TestReferences(t *testing.T) {
	m := newMasker(nil)
	if got := m.gave("token", "canary-token", "{{answer 1 body.token}}"); strings.Contains(got, "canary") {
		t.Errorf("the answer shows %s", got)
	}
	m.gave("id", "0b7c4a2e-order", "{{answer 1 body.id}}")
	m.gave("n", "17", "{{answer 1 body.n}}")
	m.gave("id", "ixdhssowehruypoooxyzvjwpob", "{{answer 2 body.id}}")
	m.gave("kind", "internationalization", "{{answer 2 body.kind}}")
	m.gave("text", "the answer to all the questions", "{{answer 2 body.text}}")
	tests := []struct{ name, value, want string }{
		{"Authorization", "canary-token", "{{answer 1 body.token}}"},
		{"order", "0b7c4a2e-order", "{{answer 1 body.id else 0b7c4a2e-order}}"},
		{"count", "17", "17"},
		{"order", "ixdhssowehruypoooxyzvjwpob", "{{answer 2 body.id else ixdhssowehruypoooxyzvjwpob}}"},
		{"kind", "internationalization", "internationalization"},
		{"text", "the answer to all the questions", "the answer to all the questions"},
		{"note", "it is canary-token!", "it is {{answer 1 body.token}}!"},
		{"Authorization", "canary-other", "{{secret authorization}}"},
		{"Authorization", "canary-third", "{{secret authorization-2}}"},
		{"Authorization", "canary-other", "{{secret authorization}}"},
	}
	for _, tt := range tests {
		if got := m.value(tt.name, tt.value); got != tt.want {
			t.Errorf("%s %s is %s, want %s", tt.name, tt.value, got, tt.want)
		}
	}
	if got := replacePath("/orders/0b7c4a2e-order/pay?token=canary-other&n=1", m.value); got != "/orders/{{answer 1 body.id else 0b7c4a2e-order}}/pay?token={{secret authorization}}&n=1" {
		t.Errorf("path %s", got)
	}
	args := m.args([]history.Value{history.Text("canary-hash"), history.Text("canary-token"), history.Text("x canary-token"), history.Null, history.Int(3)}, []string{"password_hash", "", "", "", "stock"})
	for i, want := range []string{masked, masked, masked, "NULL", "3"} {
		if args[i].String() != want {
			t.Errorf("argument %d is %s, want %s", i+1, args[i], want)
		}
	}
}

func TestUncomment(t *testing.T) {
	tests := []struct{ sql, plain, comments string }{
		{"SELECT 1", "SELECT 1", ""},
		{"SELECT 1 /*traceparent='00-ab'*/", "SELECT 1", "/*traceparent='00-ab'*/"},
		{"/* a /* b */ c */ SELECT '--no' -- yes\n, $$/* no */$$", "SELECT '--no'  \n, $$/* no */$$", "/* a /* b */ c */-- yes"},
		{`SELECT "/*a*/" /* open`, `SELECT "/*a*/"`, "/* open"},
	}
	for _, tt := range tests {
		if plain, comments := uncomment(tt.sql); plain != tt.plain || comments != tt.comments {
			t.Errorf("%q is %q and %q, want %q and %q", tt.sql, plain, comments, tt.plain, tt.comments)
		}
	}
}

func TestPlain(t *testing.T) {
	for sql, want := range map[string]string{
		"ALTER ROLE ann PASSWORD 'canary'":        "ALTER ROLE ann PASSWORD '…'",
		"SET x = $q$canary$q$":                    "SET x = '…'",
		`ALTER ROLE ann PASSWORD E'it\'s canary'`: `ALTER ROLE ann PASSWORD E'…'`,
		"select 'x' from t":                       "select 'x' from t",
		"create user ann password 'canary' --x":   "create user ann password '…' --x",
	} {
		if got := plain(sql); got != want {
			t.Errorf("%s is %s, want %s", sql, got, want)
		}
	}
}

// FuzzBodies looks that a masked document is the same one where no name is
// secret, and that nothing panics.
func FuzzBodies(f *testing.F) {
	for _, s := range []string{`{"a":[1,{"b":"c"}]}`, `{"a":"\u0041"}`, "a=b&c", `[]`, `"x"`, ` {"a" : 1 } `} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, body string) {
		same := func(_, value string) string { return value }
		if got, ok := replaceJSON(body, same); ok && got != body {
			t.Errorf("%q became %q", body, got)
		}
		if got := replaceForm(body, same); got != body {
			t.Errorf("%q became %q", body, got)
		}
		uncomment(body)
		plain(body)
	})
}

func TestShown(t *testing.T) {
	tests := []struct{ kind, url, body, wantURL, wantBody string }{
		{"application/json", "http://h/login?token=abc&page=2", `{"user": "a", "password": "hunter2", "card": {"cvv": 123}}`,
			"http://h/login?token={{secret}}&page=2", `{"user": "a", "password": "{{secret}}", "card": {"cvv": {{secret}}}}`},
		{"", "http://h/", `{"pin":"1","n":"{{lane}}"}`, "http://h/", `{"pin":"{{secret}}","n":"{{lane}}"}`},
		{"", "http://h/", `{"n": {{lane}}, "password" : "x\"y", "cvv":123}`, "http://h/", `{"n": {{lane}}, "password" : "{{secret}}", "cvv":"{{secret}}"}`},
		{"application/x-www-form-urlencoded", "http://h/", "user=a&passwd=x%20y", "http://h/", "user=a&passwd={{secret}}"},
		{"", "http://h/", "user=a&passwd=x", "http://h/", "user=a&passwd={{secret}}"},
	}
	for _, tt := range tests {
		r := &web.Request{URL: tt.url, Body: tt.body}
		if tt.kind != "" {
			r.Headers = []web.Field{{Name: "content-type", Value: tt.kind}}
		}
		got := Shown(nil)(r)
		if got.URL != tt.wantURL || got.Body != tt.wantBody {
			t.Errorf("%s %s is shown as %s %s", tt.url, tt.body, got.URL, got.Body)
		}
		if r.URL != tt.url || r.Body != tt.body {
			t.Errorf("the request itself was changed: %+v", r)
		}
	}
	if got := Shown(history.NewMask([]string{"iban"}))(&web.Request{URL: "http://h/", Body: `{"iban": "DE1"}`}); got.Body != `{"iban":"{{secret}}"}` && got.Body != `{"iban": "{{secret}}"}` {
		t.Errorf("a name of its own is shown: %s", got.Body)
	}
}
