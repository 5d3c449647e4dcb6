package bleed

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/ccheck/ccheck/probes/history"
)

// maxAnswer bounds what is read of an answer, in bytes.
const maxAnswer = 4 << 20

// user is one user of the application, in one lane.
type user struct {
	*run
	rec    *history.Recorder
	marker string
	client *http.Client
}

// marker is the word of a user: letters and digits only, so that no encoding of
// a URL, of HTML or of JSON changes it, and with an end, so that none is the
// beginning of another.
func marker(run string, i int) string { return fmt.Sprintf("ccheck%su%dx", run, i+1) }

// markers finds those of the run.
func markers(run string) *regexp.Regexp {
	return regexp.MustCompile("ccheck" + regexp.QuoteMeta(run) + `u[0-9]+x`)
}

// AnswerError says that a request has no answer, or one that is an error.
type AnswerError struct {
	Request string
	Status  string // "" without an answer
	Err     error
}

func (e *AnswerError) Error() string {
	if e.Status != "" {
		return fmt.Sprintf("%s was answered %s", e.Request, e.Status)
	}
	return fmt.Sprintf("%s was not answered: %v", e.Request, e.Err)
}

func (e *AnswerError) Unwrap() error { return e.Err }

// ask sends one request and records it.
func (u *user) ask(ctx context.Context, actor string, r *Request) error {
	u.rec.BeginCall(actor)
	if err := u.rec.Flush(); err != nil {
		return err
	}
	status, text, err := u.send(ctx, r)
	outcome := history.Accepted
	vars := []history.Var{{Name: VarUser, Value: history.Text(u.marker)}}
	switch {
	case err != nil && status == 0:
		outcome = history.Unknown
		u.without.Add(1)
	case err != nil:
		outcome = history.Failed
	}
	if status != 0 {
		u.answers.Add(1)
		vars = append(vars, history.Var{Name: VarStatus, Value: history.Text(strconv.Itoa(status))})
		vars = append(vars, u.seen(text)...)
	}
	u.rec.EndCall(outcome, 1, vars, err)
	if flush := u.rec.Flush(); flush != nil {
		return flush
	}
	return err
}

// seen are the markers in an answer, each once.
func (u *user) seen(text []byte) (vars []history.Var) {
	var known []string
	around := ""
	for _, at := range markers(u.o.Header.Run).FindAllIndex(text, -1) {
		m := string(text[at[0]:at[1]])
		if m != u.marker && around == "" {
			around = excerpt(text, at)
		}
		if !slices.Contains(known, m) {
			known = append(known, m)
			vars = append(vars, history.Var{Name: VarSeen, Value: history.Text(m)})
		}
	}
	if around != "" {
		vars = append(vars, history.Var{Name: VarAround, Value: history.Text(around)})
	}
	return vars
}

// excerpt is what stands around a place, in one line.
func excerpt(text []byte, at []int) string {
	const before, behind = 24, 24
	from, to := max(at[0]-before, 0), min(at[1]+behind, len(text))
	return strings.Join(strings.Fields(strings.ToValidUTF8(string(text[from:to]), "")), " ")
}

// send is the status of the answer, 0 without one, and its headers and body. A
// status from 400 on is an error, too.
func (u *user) send(ctx context.Context, r *Request) (int, []byte, error) {
	fill := strings.NewReplacer("{{user}}", u.marker)
	name := r.Method + " " + r.URL
	req, err := http.NewRequestWithContext(ctx, r.Method, fill.Replace(r.URL), strings.NewReader(fill.Replace(r.Body)))
	if err != nil {
		return 0, nil, fmt.Errorf("making the request %s: %w", name, err)
	}
	for k, values := range r.Headers {
		for _, v := range values {
			req.Header.Add(k, fill.Replace(v))
		}
	}
	res, err := u.client.Do(req)
	if err != nil {
		return 0, nil, &AnswerError{Request: name, Err: err}
	}
	defer res.Body.Close()
	var text bytes.Buffer
	if err := res.Header.Write(&text); err != nil {
		return 0, nil, fmt.Errorf("reading the answer to %s: %w", name, err)
	}
	if _, err := io.Copy(&text, io.LimitReader(res.Body, maxAnswer)); err != nil {
		return 0, nil, &AnswerError{Request: name, Err: err}
	}
	if res.StatusCode >= 400 {
		err = &AnswerError{Request: name, Status: res.Status}
	}
	return res.StatusCode, text.Bytes(), err
}
