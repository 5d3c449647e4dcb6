package tape_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/ccheck/ccheck/probes/history"
	"github.com/ccheck/ccheck/probes/record/tape"
)

func TestRoundTrip(t *testing.T) {
	path := filepath.Join(t.TempDir(), "shop.tape")
	h := tape.Header{Version: "v1", Start: time.Unix(1, 0).UTC(), App: "http://127.0.0.1:3000", Masked: []string{"iban"}}
	w, err := tape.Create(path, h, 0)
	if err != nil {
		t.Fatal(err)
	}
	w.Close(tape.End{})
	if w, err = tape.Create(path, h, 1<<20); err != nil {
		t.Fatal(err)
	}
	second := &tape.Request{N: 2, Method: "POST", Path: "/buy?x=1", Body: "a=1", Status: 201, Answer: []tape.Field{{Name: "status", Value: "201"}}}
	first := &tape.Request{N: 1, Method: "GET", Path: "/", Headers: []tape.Field{{Name: "Accept", Value: "*/*"}}}
	sure := &tape.Statement{N: 1, Of: []int{2}, By: tape.ByTime, SQL: "SELECT $1", Args: []history.Value{history.Int(1), history.Null}}
	maybe := &tape.Statement{N: 2, Of: []int{1, 2}, By: tape.ByTime, SQL: "SELECT 2"}
	w.Request(second)
	w.Statement(maybe)
	w.Statement(sure)
	w.Request(first)
	if _, err := w.Close(tape.End{End: 9, Requests: 2, Statements: 2}); err != nil {
		t.Fatal(err)
	}
	if !tape.Is(path) {
		t.Error("the file is not taken for a tape")
	}
	got, err := tape.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	h.Schema = tape.Schema
	want := &tape.Tape{Header: h, Requests: []*tape.Request{first, second}, Statements: []*tape.Statement{sure, maybe}, End: &tape.End{End: 9, Requests: 2, Statements: 2}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	s, m := got.Of(2)
	if len(s) != 1 || s[0] != got.Statements[0] || len(m) != 1 || got.Request(2) != got.Requests[1] || got.Request(7) != nil {
		t.Errorf("request 2 caused %v and may have caused %v", s, m)
	}
}

func TestLimit(t *testing.T) {
	path := filepath.Join(t.TempDir(), "shop.tape")
	w, err := tape.Create(path, tape.Header{}, 2000)
	if err != nil {
		t.Fatal(err)
	}
	for i := range 100 {
		w.Request(&tape.Request{N: i + 1, Path: "/" + strings.Repeat("x", 100)})
	}
	end, err := w.Close(tape.End{})
	if err != nil || end.Dropped == 0 {
		t.Errorf("%+v, %v", end, err)
	}
	got, err := tape.Open(path)
	if err != nil || len(got.Requests)+end.Dropped != 100 || got.End == nil {
		t.Errorf("%v, %+v", err, got)
	}
	if info, err := os.Stat(path); err != nil || info.Size() > 2000 {
		t.Errorf("%v bytes, %v", info.Size(), err)
	}
}

func TestDamage(t *testing.T) {
	head := `{"schema":"ccheck-tape/1"}` + "\n"
	tests := []struct{ name, text, want string }{
		{"empty", "", "x:1: no tape of ccheck: there is no whole line in it"},
		{"foreign", "{\"level\":1}\n", "x:1: no tape of ccheck: its first line is no header"},
		{"newer", `{"schema":"ccheck-tape/9"}` + "\n", `x:1: the tape has the format "ccheck-tape/9", and this ccheck reads "ccheck-tape/1"`},
		{"garbage", head + "{\n", "x:2: unexpected end of JSON input"},
		{"twice", head + "{\"request\":1}\n{\"request\":1}\n", "x:1: the number 1 of a request is there twice, or is none"},
		{"cut", head + "{\"request\":1}\n{\"requ", ""},
		{"unknown kind", head + "{\"later\":1}\n", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := tape.Read("x", strings.NewReader(tt.text))
			if tt.want == "" {
				if err != nil || got.End != nil {
					t.Errorf("%+v, %v", got, err)
				}
				return
			}
			var format *tape.FormatError
			if !errors.As(err, &format) || err.Error() != tt.want {
				t.Errorf("error %v, want %s", err, tt.want)
			}
		})
	}
}

// known gives each reference its own words.
type known struct{}

func (known) Answer(n int, path string) (string, bool) { return path, n == 3 }
func (known) Cookie(n int, name string) (string, bool) { return name, n == 3 }
func (known) Secret(name string) (string, bool)        { return "s/" + name, name != "none" }

func TestResolve(t *testing.T) {
	tests := []struct{ text, want, missing string }{
		{"plain", "plain", ""},
		{"a " + tape.AnswerRef(3, "body.x") + tape.CookieRef(3, "sid") + tape.SecretRef("pw"), "a <body.x><sid><s/pw>", ""},
		{tape.Escape("{{x}} {{"), "{{x}} {{", ""},
		{tape.SecretRef("none"), "", "its none was masked"},
		{tape.AnswerRef(4, "body.id"), "", "it needs body.id of the answer to request 4, which did not come again"},
		{tape.Else(tape.AnswerRef(4, "body.id"), "a 7") + tape.Else(tape.AnswerRef(3, "body.id"), "7"), "<a 7><body.id>", ""},
		{"{{secret}}", "", "it has a reference that is not known: {{secret}}"},
		{"{{answer x y}}", "", "it needs y of the answer to request x, which did not come again"},
		{"{{brace", "", "it has a reference that is not known: {{brace}}"},
	}
	for _, tt := range tests {
		got, err := tape.Resolve(tt.text, known{}, func(s string) string { return "<" + s + ">" })
		if got != tt.want || (err == nil) != (tt.missing == "") || err != nil && err.Error() != tt.missing {
			t.Errorf("%q is %q, %v; want %q, %s", tt.text, got, err, tt.want, tt.missing)
		}
	}
	if got := tape.Secrets("a{{secret x}}b{{answer 1 y}}{{secret z}}"); !cmp.Equal(got, []string{"x", "z"}) {
		t.Errorf("secrets %v", got)
	}
}

func TestAnswers(t *testing.T) {
	if got := tape.Answers("{{brace}}" + tape.AnswerRef(3, "x") + tape.CookieRef(4, "y") + tape.Else(tape.AnswerRef(5, "x"), "1")); !cmp.Equal(got, []int{3, 4, 5}) {
		t.Errorf("answers %v", got)
	}
}

func FuzzRead(f *testing.F) {
	f.Add(`{"schema":"ccheck-tape/1"}` + "\n" + `{"request":1,"path":"{{answer 1 x}}"}` + "\n" + `{"statement":1,"of":[1]}` + "\n" + `{"ended":1}` + "\n")
	f.Fuzz(func(t *testing.T, text string) {
		got, err := tape.Read("x", strings.NewReader(text))
		if err != nil {
			return
		}
		for _, r := range got.Requests {
			got.Of(r.N)
			if plain, err := tape.Resolve(tape.Escape(r.Path), known{}, nil); err != nil || plain != r.Path {
				t.Errorf("%q came back as %q, %v", r.Path, plain, err)
			}
		}
	})
}
