package web

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"html"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// values are what templates of one call stand for.
type values struct {
	lane int
	now  time.Time
	body string // of the request at hand
	// answers are those to the requests before, in their order.
	answers []Answer
	// literal says that the request at hand has no templates.
	literal bool
}

// Templates are the forms that stand between {{ and }}, for help texts.
const Templates = "lane, uuid, now, now unix, now unixms, hmac_sha256 SECRET body, answer PATH, answer header NAME, answer cookie NAME, answer find REGEXP, and urlencode before any of them"

// encoded is the word before a template whose value is part of a query or a form.
const encoded = "urlencode"

// Escape encodes a text for a query or a form, but for its templates: their values
// are encoded when they are known.
func Escape(text string) string {
	var b strings.Builder
	for {
		before, rest, found := strings.Cut(text, "{{")
		inner, after, closed := strings.Cut(rest, "}}")
		if !found || !closed {
			b.WriteString(url.QueryEscape(text))
			return b.String()
		}
		b.WriteString(url.QueryEscape(before) + "{{" + encoded + " " + strings.TrimSpace(inner) + "}}")
		text = after
	}
}

// Fill puts values in the place of the templates of a text that is no part of
// a request, for a lane that counts from 1.
func Fill(text string, lane int) (string, error) {
	return (&values{lane: lane, now: time.Now()}).fill(text)
}

// fill puts values in the place of templates. What is no template of ours,
// such as the braces of another language, is an error rather than sent as it is.
func (v *values) fill(text string) (string, error) {
	if v.literal {
		return text, nil
	}
	var b strings.Builder
	for {
		before, rest, found := strings.Cut(text, "{{")
		b.WriteString(before)
		if !found {
			return b.String(), nil
		}
		inner, after, closed := strings.Cut(rest, "}}")
		if !closed {
			return "", &TemplateError{Text: rest, Why: "it is not closed with }}"}
		}
		value, err := v.eval(inner)
		if err != nil {
			return "", err
		}
		b.WriteString(value)
		text = after
	}
}

func (v *values) eval(inner string) (string, error) {
	words := strings.Fields(inner)
	switch {
	case slices.Equal(words, []string{"lane"}):
		return strconv.Itoa(v.lane), nil
	case slices.Equal(words, []string{"uuid"}):
		return uuid(), nil
	case len(words) > 0 && words[0] == "now":
		return v.time(inner, words[1:])
	case len(words) == 3 && words[0] == "hmac_sha256" && words[2] == "body":
		mac := hmac.New(sha256.New, []byte(strings.Trim(words[1], `"'`)))
		mac.Write([]byte(v.body))
		return hex.EncodeToString(mac.Sum(nil)), nil
	case len(words) >= 2 && words[0] == "answer":
		return v.answered(inner, words[1:])
	case len(words) >= 2 && words[0] == encoded:
		_, rest, _ := strings.Cut(inner, encoded)
		value, err := v.eval(rest)
		return url.QueryEscape(value), err
	}
	return "", &TemplateError{Text: inner, Why: "it is not one of " + Templates}
}

func (v *values) time(inner string, form []string) (string, error) {
	switch {
	case len(form) == 0:
		return v.now.UTC().Format(time.RFC3339Nano), nil
	case slices.Equal(form, []string{"unix"}):
		return strconv.FormatInt(v.now.Unix(), 10), nil
	case slices.Equal(form, []string{"unixms"}):
		return strconv.FormatInt(v.now.UnixMilli(), 10), nil
	}
	return "", &TemplateError{Text: inner, Why: "it is not one of " + Templates}
}

