package queue

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/ccheck/ccheck/probes/history"
	"github.com/ccheck/ccheck/probes/internal/reach"
)

// webEffect stands for what a worker of an application does.
var webEffect = &history.Stmt{Actor: "work", SQL: "the effect of job $1", Outside: true}

// endpoint is a lane of an application with three endpoints.
type endpoint struct {
	l      *lane
	client *http.Client
}

func newEndpoint(l *lane) *endpoint {
	return &endpoint{l: l, client: &http.Client{Timeout: 10 * time.Second}}
}

func (e *endpoint) enqueue(ctx context.Context) (history.Outcome, string, error) {
	return e.post(ctx, "enqueue", map[string]any{})
}

// work claims, does and acknowledges.
func (e *endpoint) work(ctx context.Context) (history.Outcome, string, error) {
	outcome, key, err := e.post(ctx, "claim", map[string]any{"worker": e.l.id})
	if outcome != history.Accepted {
		return outcome, "", err
	}
	if err := e.l.effects.do(ctx, webEffect, key, []history.Value{history.Text(key)}); err != nil {
		return history.Unknown, key, err
	}
	outcome, _, err = e.post(ctx, "ack", map[string]any{"job": key, "worker": e.l.id})
	if outcome == history.Refused {
		outcome = history.Accepted // the job is done, whoever it is counted for
	}
	return outcome, key, err
}

// maxAnswer bounds what is read of an answer.
const maxAnswer = 1 << 16

// post makes a call. 204, 404 and 409 say no; 200 has the key of the job.
func (e *endpoint) post(ctx context.Context, what string, body map[string]any) (history.Outcome, string, error) {
	b, err := json.Marshal(body)
	if err != nil {
		return history.Failed, "", err
	}
	url := strings.TrimRight(e.l.d.URL, "/") + "/" + what
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, url, bytes.NewReader(b))
	if err != nil {
		return history.Failed, "", err
	}
	req.Header.Set("Content-Type", "application/json")
	res, err := e.client.Do(req)
	if err != nil {
		return history.Unknown, "", &AnswerError{What: what, Err: reach.Why(err)}
	}
	defer res.Body.Close()
	text, err := io.ReadAll(io.LimitReader(res.Body, maxAnswer))
	switch {
	case err != nil:
		return history.Unknown, "", &AnswerError{What: what, Err: err}
	case res.StatusCode == http.StatusNoContent, res.StatusCode == http.StatusNotFound && what == "claim", res.StatusCode == http.StatusConflict:
		return history.Refused, "", nil
	case res.StatusCode >= 300:
		return history.Failed, "", &AnswerError{What: what, Err: fmt.Errorf("it answered %s", res.Status)}
	case what == "ack":
		return history.Accepted, "", nil
	}
	key, err := keyOf(text)
	if err != nil {
		return history.Failed, "", &AnswerError{What: what, Err: err}
	}
	return history.Accepted, key, nil
}

// keyOf is the key of the job in an answer.
func keyOf(text []byte) (string, error) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	var answer struct {
		Job any `json:"job"`
	}
	if err := d.Decode(&answer); err != nil || answer.Job == nil {
		return "", errors.New(`the answer is no JSON object with a "job"`)
	}
	return fmt.Sprint(answer.Job), nil
}

// AnswerError says that an endpoint of the application does not do its part.
type AnswerError struct {
	What string // enqueue, claim or ack
	Err  error
}

func (e *AnswerError) Error() string { return fmt.Sprintf("the endpoint /%s: %v", e.What, e.Err) }

func (e *AnswerError) Unwrap() error { return e.Err }

func (e *endpoint) close() { e.client.CloseIdleConnections() }
