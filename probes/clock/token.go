package clock

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/ccheck/ccheck/probes/history"
	"github.com/ccheck/ccheck/probes/internal/reach"
)

// Token is a request that carries a token or a stamp.
type Token struct {
	Method, URL, Body string
	// Headers hold {{jwt}}, {{unix}}, {{rfc3339}}, {{nonce}} or {{hmac}}.
	Headers http.Header
	Secret  string // of the signatures
	Limit   time.Duration
}

// RefusedError says that a token that is good is refused, so that nothing can be
// learned from refusals.
type RefusedError struct{ Request, Status string }

func (e *RefusedError) Error() string {
	return fmt.Sprintf("%s refuses a token that is good now: %s", e.Request, e.Status)
}

// offsets are how far a token is tried from its time, the last one farther than
// any clock is wrong.
var offsets = []time.Duration{
	time.Second, 5 * time.Second, 15 * time.Second, 30 * time.Second, time.Minute, 2 * time.Minute, 5 * time.Minute,
	10 * time.Minute, time.Hour, 24 * time.Hour, 3650 * 24 * time.Hour,
}

// The sides of the window.
const (
	Past   = "past"   // expired, or an old stamp
	Future = "future" // not yet valid, or a stamp that is ahead
	Forged = "forged" // signed by another secret; a stamp without signature is no time at all
)

// lifetime is that of a token.
const lifetime = 5 * time.Minute

// good is an offset at which a token is valid for a while yet.
const good = -lifetime / 2

// tokenLane is behind those of the sessions.
const tokenLane = 110

// token finds both ends of the window.
func (d *driver) token(ctx context.Context) error {
	t := d.o.Token
	if t == nil {
		return nil
	}
	rec := d.Recorder(tokenLane)
	accepted, status, err := d.try(ctx, rec, "now", good)
	if err != nil {
		return err
	}
	if !accepted {
		return &RefusedError{t.Method + " " + t.URL, status}
	}
	if accepted, _, err = d.try(ctx, rec, Forged, good); err != nil || accepted {
		return err // it does not look at tokens at all, and the judge says so
	}
	for _, side := range []string{Past, Future} {
		if err := d.side(ctx, rec, side); err != nil {
			return err
		}
	}
	return nil
}

// side tries all offsets, and then halves the gap between the last that is
// accepted and the first that is refused, to a second.
func (d *driver) side(ctx context.Context, rec *history.Recorder, side string) error {
	low, high := time.Duration(0), time.Duration(0)
	for _, off := range offsets {
		accepted, _, err := d.try(ctx, rec, side, off)
		if err != nil {
			return err
		}
		if accepted && high == 0 {
			low = off
		} else if !accepted && high == 0 {
			high = off
		}
	}
	for high-low > time.Second {
		mid := (low + (high-low)/2).Truncate(time.Second)
		accepted, _, err := d.try(ctx, rec, side, mid)
		if err != nil {
			return err
		}
		if accepted {
			low = mid
		} else {
			high = mid
		}
	}
	return nil
}

// try sends one token and records whether it was accepted.
func (d *driver) try(ctx context.Context, rec *history.Recorder, side string, off time.Duration) (accepted bool, status string, err error) {
	call := d.call(rec, "token", func() (vars, error) {
		v := text("side", side).number("offset_ns", int64(off))
		var res *http.Response
		if res, err = d.o.Token.send(ctx, side, off); err != nil {
			return v, err
		}
		accepted, status = res.StatusCode < 400, res.Status
		return append(v, text("status", res.Status, "accepted", strconv.FormatBool(accepted))...), nil
	})
	if call != nil {
		return false, "", call
	}
	return accepted, status, err
}

func (t *Token) send(ctx context.Context, side string, off time.Duration) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, t.Method, t.URL, strings.NewReader(t.Body))
	if err != nil {
		return nil, fmt.Errorf("making the request %s %s: %w", t.Method, t.URL, err)
	}
	fill, err := t.fill(side, off, time.Now())
	if err != nil {
		return nil, err
	}
	for name, values := range t.Headers {
		values = slices.Clone(values)
		for i := range values {
			values[i] = fill.Replace(values[i])
		}
		req.Header[name] = values
	}
	client := &http.Client{Timeout: t.Limit, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	defer client.CloseIdleConnections()
	res, err := client.Do(req)
	if err != nil {
		return nil, fmt.Errorf("sending %s %s: %w", t.Method, t.URL, reach.Why(err))
	}
	defer res.Body.Close()
	_, err = io.Copy(io.Discard, io.LimitReader(res.Body, 1<<20))
	return res, err
}

// fill are the values of the placeholders for a token that is off by so much.
func (t *Token) fill(side string, off time.Duration, now time.Time) (*strings.Replacer, error) {
	at := now
	from, until := now.Add(-lifetime/2), now.Add(lifetime/2)
	switch side {
	case Past:
		at, until = now.Add(-off), now.Add(-off)
		from = until.Add(-lifetime)
	case Future:
		at, from = now.Add(off), now.Add(off)
		until = from.Add(lifetime)
	}
	signer := *t
	unix, rfc := strconv.FormatInt(at.Unix(), 10), at.UTC().Format(time.RFC3339)
	if side == Forged {
		signer.Secret += "?"
		if t.Secret == "" {
			unix, rfc = "no-time", "no-time"
		}
	}
	nonce := rand.Text()
	jwt, err := signer.jwt(from, until, nonce)
	if err != nil {
		return nil, err
	}
	return strings.NewReplacer(
		"{{jwt}}", jwt, "{{unix}}", unix, "{{rfc3339}}", rfc, "{{nonce}}", nonce,
		"{{hmac}}", hex.EncodeToString(signer.sign(unix+"."+t.Body)),
	), nil
}

func (t *Token) sign(text string) []byte {
	h := hmac.New(sha256.New, []byte(t.Secret))
	h.Write([]byte(text)) // never fails, says its documentation
	return h.Sum(nil)
}

// jwt is a token by RFC 7519, signed with HS256.
func (t *Token) jwt(from, until time.Time, id string) (string, error) {
	claims, err := json.Marshal(map[string]any{"sub": "ccheck", "iat": from.Unix(), "nbf": from.Unix(), "exp": until.Unix(), "jti": id})
	if err != nil {
		return "", fmt.Errorf("encoding a token: %w", err)
	}
	encode := base64.RawURLEncoding.EncodeToString
	text := encode([]byte(`{"alg":"HS256","typ":"JWT"}`)) + "." + encode(claims)
	return text + "." + encode(t.sign(text)), nil
}
