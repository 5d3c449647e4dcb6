package record

import (
	"encoding/json"
	"net/url"
	"strings"

	"github.com/ccheck/ccheck/probes/actor/web"
	"github.com/ccheck/ccheck/probes/record/tape"
)

// Player makes requests of a tape ready to be sent again: references become
// what the application has answered this time. It sends nothing by itself.
type Player struct {
	tape    *tape.Tape
	base    string // of the application
	secrets map[string]string
	answers map[int]web.Answer
	needed  map[int]bool // requests that others refer to
}

// NewPlayer plays a tape on an application at base, scheme, host and port.
// secrets are what the tape does not have, by name.
func NewPlayer(t *tape.Tape, base string, secrets map[string]string) *Player {
	p := &Player{tape: t, base: base, secrets: secrets, needed: map[int]bool{}}
	for _, r := range t.Requests {
		for _, text := range parts(r) {
			for _, n := range tape.Answers(text) {
				p.needed[n] = true
			}
		}
	}
	p.Rewind()
	return p
}

// Rewind forgets all answers.
func (p *Player) Rewind() { p.answers = map[int]web.Answer{} }

// Answered notes the answer to a request of the tape.
func (p *Player) Answered(n int, a web.Answer) { p.answers[n] = a }

// Before are the requests that lead to the state in which request n was sent,
// in their order. Those that only read are left out unless another one needs
// what they were answered, and those of without.
func (p *Player) Before(n int, without ...int) []*tape.Request {
	var list []*tape.Request
	for _, r := range p.tape.Requests {
		skip := r.N >= n || r.Unusable != "" || reads(r) && !p.needed[r.N]
		for _, w := range without {
			skip = skip || r.N == w
		}
		if !skip {
			list = append(list, r)
		}
	}
	return list
}

func reads(r *tape.Request) bool {
	return (&web.Request{Method: r.Method}).Safe() || r.Method == "OPTIONS"
}

func parts(r *tape.Request) []string {
	list := []string{r.Path, r.Body}
	for _, h := range r.Headers {
		list = append(list, h.Value)
	}
	return list
}

// Request is a request of the tape with everything in its place. An error is a
// *tape.MissingError.
func (p *Player) Request(r *tape.Request) (*web.Request, error) {
	path, query, asked := strings.Cut(r.Path, "?")
	path, err := tape.Resolve(path, p, url.PathEscape)
	if err != nil {
		return nil, err
	}
	if asked {
		if query, err = tape.Resolve(query, p, url.QueryEscape); err != nil {
			return nil, err
		}
		path += "?" + query
	}
	req := &web.Request{Method: r.Method, URL: p.base + path, Literal: true}
	kind := ""
	for _, h := range r.Headers {
		value, err := tape.Resolve(strings.ReplaceAll(h.Value, p.tape.Listen, p.base), p, nil)
		if err != nil {
			return nil, err
		}
		if h.Name == "Content-Type" {
			kind = value
		}
		req.Headers = append(req.Headers, web.Field{Name: h.Name, Value: value})
	}
	req.Body, err = tape.Resolve(r.Body, p, escapeOf(kind, r.Body))
	return req, err
}

// escapeOf writes a value as the body around it needs it.
func escapeOf(kind, body string) func(string) string {
	switch {
	case strings.HasPrefix(kind, "application/x-www-form-urlencoded"):
		return url.QueryEscape
	case strings.Contains(kind, "json"), strings.HasPrefix(body, "{"), strings.HasPrefix(body, "["):
		return func(s string) string {
			b, _ := json.Marshal(s) // a string always can be
			return string(b[1 : len(b)-1])
		}
	}
	return nil
}

// Answer, Cookie and Secret make it a tape.Known.
func (p *Player) Answer(n int, path string) (string, bool) {
	for _, f := range p.answers[n].Fields {
		if f.Name == path {
			return f.Value.Text, true
		}
	}
	return "", false
}

// Cookie is one that an answer set.
func (p *Player) Cookie(n int, name string) (string, bool) {
	for _, c := range p.answers[n].Cookies {
		if c.Name == name {
			return c.Value, true
		}
	}
	return "", false
}

// Secret is one that the user gave.
func (p *Player) Secret(name string) (string, bool) {
	value, ok := p.secrets[name]
	return value, ok
}