// answered is a value of the latest answer that has it: by its path in a
// document, as a header or a cookie, or what a regular expression finds in the
// body, its group when it has one.
func (v *values) answered(inner string, words []string) (string, error) {
	look := func(a *Answer) (string, bool) { return a.field(words[0]) }
	switch {
	case len(words) == 2 && words[0] == "header":
		look = func(a *Answer) (string, bool) { return a.Header.Get(words[1]), len(a.Header.Values(words[1])) > 0 }
	case len(words) == 2 && words[0] == "cookie":
		look = func(a *Answer) (string, bool) { return a.cookie(words[1]) }
	case len(words) >= 2 && words[0] == "find":
		_, pattern, _ := strings.Cut(inner, "find ")
		re, err := regexp.Compile(strings.TrimSpace(pattern))
		if err != nil {
			return "", &TemplateError{Text: inner, Why: "it is no regular expression"}
		}
		look = func(a *Answer) (string, bool) { return a.find(re) }
	case len(words) > 1:
		return "", &TemplateError{Text: inner, Why: "it is not one of " + Templates}
	}
	for i := range slices.Backward(v.answers) {
		if value, found := look(&v.answers[i]); found {
			return value, nil
		}
	}
	return "", &TemplateError{Text: inner, Why: "the answer before it has no such value"}
}

func (a *Answer) field(path string) (string, bool) {
	for _, f := range a.Fields {
		if f.Name == path || f.Name == Body+"."+path {
			return f.Value.Text, true
		}
	}
	return "", false
}

func (a *Answer) cookie(name string) (string, bool) {
	for _, c := range a.Cookies {
		if c.Name == name {
			return c.Value, true
		}
	}
	return "", false
}

func (a *Answer) find(re *regexp.Regexp) (string, bool) {
	m := re.FindSubmatch(a.Body)
	switch {
	case m == nil:
		return "", false
	case len(m) > 1:
		return html.UnescapeString(string(m[1])), true
	}
	return html.UnescapeString(string(m[0])), true
}

// uuid is a random one (RFC 9562, version 4).
func uuid() string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // never fails (crypto/rand)
	b[6] = b[6]&0x0f | 0x40
	b[8] = b[8]&0x3f | 0x80
	h := hex.EncodeToString(b[:])
	return strings.Join([]string{h[:8], h[8:12], h[12:16], h[16:20], h[20:]}, "-")
}

// TemplateError says what is wrong with a template. Text may hold a secret and
// is told up to its first word only.
type TemplateError struct{ Text, Why string }

func (e *TemplateError) Error() string {
	word, _, _ := strings.Cut(strings.TrimSpace(e.Text), " ")
	return fmt.Sprintf("template {{%s: %s", word[:min(len(word), 30)], e.Why)
}

// Check renders every part once, with values that mean nothing, to find what
// would fail. What comes from an earlier answer is taken as given.
func (a *Actor) Check() error {
	for i, r := range a.Requests {
		v := &values{now: time.Now(), literal: r.Literal}
		for _, text := range r.parts() {
			if i > 0 {
				text = forget(text)
			}
			if _, err := v.fill(text); err != nil {
				return fmt.Errorf("%s: %w", r, err)
			}
		}
		if err := r.Classes.Check(); err != nil {
			return fmt.Errorf("%s: %w", r, err)
		}
	}
	return nil
}

// ByLane reports whether what is sent depends on the lane.
func (r *Request) ByLane() bool {
	return !r.Literal && slices.ContainsFunc(r.parts(), lanes.MatchString)
}

var lanes = regexp.MustCompile(`\{\{\s*(urlencode\s+)?lane\s*\}\}`)

func (r *Request) parts() []string {
	parts := []string{r.URL, r.Body}
	for _, h := range r.Headers {
		parts = append(parts, h.Value)
	}
	return parts
}

// forget takes {{answer …}} out of a text.
func forget(text string) string {
	for {
		at := answers.FindStringIndex(text)
		if at == nil {
			return text
		}
		_, after, closed := strings.Cut(text[at[0]:], "}}")
		if !closed {
			return text
		}
		text = text[:at[0]] + after
	}
}

var answers = regexp.MustCompile(`\{\{\s*(urlencode\s+)?answer\s`)
