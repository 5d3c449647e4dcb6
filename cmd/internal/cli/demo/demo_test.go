package demo

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"

	"github.com/ccheck/ccheck/cmd/internal/cli/clitest"
	"github.com/ccheck/ccheck/cmd/internal/exit"
	"github.com/ccheck/ccheck/cmd/internal/stdio"
)

// Every chapter shows a bug first and ends with a mend that holds; its programs
// are there, and what needs an address has a program.
func TestChapters(t *testing.T) {
	seen := map[string]bool{}
	for _, c := range chapters() {
		if seen[c.name] || c.title == "" || c.story == "" || c.moral == "" {
			t.Errorf("%s: there twice, or something is missing", c.name)
		}
		seen[c.name] = true
		if len(c.steps) < 2 || c.steps[0].want != found || c.steps[0].brief || c.steps[len(c.steps)-1].want != holds {
			t.Errorf("%s: a chapter shows a bug and ends with what holds", c.name)
		}
		for _, s := range c.steps {
			if _, ok := programs()[s.serve]; ok != (s.serve != "") || ok != strings.Contains(strings.Join(s.args, " "), "{{url}}") {
				t.Errorf("%s: step %q and its program %q do not fit", c.name, s.say, s.serve)
			}
		}
	}
}

func TestResolve(t *testing.T) {
	tests := []struct {
		args string
		want clitest.Outcome
	}{
		{"bleed", clitest.Outcome{}},
		{"", clitest.Outcome{}},
		{"bled", clitest.Outcome{Code: exit.Usage, Msg: `the lab has no chapter "bled"`, Hint: "did you mean `ccheck demo bleed`?"}},
		{"zzz", clitest.Outcome{Code: exit.Usage, Msg: `the lab has no chapter "zzz"`, Hint: "its chapters are " + strings.Join(names(), ", ")}},
		{"--theme pink", clitest.Outcome{Code: exit.Usage, Msg: `--theme cannot be "pink"`, Hint: "it takes default, high-contrast or mono"}},
	}
	for _, tt := range tests {
		s, _ := stdio.Test()
		err := clitest.Run(t, New(s, nil, func(context.Context, *Options) error { return nil }), strings.Fields(tt.args)...)
		if got := clitest.Of(err); got != tt.want {
			t.Errorf("%s\n got %+v\nwant %+v", tt.args, got, tt.want)
		}
	}
}

func TestListWithoutATerminal(t *testing.T) {
	s, b := stdio.Test()
	if err := clitest.Run(t, New(s, nil, nil)); err != nil {
		t.Fatal(err)
	}
	for _, c := range chapters() {
		if !strings.Contains(b.Out.String(), c.name+" ") || !strings.Contains(b.Out.String(), c.title) {
			t.Errorf("the list lacks %s:\n%s", c.name, b.Out.String())
		}
	}
}

// lesson is a chapter of two steps without server and program.
var lesson = chapter{name: "x", title: "X", story: "Story.", moral: "Moral.", steps: []step{
	{say: "bad", want: found, args: []string{"stress"}}, {say: "good", want: holds, brief: true, args: []string{"stress", "a b"}},
}}

// played runs the lesson with a command that ends with the codes, one after the
// other.
func played(t *testing.T, codes ...int) (string, error) {
	t.Helper()
	t.Setenv("TMPDIR", t.TempDir())
	s, b := stdio.Test()
	s.Env = func(name string) string {
		return map[string]string{"CCHECK_DSN": "host=mine", "PGHOST": "mine", "HOME": "/home/me"}[name]
	}
	n := 0
	o := &Options{Streams: s, command: func(_ context.Context, s *stdio.Streams, args []string) error {
		if s.Env("CCHECK_DSN") != "" || s.Env("PGHOST") != "" || s.Env("HOME") != "/home/me" || s.Interactive() {
			t.Error("a step sees the server of the user, or a terminal")
		}
		if _, err := os.Stat(args[len(args)-4]); err != nil {
			t.Errorf("arguments %q", args)
		}
		fmt.Fprintln(s.Out, "much text\nccheck: the last line, history /gone/x.jsonl")
		n++
		return exit.Status(codes[n-1])
	}}
	err := play(t.Context(), o, lesson)
	if left, _ := os.ReadDir(os.TempDir()); len(left) > 0 {
		t.Errorf("%s is left", left[0].Name())
	}
	return b.Out.String(), err
}

func TestPlay(t *testing.T) {
	out, err := played(t, found, holds)
	want := "x: X\n\nStory.\n\n1/2  bad\n$ ccheck stress\nmuch text\nccheck: the last line\n\n2/2  good\n$ ccheck stress 'a b'\nccheck: the last line\n\nMoral.\n"
	if err != nil || out != want {
		t.Errorf("error %v\n%s", err, out)
	}
}

// A mend that did not hold, or a bug that was not found, is no lesson.
func TestPlayOtherwise(t *testing.T) {
	for _, codes := range [][]int{{found, found}, {holds, holds}, {found, exit.Unknown}} {
		out, err := played(t, codes...)
		if got := clitest.Of(err); got.Code != exit.Unknown || got.Msg != "1 of 2 steps of x did not end as the chapter says" || strings.Contains(out, "Moral.") {
			t.Errorf("%v: %+v\n%s", codes, got, out)
		}
	}
	if _, err := played(t, exit.Failed); exit.Code(err) != exit.Failed {
		t.Errorf("a step that cannot run: %v", err)
	}
}

// A program of the lab answers, and ends with its input.
func TestServe(t *testing.T) {
	s, _ := stdio.Test()
	in, input := io.Pipe()
	output, out := io.Pipe()
	s.In, s.Out = in, out
	ended := make(chan error, 1)
	go func() { ended <- serve(t.Context(), s, "confined") }()
	var url string
	if _, err := fmt.Fscanln(output, &url); err != nil {
		t.Fatal(err)
	}
	res, err := http.Get(url + "/me?user=ann")
	if err != nil {
		t.Fatal(err)
	}
	body, err := io.ReadAll(res.Body)
	if res.Body.Close(); err != nil || string(body) != "<h1>Orders of ann</h1>\n" {
		t.Errorf("answered %q, error %v", body, err)
	}
	if err := errors.Join(input.Close(), <-ended); err != nil {
		t.Error(err)
	}
	if err := serve(t.Context(), s, "nosuch"); exit.Code(err) != exit.Usage {
		t.Errorf("no such program: %v", err)
	}
}

// The planted programs differ from their twins in what they keep.
func TestPrograms(t *testing.T) {
	all, newest := &sessions{}, &sessions{most: 3}
	for range 10 {
		all.visit()
		newest.visit()
	}
	if len(all.kept) != 10 || len(newest.kept) != 3 {
		t.Errorf("kept %d of all and %d of the newest", len(all.kept), len(newest.kept))
	}
	for name, program := range programs() {
		ctx, stop := context.WithCancel(t.Context())
		rec := httptest.NewRecorder()
		program(ctx).ServeHTTP(rec, httptest.NewRequest("GET", "/debug/pprof/cmdline?user=ann", nil))
		if stop(); rec.Code != http.StatusOK || rec.Body.Len() == 0 {
			t.Errorf("%s answers %d %q", name, rec.Code, rec.Body)
		}
	}
}
