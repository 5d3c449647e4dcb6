package web

import (
	"context"
	"fmt"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"slices"
	"time"

	"github.com/ccheck/ccheck/probes/history"
)

// Session is what a client has of the requests before the last one of its actor:
// cookies, and the answers. It can be used for many calls.
type Session struct {
	cookies []baked
	answers []Answer
}

// baked are cookies that an answer set.
type baked struct {
	by      *url.URL
	cookies []*http.Cookie
}

// jar keeps the cookies, and remembers who set them.
type jar struct {
	http.CookieJar
	s *Session
}

func (j *jar) SetCookies(u *url.URL, cookies []*http.Cookie) {
	j.s.cookies = append(j.s.cookies, baked{u, slices.Clone(cookies)})
	j.CookieJar.SetCookies(u, cookies)
}

// RefusedError says that a request that others need was not accepted.
type RefusedError struct {
	Request, Before string
	Answer          Answer
}

func (e *RefusedError) Error() string {
	return fmt.Sprintf("%s, which comes before %s, is answered with status %d", e.Request, e.Before, e.Answer.Status)
}

// Last is the request of a call that the ones before it prepare.
func (a *Actor) Last() *Request { return a.Requests[len(a.Requests)-1] }

// Prepare sends the requests before the last one, in a lane.
func (c *Client) Prepare(ctx context.Context, a *Actor, lane int) (*Session, error) {
	inner, err := cookiejar.New(nil)
	if err != nil {
		return nil, fmt.Errorf("making a cookie jar: %w", err)
	}
	s := &Session{}
	v := &values{lane: lane, now: time.Now()}
	for _, r := range a.Requests[:len(a.Requests)-1] {
		answer, err := c.send(ctx, r, &jar{inner, s}, v)
		if err != nil {
			return nil, err
		}
		if answer.Outcome != history.Accepted {
			return nil, &RefusedError{Request: r.String(), Before: a.Last().String(), Answer: answer}
		}
		v.answers = append(v.answers, answer)
	}
	s.answers = v.answers
	return s, nil
}

// Finish sends the last request, as often as it is called from the same session.
func (c *Client) Finish(ctx context.Context, s *Session, a *Actor, lane int) (Answer, error) {
	fresh, err := s.jar()
	if err != nil {
		return Answer{}, err
	}
	return c.send(ctx, a.Last(), fresh, &values{lane: lane, now: time.Now(), answers: s.answers})
}

// jar is a new one with the cookies of the session.
func (s *Session) jar() (http.CookieJar, error) {
	fresh, err := cookiejar.New(nil)
	if err != nil {
		return nil, fmt.Errorf("making a cookie jar: %w", err)
	}
	for _, b := range s.cookies {
		fresh.SetCookies(b.by, b.cookies)
	}
	return fresh, nil
}
